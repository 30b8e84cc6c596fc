"""The pace of each voice on this computer, kept between starts, so that the first line of a start waits no longer than it must."""

import contextlib
from pathlib import Path
from typing import Any

from app.common.files.paths import find_data_dir
from app.common.files.whole_files import load_cache, write_json
from app.core.sound.phrase_gate import SpeakingPace

MOST_PACES = 100
WORTH_WRITING = 0.2  # a smaller change, as a share of what is kept, is not written


def load_pace(graphs_id: str) -> float | None:
    """Return the kept pace of a voice where its graphs run, in seconds of computing for a second of sound, or None."""
    return _load_paces().get(graphs_id)


def save_pace(graphs_id: str, pace: SpeakingPace | None) -> None:
    """Keep what was measured, if anything was and it differs from what is kept; on a disk that cannot be written nothing is."""
    if pace is None or pace.ratio is None:
        return
    paces = _load_paces()
    former_ratio = paces.pop(graphs_id, None)
    if former_ratio is not None and abs(pace.ratio - former_ratio) <= WORTH_WRITING * former_ratio:
        return
    with contextlib.suppress(OSError):
        write_json(_find_path(), dict([*paces.items(), (graphs_id, round(pace.ratio, 4))][-MOST_PACES:]), indent=None)


def _find_path() -> Path:
    return find_data_dir() / "cache" / "paces.json"


def _load_paces() -> dict[str, float]:
    return load_cache(_find_path(), _parse_paces) or {}


def _parse_paces(data: Any) -> dict[str, float]:
    return {str(name): float(ratio) for name, ratio in data.items() if isinstance(ratio, int | float) and 0 < ratio < float("inf")}
