"""The pace of each voice on this computer, kept between starts, so that the first line of a start waits no longer than it must."""

from pathlib import Path

from app.common.files.paths import find_data_dir
from app.common.files.ratio_cache import keep_ratio, load_ratios
from app.core.sound.phrase_gate import SpeakingPace

WORTH_WRITING = 0.2  # a smaller change, as a share of what is kept, is not written


def load_pace(graphs_id: str) -> float | None:
    """Return the kept pace of a voice where its graphs run, in seconds of computing for a second of sound, or None."""
    return load_ratios(_find_path()).get(graphs_id)


def save_pace(graphs_id: str, pace: SpeakingPace | None) -> None:
    """Keep what was measured, if anything was and it differs from what is kept; on a disk that cannot be written nothing is."""
    if pace is None or pace.ratio is None:
        return
    former_ratio = load_pace(graphs_id)
    if former_ratio is None or abs(pace.ratio - former_ratio) > WORTH_WRITING * former_ratio:
        keep_ratio(_find_path(), graphs_id, pace.ratio)


def _find_path() -> Path:
    return find_data_dir() / "cache" / "paces.json"
