"""Is there room on the disk? Asked before long work, so that it does not fail at its end."""

from __future__ import annotations

import shutil
from pathlib import Path

from app.errors import OutputFileError
from app.language import say

SPARE_BYTES = 64 << 20  # for whatever else writes meanwhile


def check_room(folder: Path, needed_bytes: int) -> None:
    """OutputFileError when the disk of `folder`, which need not exist yet, has less than is needed."""
    existing = next(item for item in (folder, *folder.absolute().parents) if item.exists())
    try:
        free = shutil.disk_usage(existing).free
    except OSError:  # a disk that does not tell is tried
        return
    if free < needed_bytes + SPARE_BYTES:
        needed_text, free_text = megabytes(needed_bytes + SPARE_BYTES), megabytes(free)
        raise OutputFileError(
            say(
                f"ディスクの空きが足りません。{needed_text} 必要ですが、{free_text} しかありません: {folder}",
                f"The disk has {free_text} left where {needed_text} are needed: {folder}",
            ),
            say("空きを作るか、KOEBAKO_HOME で別の場所を指定してください。", "Make room, or choose another place with KOEBAKO_HOME."),
        )


def megabytes(count: int) -> str:
    """Bytes for people: 3.2 GB, 250 MB, 1 MB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(1, round(count / 1e6))} MB"
