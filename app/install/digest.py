"""By what content a voice is known: SHA-256 over the files that make it. Whatever its name or place, the same content is the same voice."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from app.errors import VoiceError
from app.language import say
from app.progress import Report, unreported
from app.voices.remembered import Remembered

CHUNK_BYTES = 1 << 22


def file_digests(files: Sequence[Path], report: Report = unreported) -> list[str]:
    """Hexadecimal SHA-256 of each file, remembered until the file changes: 250 MB take half a second. VoiceError when one cannot be read."""
    known = Remembered("digests.json")
    digests = []
    for index, path in enumerate(files):
        report("reading", index / len(files))
        value = known.get(path.absolute())
        if not isinstance(value, str):
            value = _digest(path)
            known.put(path.absolute(), value)
        digests.append(value)
    known.save()
    return digests


def combined(digests: Sequence[str]) -> str:
    """One SHA-256 for several files, the same as `app.voices.sources.source_digest` gives."""
    return hashlib.sha256(b"".join(bytes.fromhex(item) for item in digests)).hexdigest()


def content_digest(digests: Sequence[str]) -> str:
    """What a voice is known by: the digest of its file as anybody can compute it, or of all where there are several."""
    return digests[0] if len(digests) == 1 else combined(digests)


def _digest(path: Path) -> str:
    total = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                total.update(chunk)
    except OSError as exc:
        raise VoiceError(
            say(f"ファイルを読めません: {path}", f"This file cannot be read: {path}"),
            say(f"ファイルの権限を確かめてください。（{exc.strerror}）", f"Check its permissions. ({exc.strerror})"),
        ) from exc
    return total.hexdigest()


def total_bytes(files: Sequence[Path]) -> int:
    """Size of files in all; those that vanished count nothing."""
    return sum(path.stat().st_size for path in files if path.is_file())
