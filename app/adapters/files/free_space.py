"""Is there room on the disk? Asked before long work, so that it does not fail at its end."""

import shutil
from collections.abc import Callable
from pathlib import Path

from app.common.errors import AppError, OutputFileError
from app.common.language import localize

RESERVED_DISK_BYTES = 64 << 20  # for whatever else writes meanwhile; a full disk hurts other programs too


def format_bytes(count: int) -> str:
    """Return bytes for people: 3.2 GB, 250 MB, 1 MB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(1, round(count / 1e6))} MB"


def build_no_space_error(folder: Path, needed_bytes: int, free_bytes: int) -> AppError:
    """Return the error for a disk with too little space."""
    needed, free = format_bytes(needed_bytes), format_bytes(free_bytes)
    return OutputFileError(
        localize(
            f"ディスクの空き容量が足りません。{needed} 必要ですが、空きは {free} です: {folder}",
            f"Not enough disk space: {needed} required, {free} free: {folder}",
        ),
        localize(
            "空き容量を増やすか、KOEBAKO_HOME で別の場所を指定してください。", "Free some space, or set KOEBAKO_HOME to another folder."
        ),
    )


def check_free_space(folder: Path, needed_bytes: int, build_error: Callable[[Path, int, int], AppError] = build_no_space_error) -> None:
    """Raise the error that `build_error` makes of folder, needed and free bytes if the disk of `folder`, which need not exist yet, has too little space."""
    existing = next(item for item in (folder, *folder.absolute().parents) if item.exists())
    try:
        free_bytes = shutil.disk_usage(existing).free
    except OSError:  # a disk that does not report its room is tried
        return
    if free_bytes < needed_bytes + RESERVED_DISK_BYTES:
        raise build_error(folder, needed_bytes + RESERVED_DISK_BYTES, free_bytes)
