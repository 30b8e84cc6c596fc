"""A file without a name, which the system removes after its last use even where the process crashes."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from typing import IO

from app.adapters.files.checked_file import CheckedFile
from app.common.errors import OutputFileError
from app.common.files import paths
from app.common.files.private_data_dir import make_private_folder
from app.common.language import localize
from app.common.system_errors import describe_reason


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
