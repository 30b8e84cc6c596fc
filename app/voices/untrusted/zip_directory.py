"""Opens a zip so that its directory is bounded.

A zip can state the position and the length of its directory in several places. A check that reads them in another order than zipfile
checks another directory than the one zipfile loads. So nothing is measured beforehand: zipfile reads through a file that counts what
it hands out.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO, cast

from app.voices.untrusted.unpack_budget import UnpackBudget

ZIP_ENTRY_MAGIC = b"PK\1\2"


@contextmanager
def open_bounded_zip(file: BinaryIO, budget: UnpackBudget) -> Iterator[zipfile.ZipFile]:
    """Open a zip whose entries are known; raise VoiceError if its directory has more bytes or entries than the budget has left.

    Raises what zipfile raises where it is damaged.
    """
    counted = _CountedFile(file, budget)
    with zipfile.ZipFile(cast(IO[bytes], counted)) as archive:
        counted.directory_is_read = True
        yield archive


class _CountedFile:
    """As much of a file as zipfile needs. Until the directory is read, every byte handed out counts as one of the directory.

    That is a little more than its length: the end of the file is looked through for the record that says where the directory lies.
    """

    def __init__(self, file: BinaryIO, budget: UnpackBudget) -> None:
        self._file = file
        self._budget = budget
        self.directory_is_read = False
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if self.directory_is_read:
            return self._file.read(size)
        most = self._budget.directory_bytes_left + 1
        content = self._file.read(min(size, most) if size >= 0 else most)
        self._budget.consume_directory(len(content), content.count(ZIP_ENTRY_MAGIC))
        return content
