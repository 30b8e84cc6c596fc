"""Small files that are always whole: the old content stays until the new one is complete on the disk."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file at once, making its folder where needed. Raises OSError, and leaves nothing behind then."""
    part = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=path.name, suffix=".part", delete=False) as file:
            part = Path(file.name)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        if part is not None:
            with contextlib.suppress(OSError):
                part.unlink()
        raise


def keep_copy(path: Path) -> Path | None:
    """Copies a file that cannot be read, for the next save would overwrite it; None where even that fails."""
    copy = path.with_name(path.name + ".unreadable")
    try:
        shutil.copyfile(path, copy)
    except OSError:
        return None
    return copy
