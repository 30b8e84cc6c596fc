"""Bytes on their way from the synthesis thread to a client: in memory while they are few, then in a file without a name.

A client may read as slowly as it likes: what is made for it waits here, so that the synthesis thread never does.
"""

from __future__ import annotations

import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from app.adapters.files.part_file import CheckedFile
from app.common.errors import OutputFileError
from app.common.files import paths
from app.common.files.private_data_dir import make_private_folder
from app.common.language import localize
from app.common.system_errors import describe_reason

MAX_HELD_BYTES = 4 << 20  # of one answer in memory: 47 s at the rate of most voices
MAX_TOTAL_HELD_BYTES = 32 << 20  # of all answers together
MAX_TOTAL_SPOOLED_BYTES = 2 << 30  # of all answers together on the disk


class SpoolQuota:
    """A limit on all waiting response data: shared by the responses, used by two threads."""

    def __init__(self, held: int = MAX_TOTAL_HELD_BYTES, kept: int = MAX_TOTAL_SPOOLED_BYTES) -> None:
        self._lock = threading.Lock()
        self._held, self._kept = held, kept

    def reserve_memory(self, size: int) -> bool:
        """Reserve memory for so many bytes and return False if there is not enough; a negative size gives back."""
        with self._lock:
            fits = size <= self._held
            self._held -= size if fits else 0
            return fits

    def reserve_disk(self, size: int) -> None:
        """Reserve space on the disk; raise OutputFileError if there is not enough."""
        with self._lock:
            if size > self._kept:
                raise OutputFileError(
                    localize("読み出されていない音声が多すぎるため、応答を中断しました。", "Too much unread audio; the response was ended.")
                )
            self._kept -= size


@dataclass(frozen=True, slots=True)
class SpoolPiece:
    """Bytes that wait: themselves, or their place in the file."""

    size: int
    content: bytes | None
    start: int = 0


class AnonymousFile(CheckedFile):
    """Raises OutputFileError where no file can be made."""

    def __init__(self) -> None:
        try:
            super().__init__(_open_file())
        except OSError as exc:
            raise _create_write_error(exc) from exc

    def flush(self) -> None:
        """Do nothing: writes are not buffered."""

    def close(self) -> None:
        """Close the file, which removes it."""
        self._file.close()

    def __del__(self) -> None:
        """Close the file, which would warn otherwise: no reader waits any more."""
        # It could not be made.
        with suppress(AttributeError):
            self._file.close()

    def _build_write_error(self, cause: OSError) -> OutputFileError:
        return _create_write_error(cause)


def _open_file() -> IO[bytes]:
    """Open a file without a name in the folder of caches: the system's folder for such files is often memory, and other users may not write to the user's data."""
    folder = paths.find_data_dir() / "cache"
    try:
        make_private_folder(folder)
        return tempfile.TemporaryFile(buffering=0, dir=folder)
    except PermissionError:
        return tempfile.TemporaryFile(buffering=0)


def _create_write_error(error: OSError) -> OutputFileError:
    reason = describe_reason(error)
    return OutputFileError(
        localize(
            f"送信を待つ音声を一時ファイルに保存できません：{reason}。",
            f"Sound that waits to be sent cannot be kept in a temporary file: {reason}.",
        )
    )


class ResponseSpool:
    """The waiting pieces of one response. One thread puts, another takes; each piece is taken once."""

    def __init__(self, room: SpoolQuota) -> None:
        self._room = room
        # Of the numbers; nobody who has it waits for the disk.
        self._lock = threading.Lock()
        self._file_lock = threading.Lock()
        self._file: AnonymousFile | None = None
        self._held = self._kept = 0
        self._closed = False

    def put_bytes(self, content: bytes) -> SpoolPiece:
        """Keep bytes until they are taken; raise OutputFileError if the disk is full."""
        size = len(content)
        with self._lock:
            if self._closed:
                return SpoolPiece(0, b"")
            if self._held + size <= MAX_HELD_BYTES and self._room.reserve_memory(size):
                self._held += size
                return SpoolPiece(size, content)
            self._room.reserve_disk(size)
            start, self._kept = self._kept, self._kept + size
        with self._file_lock:
            if not self._closed:
                self._file = self._file or AnonymousFile()
                self._file.seek(start)
                self._file.write(content)
                self._file.raise_write_error()
        return SpoolPiece(size, None, start)

    def take_bytes(self, piece: SpoolPiece) -> bytes:
        """Return the bytes of a piece; reading those on the disk may take a while."""
        if piece.content is None:
            with self._file_lock:
                if self._file is None or self._closed:
                    return b""
                self._file.seek(piece.start)
                return self._file.read(piece.size)
        with self._lock:
            if not self._closed:
                self._held -= piece.size
                self._room.reserve_memory(-piece.size)
        return piece.content

    def close(self) -> None:
        """Give all memory and disk space back."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._room.reserve_memory(-self._held)
            self._room.reserve_disk(-self._kept)
        with self._file_lock:
            if self._file is not None:
                self._file.close()
