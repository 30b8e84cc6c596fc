"""Small facts about files, kept between starts until the file changes: reading 250 MB again for each listing would take seconds."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from app.common.files.atomic_write import load_cache, write_json
from app.common.files.paths import find_data_dir

MAX_CACHED_FILES = 2000


class FileFactCache:
    """A JSON file in `<data>/cache`, which may vanish at any time; a disk that cannot be written only costs time.

    Args:
        name: of the file.
    """

    def __init__(self, name: str) -> None:
        self._path = find_data_dir() / "cache" / name
        self._changed = False
        self._entries = load_cache(self._path, _parse_entries) or {}

    def find_value(self, path: Path) -> Any:
        """Return the facts stored for a file in its present state, or None."""
        *stamp, value = self._entries.get(str(path), (None, None, None))
        try:
            return value if stamp == _read_file_stamp(path) else None
        except OSError:
            return None

    def store_value(self, path: Path, value: Any) -> None:
        """Store a JSON value for a file as it is now."""
        with contextlib.suppress(OSError):
            self._entries.pop(str(path), None)
            self._entries[str(path)] = [*_read_file_stamp(path), value]
            self._changed = True

    def save_cache(self) -> None:
        """Write new values to the disk; the oldest entries give way."""
        if not self._changed:
            return
        kept = dict(list(self._entries.items())[-MAX_CACHED_FILES:])
        with contextlib.suppress(OSError):
            write_json(self._path, kept, indent=None)
            self._changed = False


def _parse_entries(data: Any) -> dict[str, list[Any]]:
    return {path: entry for path, entry in data.items() if isinstance(entry, list) and len(entry) == 3}


def _read_file_stamp(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]
