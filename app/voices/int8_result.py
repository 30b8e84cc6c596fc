"""The faster way to speak of a voice: which of its graphs run in int8, how close they come, and why the others do not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from app.common.files.untrusted_json import require_number, sanitise_short_text

INT8_GRAPH_NAMES = ("prosody", "flow", "decoder")
MIN_INT8_SNR_DB, MAX_INT8_LSD_DB = 35.0, 1.0
MIN_INT8_GAIN = 1.1  # a graph that gains less than this factor is not worth any noise
MIN_FRAMES_EQUAL = 0.98  # share of symbols that have to keep their length in frames
Int8RejectionReason = Literal["noise", "spectrum", "lengths", "slow", "together", "unsuitable", "failed"]


@dataclass(frozen=True, slots=True)
class Int8Graph:
    """A graph of the voice in 8-bit integers, and how close the sound comes where it alone is exchanged."""

    file: str
    snr_db: float  # energy of the exact samples over the energy of the difference, with durations as they are
    lsd_db: float  # log-spectral distance to the exact samples
    frames_equal: float = 1.0  # share of symbols that last as many frames, 0..1
    gain: float = 0.0  # how many times faster the graph was here; 0 where nobody measured


@dataclass(frozen=True, slots=True)
class Int8Rejection:
    """A graph that stays exact, with what was measured of it, None where that is nothing."""

    # The first limit that its int8 form missed; "together": it passed alone, but not with the others; "unsuitable": nothing in it can be in
    # int8; "failed": it could not be made, or did not run.
    why: Int8RejectionReason
    snr_db: float | None = None
    lsd_db: float | None = None
    frames_equal: float | None = None
    gain: float | None = None


@dataclass(frozen=True, slots=True)
class Int8Result:
    """The faster way to speak of a voice: those of its graphs, by name of the exact one, that passed their check on this machine; figures are of all of them together."""

    graphs: dict[str, Int8Graph]
    snr_db: float
    lsd_db: float
    frames_equal: float = 1.0
    gain: float = 0.0


def parse_int8_result(data: Mapping[str, Any]) -> Int8Result:
    """Parse the int8 result in `voice.json`; raise ValueError, KeyError, TypeError or AttributeError when it is not one."""
    graphs = {
        _parse_graph_name(name): Int8Graph(sanitise_short_text(item["file"]), *_parse_audio_metrics(item), _parse_gain(item))
        for name, item in data["graphs"].items()
    }
    if not graphs:
        raise ValueError("no graphs of a voice")
    return Int8Result(graphs, *_parse_audio_metrics(data), _parse_gain(data))


def parse_int8_rejections(data: Mapping[str, Any]) -> dict[str, Int8Rejection]:
    """Return the graphs that stay exact, by name; raise the errors of `parse_int8_result`."""
    return {_parse_graph_name(name): _parse_int8_rejection(item) for name, item in data.items()}


def _parse_int8_rejection(data: Mapping[str, Any]) -> Int8Rejection:
    if data["why"] not in get_args(Int8RejectionReason):
        raise ValueError("an unknown reason")
    snr_db, lsd_db, frames_equal, gain = (
        None if data.get(key) is None else require_number(data[key]) for key in ("snr_db", "lsd_db", "frames_equal", "gain")
    )
    return Int8Rejection(data["why"], snr_db, lsd_db, frames_equal, gain)


def _parse_graph_name(name: object) -> str:
    if name not in INT8_GRAPH_NAMES:
        raise ValueError("no graph of a voice")
    return str(name)


def _parse_audio_metrics(data: Mapping[str, Any]) -> tuple[float, float, float]:
    return require_number(data["snr_db"]), require_number(data["lsd_db"]), require_number(data.get("frames_equal", 1.0))


def _parse_gain(data: Mapping[str, Any]) -> float:
    return require_number(data.get("gain", 0.0))
