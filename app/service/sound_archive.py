"""Several sounds as one zip, written as they are made."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import IO, Any, cast

from app.service.anonymous_file import AnonymousFile
from app.service.http_errors import create_refusal

# 50 minutes at the rate of most voices.
MAX_ARCHIVE_BYTES = 1 << 28


class SoundArchive:
    """A zip of 001.wav, 002.wav …"""

    def __init__(self) -> None:
        self._file = AnonymousFile()
        self._zip = zipfile.ZipFile(cast(IO[bytes], self._file), "w", zipfile.ZIP_STORED)
        self._sounds = self._bytes = 0

    def add_sound(self, pieces: Iterator[Any]) -> None:
        """Adds a WAV: its size, then its bytes. Raises Refused where all would be too long, OutputFileError where the disk is full."""
        self._bytes += next(pieces)
        if self._bytes > MAX_ARCHIVE_BYTES:
            raise create_refusal(
                422, "音声が長すぎます。クエリを分けて送ってください。", "The sounds would be too long; send the queries in parts."
            )
        self._sounds += 1
        with self._zip.open(f"{self._sounds:03}.wav", "w") as entry:
            for piece in pieces:
                entry.write(piece)
                self._file.raise_write_error()

    def finish_file(self) -> AnonymousFile:
        """The file, which stands at its end."""
        self._zip.close()
        self._file.raise_write_error()
        return self._file
