"""Small facts about files, kept between starts until the file changes: reading 250 MB again for each listing would take seconds."""

from __future__ import annotations

import contextlib
import json
import secrets
from pathlib import Path
from typing import Any

from app.paths import data_dir

MOST_FILES = 2000
LARGEST_STORE_BYTES = 64 << 20


class Remembered:
    """A JSON file in `<data>/cache`, which may vanish at any time; a disk that cannot be written only costs time.

    Args:
        name: of the file.
    """

    def __init__(self, name: str) -> None:
        self._path = data_dir() / "cache" / name
        self._changed = False
        self._entries: dict[str, list[Any]] = {}
        with contextlib.suppress(OSError, ValueError, RecursionError):
            if self._path.stat().st_size <= LARGEST_STORE_BYTES:
                found = json.loads(self._path.read_text(encoding="utf-8"))
                self._entries = found if isinstance(found, dict) else {}

    def get(self, path: Path) -> Any:
        """What is known of a file as it is now, or None."""
        try:
            size, mtime_ns, value = self._entries[str(path)]
            return value if [size, mtime_ns] == _stamp(path) else None
        except (KeyError, ValueError, TypeError, OSError):
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
        part = self._path.with_name(f".{self._path.name}-{secrets.token_hex(4)}.part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(kept), encoding="utf-8")
            part.replace(self._path)
            self._changed = False
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()


def _stamp(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]
