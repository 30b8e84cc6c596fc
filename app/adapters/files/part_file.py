"""A file that exists under its own name only when it is complete."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from app.adapters.files.checked_file import CheckedFile
from app.data_file import behind_link, drop, move, part_beside, parts_in
from app.errors import OutputFileError
from app.language import localized
from app.small_file import NotRegularError
from app.system_errors import reason_of

LEFT_ALONE_S = 600.0  # parts of files that are written without a lock are not touched for as long as anybody may still write them


class PartFile(CheckedFile):
    """Written beside its target (see `part_beside`) and renamed by `commit`.

    Locked as long as it is written, so that `sweep` knows the parts whose writers are dead.

    Attributes:
        target: what gets the content; where the path is a link, what it leads to.

    Raises OutputFileError where the target cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._shown = path
        try:
            self.target = behind_link(path)
            self._check_target()
            sweep(self.target.parent)
            self._part = part_beside(self.target)
            super().__init__(self._part.open("xb+", buffering=0))
            with contextlib.suppress(OSError):  # a disk without locks; there only the age shows it
                _lock(self._file.fileno())
        except (OSError, ValueError) as exc:
            raise write_error(self._shown, exc) from exc

    def commit(self) -> None:
        """Puts all on the disk, then under the target's name; removes the part and raises OutputFileError if it cannot."""
        self.finish()
        self.put_in_place()

    def finish(self) -> None:
        """Puts all on the disk: what follows needs no room there. Raises OutputFileError, and removes the part then."""
        if not self._file.closed:
            with self._or_nothing():
                os.fsync(self._file.fileno())
                self._file.close()

    def put_in_place(self) -> None:
        """Gives what is finished the target's name. Raises OutputFileError, and removes the part then."""
        with self._or_nothing():
            move(self._part, self.target)

    def discard(self) -> None:
        """Removes what was written."""
        self._file.close()
        self._part.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _or_nothing(self) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            self.discard()
            raise write_error(self._shown, exc) from exc

    def _error(self, cause: OSError) -> OutputFileError:
        return write_error(self._shown, cause)

    def _check_target(self) -> None:
        # Opening what is there for writing shows before the work, not after it, that the file is locked or protected.
        if self.target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a directory")
        # What is there and is no plain file (a device, a pipe) must not be replaced by one, not even through a link.
        if self.target.exists() and not self.target.is_file():
            raise NotRegularError(errno.EINVAL, localized("ファイルではありません", "it is not a file"))
        try:
            self.target.open("rb+").close()
        except FileNotFoundError:
            if not self.target.parent.is_dir():
                raise


def sweep(folder: Path) -> None:
    """Removes the parts that killed programs have left in a folder; those that are written now stay, and so does what cannot be removed."""
    with contextlib.suppress(OSError):
        for item in parts_in(folder, LEFT_ALONE_S):
            if item.is_file() and not item.is_symlink() and _is_free(item):
                drop(item)


def _is_free(part: Path) -> bool:
    try:
        with part.open("rb+") as file:
            _lock(file.fileno())
    except OSError:
        return False
    return True


def _lock(file: int) -> None:
    """Raises OSError where another process holds the file. On Windows an open file cannot be removed anyway."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def write_error(path: Path, cause: Exception) -> OutputFileError:
    """What the system said about the file, as a sentence for the user, and what helps."""
    code = getattr(cause, "errno", None)
    reason = reason_of(cause)
    if code in _NO_FOLDER and not path.parent.is_dir():
        reason = localized("フォルダーがありません", "the folder does not exist")
        if path.parent.exists():
            reason = localized(f"「{path.parent}」はフォルダーではありません", f"“{path.parent}” is not a folder")
    elif code in _HELD:
        reason = localized("書き込む権限がないか、使用中です", "it is not writable or in use")
    elif code == errno.EFBIG:
        reason = reason_of(OSError(errno.ENOSPC, ""))
    return OutputFileError(
        localized(f"「{path}」に書き出せません：{reason}。", f"“{path}” could not be written: {reason}."), _hint(path, code)
    )


_NO_FOLDER = (errno.ENOENT, errno.ENOTDIR, errno.EEXIST)  # the last of a folder that is to be made where a file is
_HELD = (
    errno.ENOENT,
    errno.EACCES,
    errno.EPERM,
    errno.EBUSY,
    errno.ETXTBSY,
)  # Windows says the same of what is open elsewhere and what is protected


def _hint(path: Path, code: int | None) -> str:
    if code in _NO_FOLDER and not path.parent.exists():
        return localized(
            f"フォルダー「{path.parent}」を作成するか、別の場所を選んでください。",
            f"Create the folder “{path.parent}”, or choose another location.",
        )
    if code == errno.EISDIR:
        return localized("ファイル名まで指定してください。", "Add a file name.")
    if code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return localized("空き容量を増やすか、別の場所を選んでください。", "Free some space, or choose another location.")
    if code in _HELD:
        return localized(
            "ほかのアプリで開いている場合は閉じるか、別の場所を選んでください。",
            "If another application has it open, close it there, or choose another location.",
        )
    if code == errno.ENAMETOOLONG:
        return localized("ファイル名を短くしてください。", "Choose a shorter file name.")
    return localized("別の場所を選んでください。", "Choose another location.")
