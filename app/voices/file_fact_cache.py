"""Small facts about files, kept between starts until the file changes: reading 250 MB again for each listing would take seconds.

The most used is the SHA-256 by which a voice is known: whatever its name or place, the same content is the same voice.
"""

import contextlib
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.common.files.paths import find_data_dir
from app.common.files.whole_files import load_cache, write_json
from app.common.progress import Report, ignore_report
from app.voices.untrusted.regular_file import build_unreadable_error, open_regular_file

MAX_CACHED_FILES = 2000


class FileFactCache:
    """A JSON file in `<data>/cache`, which may vanish at any time; a disk that cannot be written only costs time."""

    def __init__(self, name: str) -> None:
        self._path = find_data_dir() / "cache" / name
        self._is_changed = False
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
            self._is_changed = True

    def save_cache(self) -> None:
        """Write new values to the disk; drop the oldest entries if there are too many."""
        if not self._is_changed:
            return
        with contextlib.suppress(OSError):
            write_json(self._path, dict(list(self._entries.items())[-MAX_CACHED_FILES:]), indent=None)
            self._is_changed = False


def _parse_entries(data: Any) -> dict[str, list[Any]]:
    return {path: entry for path, entry in data.items() if isinstance(entry, list) and len(entry) == 3}


def _read_file_stamp(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]


def compute_file_digest(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file; raise VoiceError if it cannot be read."""
    with open_regular_file(path) as file:
        try:
            return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as exc:
            raise build_unreadable_error(path, exc) from exc


def compute_file_digests(files: Sequence[Path], report: Report = ignore_report) -> list[str]:
    """Return the digest of each file (see `compute_file_digest`), remembered until the file changes: 250 MB take half a second."""
    cache = FileFactCache("digests.json")
    digests = []
    for index, path in enumerate(files):
        report("reading", index / len(files))
        value = cache.find_value(path.absolute())
        if not isinstance(value, str) or not re.fullmatch("[0-9a-f]{64}", value):
            value = compute_file_digest(path)
            cache.store_value(path.absolute(), value)
        digests.append(value)
    cache.save_cache()
    return digests


def combine_digests(digests: Sequence[str]) -> str:
    """Return one SHA-256 for several files."""
    return hashlib.sha256(b"".join(bytes.fromhex(item) for item in digests)).hexdigest()


def compute_content_digest(digests: Sequence[str]) -> str:
    """Return the digest that identifies a voice: the plain digest of its file, or of all files where there are several."""
    return digests[0] if len(digests) == 1 else combine_digests(digests)


def sum_file_sizes(files: Sequence[Path]) -> int:
    """Return the size of all files together; vanished files count nothing."""
    return sum(path.stat().st_size for path in files if path.is_file())
