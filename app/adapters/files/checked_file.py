"""A file object for libraries that swallow what goes wrong while they write."""

from __future__ import annotations

import os
from typing import IO

from app.common.errors import OutputFileError


class CheckedFile:
    """As libsndfile and zipfile want one. libsndfile calls `write` from C, where an error would only be printed, and some of its encoders
    report success on a full disk; so the first failure is kept in `failure`, and `raise_write_error` raises it.

    Args:
        file: open for reading and writing, without a buffer.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.failure: BaseException | None = None
        self._file = file

    def write(self, data: bytes) -> int:
        """Write all data; return less after a failure, which `raise_write_error` raises."""
        done = 0
        try:
            while done < len(data) and self.failure is None:
                done += self._file.write(memoryview(data)[done:])
        except BaseException as exc:  # Ctrl+C as well
            self.failure = exc
        return done

    def read(self, count: int = -1) -> bytes:
        """Read data back, which some containers need to finish their header."""
        return self._file.read(count)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Seek, as any file."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the position, as any file."""
        return self._file.tell()

    def raise_write_error(self) -> None:
        """Raise OutputFileError if any write failed so far, or the other error that interrupted it."""
        if isinstance(self.failure, OSError):
            raise self._build_write_error(self.failure) from self.failure
        if self.failure is not None:
            raise self.failure

    def _build_write_error(self, cause: OSError) -> OutputFileError:
        raise NotImplementedError
