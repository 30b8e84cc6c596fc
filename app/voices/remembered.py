"""Small facts about files, kept between starts until the file changes: reading 250 MB again for each listing would take seconds."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from app.data_file import load_cache, write_json
from app.paths import data_dir

MOST_FILES = 2000


class Remembered:
    """A JSON file in `<data>/cache`, which may vanish at any time; a disk that cannot be written only costs time.

    Args:
        name: of the file.
    """

    def __init__(self, name: str) -> None:
        self._path = data_dir() / "cache" / name
        self._changed = False
        self._entries = load_cache(self._path, _entries) or {}

    def get(self, path: Path) -> Any:
        """What is known of a file as it is now, or None."""
        *stamp, value = self._entries.get(str(path), (None, None, None))
        try:
            return value if stamp == _stamp(path) else None
        except OSError:
            return None

    def put(self, path: Path, value: Any) -> None:
        """Remembers a JSON value of a file as it is now."""
        with contextlib.suppress(OSError):
            self._entries.pop(str(path), None)
            self._entries[str(path)] = [*_stamp(path), value]
            self._changed = True

    def save(self) -> None:
        """Writes what is new; the oldest entries give way."""
        if not self._changed:
            return
        kept = dict(list(self._entries.items())[-MOST_FILES:])
        with contextlib.suppress(OSError):
            write_json(self._path, kept, indent=None)
            self._changed = False


def _entries(data: Any) -> dict[str, list[Any]]:
    return {path: entry for path, entry in data.items() if isinstance(entry, list) and len(entry) == 3}


def _stamp(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]
