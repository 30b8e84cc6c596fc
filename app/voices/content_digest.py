"""By what content a voice is known: SHA-256 over the files that make it. Whatever its name or place, the same content is the same voice."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from app.common.progress import Report, ignore_report
from app.voices.file_fact_cache import FileFactCache
from app.voices.untrusted.regular_file import build_unreadable_error, open_regular_file


def compute_file_digest(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file; raise VoiceError if it cannot be read."""
    with open_regular_file(path) as file:
        try:
            return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as exc:
            raise build_unreadable_error(path, exc) from exc


def compute_file_digests(files: Sequence[Path], report: Report = ignore_report) -> list[str]:
    """Return the digest of each file (see `compute_file_digest`), remembered until the file changes: 250 MB take half a second."""
    known = FileFactCache("digests.json")
    digests = []
    for index, path in enumerate(files):
        report("reading", index / len(files))
        value = known.find_value(path.absolute())
        if not isinstance(value, str) or not re.fullmatch("[0-9a-f]{64}", value):
            value = compute_file_digest(path)
            known.store_value(path.absolute(), value)
        digests.append(value)
    known.save_cache()
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
