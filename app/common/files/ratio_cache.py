"""Ratios that were measured on this computer, by name in a file of the cache, which may vanish at any time."""

import contextlib
from pathlib import Path
from typing import Any

from app.common.files.whole_files import load_cache, write_json

MAX_RATIOS = 100


def load_ratios(path: Path) -> dict[str, float]:
    """Return the kept ratios, those kept first first; none if the file cannot be used."""
    return load_cache(path, _parse_ratios) or {}


def keep_ratio(path: Path, name: str, ratio: float) -> None:
    """Keep a ratio as the newest one; on a disk that cannot be written nothing is kept."""
    ratios = load_ratios(path)
    ratios.pop(name, None)
    with contextlib.suppress(OSError):
        write_json(path, dict([*ratios.items(), (name, round(ratio, 4))][-MAX_RATIOS:]), indent=None)


def _parse_ratios(data: Any) -> dict[str, float]:
    return {str(name): float(ratio) for name, ratio in data.items() if isinstance(ratio, int | float) and 0 < ratio < float("inf")}
