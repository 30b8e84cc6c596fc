"""The faster way to speak of a voice: which of its graphs run in int8, how close they come, and why the others do not.

The natural voice's decoder is in it without int8: a network that is smaller stands in for a part of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from app.common.files.untrusted_json import require_number, sanitise_short_text
from app.common.language import localize

INT8_GRAPH_NAMES = ("prosody", "flow", "decoder")
MIN_INT8_SNR_DB, MAX_INT8_LSD_DB = 35.0, 1.0
MIN_INT8_GAIN = 1.1  # a graph that gains less than this factor is not worth any noise
MIN_FRAMES_EQUAL = 0.98  # share of symbols that have to keep their length in frames
Int8RejectionReason = Literal["noise", "spectrum", "lengths", "slow", "together", "unsuitable", "failed"]


@dataclass(frozen=True, slots=True)
class Int8Graph:
    """A graph of the voice in 8-bit integers, or made faster otherwise, and how close the sound comes where it alone is exchanged."""

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


def explain_int8_rejection(rejection: Int8Rejection) -> str:
    """Return the reason in a few words why a part stays exact."""
    snr_db, lsd_db, share, gain = (value or 0 for value in (rejection.snr_db, rejection.lsd_db, rejection.frames_equal, rejection.gain))
    reasons: dict[Int8RejectionReason, tuple[str, str]] = {
        "noise": (f"SN 比 {snr_db:.1f} dB（{MIN_INT8_SNR_DB:.0f} dB 以上が必要）", f"signal-to-noise ratio {snr_db:.1f} dB, {MIN_INT8_SNR_DB:.0f} needed"),
        "spectrum": (f"スペクトルの差 {lsd_db:.2f} dB（{MAX_INT8_LSD_DB:g} dB 以下が必要）", f"spectral distance {lsd_db:.2f} dB, at most {MAX_INT8_LSD_DB:g}"),
        "lengths": (f"音の長さの一致率 {share:.2%}（{MIN_FRAMES_EQUAL:.0%} 以上が必要）", f"{share:.2%} of durations unchanged, {MIN_FRAMES_EQUAL:.0%} needed"),
        "slow": (f"速さ {gain:.2f} 倍（{MIN_INT8_GAIN:g} 倍以上が必要）", f"{gain:.2f} times as fast here, {MIN_INT8_GAIN:g} needed"),
        "together": ("ほかの部分と合わせると基準を満たしません", "misses the limits together with the other parts"),
        "unsuitable": ("int8 で計算できる部分がありません", "nothing in it can be computed in int8"),
        "failed": ("int8 では計算できませんでした", "it could not be computed in int8"),
    }  # fmt: skip
    return localize(*reasons[rejection.why])
