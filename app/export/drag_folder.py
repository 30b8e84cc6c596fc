"""The folder of files that are dragged or copied to other programs, which read them later, or never."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from app.adapters.files.part_file import build_write_error
from app.common.files.paths import find_data_dir, list_subfolders
from app.common.files.private_data_dir import make_private_folder

# Nobody says when the other program has read a file; a clipboard or an open video project may hold it for hours.
MIN_KEPT_S = 24 * 3600.0


def find_drag_folder() -> Path:
    """Return the folder, which need not exist."""
    return find_data_dir() / "dragged"


def create_drag_subfolder() -> Path:
    """Create an empty folder for the files of one drag, so that each has the name of the pattern. Raise OutputFileError."""
    folder = find_drag_folder()
    try:
        make_private_folder(folder)
        return Path(tempfile.mkdtemp(prefix="", dir=folder))
    except OSError as exc:
        raise build_write_error(folder, exc) from exc


def remove_old_drags(now: float | None = None) -> None:
    """Remove the files of drags that are older than a day."""
    limit = (time.time() if now is None else now) - MIN_KEPT_S
    for folder in list_subfolders(find_drag_folder()):
        try:
            is_old = folder.stat().st_mtime < limit
        except OSError:
            continue
        if is_old:
            shutil.rmtree(folder, ignore_errors=True)
