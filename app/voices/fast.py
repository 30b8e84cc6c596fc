"""The faster way to speak of a voice: which of its graphs run in int8, how close they come, and why the others do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from app.json_text import finite, short_text

FAST_GRAPHS = ("prosody", "flow", "decoder")
LEAST_SNR_DB, MOST_LSD_DB = 35.0, 1.0
LEAST_GAIN = 1.1  # times faster, of a graph; less is not worth any noise
ENOUGH_EQUAL = 0.98
"""Share of symbols that have to keep their length in frames."""
Why = Literal["noise", "spectrum", "lengths", "slow", "together", "unsuitable", "failed"]


@dataclass(frozen=True, slots=True)
class FastGraph:
    """A graph of the voice in 8-bit integers, and how close the sound comes where it alone is exchanged.

    Attributes:
        file: in the voice's folder; the voice speaks without it, too.
        snr_db: energy of the exact samples over the energy of the difference, with durations as they are.
        lsd_db: log-spectral distance to the exact samples.
        frames_equal: share of symbols that last as many frames, 0..1.
        gain: how many times faster the graph was here; 0 where nobody measured.
    """

    file: str
    snr_db: float
    lsd_db: float
    frames_equal: float = 1.0
    gain: float = 0.0


@dataclass(frozen=True, slots=True)
class RefusedGraph:
    """A graph that stays exact.

    Attributes:
        why: the first limit that its int8 form missed; "together": it passed alone, but not with the others; "unsuitable": nothing in it
            can be in int8; "failed": it could not be made, or did not run.
        snr_db, lsd_db, frames_equal, gain: as of a FastGraph; None where there is nothing to measure.
    """

    why: Why
    snr_db: float | None = None
    lsd_db: float | None = None
    frames_equal: float | None = None
    gain: float | None = None


@dataclass(frozen=True, slots=True)
class Fast:
    """The faster way to speak of a voice: those of its graphs that passed their check on this machine.

    Attributes:
        graphs: by name of the exact one: prosody, flow, decoder.
        snr_db, lsd_db, frames_equal: of all of them together.
        gain: how many times faster a sentence was here; 0 where nobody measured.
    """

    graphs: dict[str, FastGraph]
    snr_db: float
    lsd_db: float
    frames_equal: float = 1.0
    gain: float = 0.0


def fast_from(data: Mapping[str, Any]) -> Fast:
    """What `voice.json` holds of it; raises ValueError, KeyError, TypeError or AttributeError when it is none."""
    graphs = {_graph(name): FastGraph(short_text(item["file"]), *_likeness(item), _gain(item)) for name, item in data["graphs"].items()}
    if not graphs:
        raise ValueError("no graphs of a voice")
    return Fast(graphs, *_likeness(data), _gain(data))


def refused_from(data: Mapping[str, Any]) -> dict[str, RefusedGraph]:
    """The graphs that stay exact, by name. Raises as `fast_from`."""
    return {_graph(name): _refused(item) for name, item in data.items()}


def _refused(data: Mapping[str, Any]) -> RefusedGraph:
    if data["why"] not in get_args(Why):
        raise ValueError("an unknown reason")
    snr_db, lsd_db, frames_equal, gain = (
        None if data.get(key) is None else finite(data[key]) for key in ("snr_db", "lsd_db", "frames_equal", "gain")
    )
    return RefusedGraph(data["why"], snr_db, lsd_db, frames_equal, gain)


def _graph(name: object) -> str:
    if name not in FAST_GRAPHS:
        raise ValueError("no graph of a voice")
    return str(name)


def _likeness(data: Mapping[str, Any]) -> tuple[float, float, float]:
    return finite(data["snr_db"]), finite(data["lsd_db"]), finite(data.get("frames_equal", 1.0))


def _gain(data: Mapping[str, Any]) -> float:
    return finite(data.get("gain", 0.0))
