"""By what content a voice is known: SHA-256 over the files that make it. Whatever its name or place, the same content is the same voice."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from app.progress import Report, unreported
from app.voices.remembered import Remembered
from app.voices.untrusted.regular_file import open_regular, unreadable


def file_digest(path: Path) -> str:
    """Hexadecimal SHA-256 of a file; VoiceError when it cannot be read."""
    with open_regular(path) as file:
        try:
            return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as exc:
            raise unreadable(path, exc) from exc


def file_digests(files: Sequence[Path], report: Report = unreported) -> list[str]:
    """`file_digest` of each, remembered until the file changes: 250 MB take half a second."""
    known = Remembered("digests.json")
    digests = []
    for index, path in enumerate(files):
        report("reading", index / len(files))
        value = known.get(path.absolute())
        if not isinstance(value, str) or not re.fullmatch("[0-9a-f]{64}", value):
            value = file_digest(path)
            known.put(path.absolute(), value)
        digests.append(value)
    known.save()
    return digests


def combined(digests: Sequence[str]) -> str:
    """One SHA-256 for several files."""
    return hashlib.sha256(b"".join(bytes.fromhex(item) for item in digests)).hexdigest()


def content_digest(digests: Sequence[str]) -> str:
    """What a voice is known by: the digest of its file as anybody can compute it, or of all where there are several."""
    return digests[0] if len(digests) == 1 else combined(digests)


def total_bytes(files: Sequence[Path]) -> int:
    """Size of files in all; those that vanished count nothing."""
    return sum(path.stat().st_size for path in files if path.is_file())
