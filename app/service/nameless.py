"""A file without a name: it ends with its last use, whatever becomes of the process."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from typing import IO

from app import paths
from app.adapters.files.checked_file import CheckedFile
from app.errors import OutputFileError
from app.language import localized
from app.own_folder import make_folder
from app.system_errors import reason_of


class NamelessFile(CheckedFile):
    """Raises OutputFileError where no file can be made."""

    def __init__(self) -> None:
        try:
            super().__init__(_opened())
        except OSError as exc:
            raise _unwritable(exc) from exc

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Ends it."""
        self._file.close()

    def __del__(self) -> None:
        """As of the file itself, which would warn: nobody waits any more for what was written."""
        with suppress(AttributeError):  # it could not be made
            self._file.close()

    def _error(self, cause: OSError) -> OutputFileError:
        return _unwritable(cause)


def _opened() -> IO[bytes]:
    """In the folder of caches: what the system has for such files is often memory. There, where nobody may write to the user's data."""
    folder = paths.data_dir() / "cache"
    try:
        make_folder(folder)
        return tempfile.TemporaryFile(buffering=0, dir=folder)
    except PermissionError:
        return tempfile.TemporaryFile(buffering=0)


def _unwritable(error: OSError) -> OutputFileError:
    reason = reason_of(error)
    return OutputFileError(
        localized(
            f"送信を待つ音声を一時ファイルに保存できません：{reason}。",
            f"Sound that waits to be sent cannot be kept in a temporary file: {reason}.",
        )
    )
