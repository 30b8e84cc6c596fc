"""Is there room on the disk? Asked before long work, so that it does not fail at its end."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from app.errors import AppError, OutputFileError
from app.language import localized

SPARE_BYTES = 64 << 20  # for whatever else writes meanwhile; a full disk hurts other programs too


def megabytes(count: int) -> str:
    """Bytes for people: 3.2 GB, 250 MB, 1 MB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(1, round(count / 1e6))} MB"


def no_room(folder: Path, needed_bytes: int, free_bytes: int) -> AppError:
    """The error for a disk with too little room."""
    needed, free = megabytes(needed_bytes), megabytes(free_bytes)
    return OutputFileError(
        localized(
            f"ディスクの空き容量が足りません。{needed} 必要ですが、空きは {free} です: {folder}",
            f"Not enough disk space: {needed} required, {free} free: {folder}",
        ),
        localized(
            "空き容量を増やすか、KOEBAKO_HOME で別の場所を指定してください。", "Free some space, or set KOEBAKO_HOME to another folder."
        ),
    )


def check_room(folder: Path, needed_bytes: int, refusal: Callable[[Path, int, int], AppError] = no_room) -> None:
    """Raises what `refusal` makes of folder, needed and free bytes when the disk of `folder`, which need not exist yet, has too little room."""
    existing = next(item for item in (folder, *folder.absolute().parents) if item.exists())
    try:
        free_bytes = shutil.disk_usage(existing).free
    except OSError:  # a disk that does not report its room is tried
        return
    if free_bytes < needed_bytes + SPARE_BYTES:
        raise refusal(folder, needed_bytes + SPARE_BYTES, free_bytes)
