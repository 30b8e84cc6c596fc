"""Files that exist under their own names only when they are complete, alone or as a set, such as a sound and its subtitles."""

import contextlib
import errno
import os
import shutil
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO

from app.common.errors import OutputFileError
from app.common.files.whole_files import (
    NotRegularFileError,
    list_stale_parts,
    move_path,
    move_to_free_name,
    prepare_part_path,
    remove_path,
    resolve_symlink,
)
from app.common.language import localize
from app.common.system_errors import describe_reason

MIN_STALE_PART_AGE_S = 600.0  # parts of files that are written without a lock are not touched for as long as anybody may still write them


class CheckedFile:
    """A file, open without a buffer, as libsndfile and zipfile want one; the first failure is kept until `raise_write_error` raises it.

    libsndfile calls `write` from C, where an error would only be printed, and some of its encoders report success on a full disk.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.failure: BaseException | None = None
        self._file = file

    def write(self, data: bytes) -> int:
        """Write all data; return less after a failure, which `raise_write_error` raises."""
        written = 0
        try:
            while written < len(data) and self.failure is None:
                written += self._file.write(memoryview(data)[written:])
        except BaseException as exc:  # Ctrl+C as well
            self.failure = exc
        return written

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


class PartFile(CheckedFile):
    """Written next to its target (see `prepare_part_path`), renamed by `commit`. Raises OutputFileError where the target cannot be written.

    Locked as long as it is written, so that `remove_stale_parts` knows the parts whose writers are dead.

    Args:
        follows_link: a link stays, and what it leads to gets the content; under a name that we or a script chose, the link is replaced.
    """

    def __init__(self, path: Path, *, follows_link: bool = True) -> None:
        self._path_for_messages = path
        try:
            self.target = resolve_symlink(path) if follows_link else path  # what gets the content
            self._check_target()
            remove_stale_parts(self.target.parent)
            self._part_path = prepare_part_path(self.target)
            super().__init__(self._part_path.open("xb+", buffering=0))
            # A disk without locks; there only the age shows it.
            with contextlib.suppress(OSError):
                _lock_file(self._file.fileno())
        except (OSError, ValueError) as exc:
            raise build_write_error(self._path_for_messages, exc) from exc

    def commit(self) -> None:
        """Put all data on the disk, then under the target's name; remove the part and raise OutputFileError if that fails."""
        self.finish_writing()
        self.put_in_place()

    def finish_writing(self) -> None:
        """Put all data on the disk, so that the next step needs no space; remove the part and raise OutputFileError if that fails."""
        if not self._file.closed:
            with self._discard_on_error():
                os.fsync(self._file.fileno())
                self._file.close()

    def put_in_place(self, path: Path | None = None) -> None:
        """Give the finished part the target's name, or another in its folder; remove the part and raise OutputFileError if that fails."""
        with self._discard_on_error():
            move_path(self._part_path, self.target if path is None else path)

    def take_free_name(self, path: Path | None = None) -> bool:
        """Give the finished part that name as `put_in_place` does if nothing has it; else keep the part and return False."""
        with self._discard_on_error():
            try:
                move_to_free_name(self._part_path, self.target if path is None else path)
            except FileExistsError:
                return False
        return True

    def discard(self) -> None:
        """Remove the written data."""
        self._file.close()
        self._part_path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _discard_on_error(self) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            self.discard()
            raise build_write_error(self._path_for_messages, exc) from exc

    def _build_write_error(self, cause: OSError) -> OutputFileError:
        return build_write_error(self._path_for_messages, cause)

    def _check_target(self) -> None:
        # The link itself is replaced; what it leads to is neither opened nor checked.
        if self.target.is_symlink():
            return
        # Opening what is there for writing shows before the work, not after it, that the file is locked or protected.
        if self.target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a directory")
        # What is there and is no plain file (a device, a pipe) must not be replaced by one, not even through a link.
        if self.target.exists() and not self.target.is_file():
            raise NotRegularFileError(errno.EINVAL, localize("ファイルではありません", "it is not a file"))
        try:
            self.target.open("rb+").close()
        except FileNotFoundError:
            if not self.target.parent.is_dir():
                raise


def remove_stale_parts(folder: Path) -> None:
    """Remove the parts that killed programs have left in a folder; those being written now and those that cannot be removed stay."""
    with contextlib.suppress(OSError):
        for item in list_stale_parts(folder, MIN_STALE_PART_AGE_S):
            with contextlib.suppress(OSError):
                if item.is_file() and not item.is_symlink():
                    with item.open("rb+") as file:
                        _lock_file(file.fileno())
                    remove_path(item)


def _lock_file(file: int) -> None:
    """Lock a file; raise OSError if another process holds it. On Windows an open file cannot be removed anyway."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def build_write_error(path: Path, cause: Exception) -> OutputFileError:
    """Return what the system said about the file, as a sentence for the user, and what helps."""
    code = getattr(cause, "errno", None)
    reason = describe_reason(cause)
    if code in _NO_FOLDER_CODES and not path.parent.is_dir():
        reason = localize("フォルダーがありません", "the folder does not exist")
        if path.parent.exists():
            reason = localize(f"「{path.parent}」はフォルダーではありません", f"“{path.parent}” is not a folder")
    elif code in _TARGET_IN_USE_CODES:
        reason = localize("書き込む権限がないか、使用中です", "it is not writable or in use")
    elif code == errno.EFBIG:
        reason = describe_reason(OSError(errno.ENOSPC, ""))
    message = localize(f"「{path}」に書き出せません：{reason}。", f"“{path}” could not be written: {reason}.")
    return OutputFileError(message, _describe_remedy(path, code))


_NO_FOLDER_CODES = (errno.ENOENT, errno.ENOTDIR, errno.EEXIST)  # the last of a folder that is to be made where a file is
# Windows reports the same for files that are open elsewhere and files that are protected.
_TARGET_IN_USE_CODES = (errno.ENOENT, errno.EACCES, errno.EPERM, errno.EBUSY, errno.ETXTBSY)


def _describe_remedy(path: Path, code: int | None) -> str:
    if code in _NO_FOLDER_CODES and not path.parent.exists():
        return localize(
            f"フォルダー「{path.parent}」を作成するか、別の場所を選んでください。",
            f"Create the folder “{path.parent}”, or choose another location.",
        )
    if code == errno.EISDIR:
        return localize("ファイル名まで指定してください。", "Add a file name.")
    if code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return localize("空き容量を増やすか、別の場所を選んでください。", "Free some space, or choose another location.")
    if code in _TARGET_IN_USE_CODES:
        return localize(
            "ほかのアプリで開いている場合は閉じるか、別の場所を選んでください。",
            "If another application has it open, close it there, or choose another location.",
        )
    if code == errno.ENAMETOOLONG:
        return localize("ファイル名を短くしてください。", "Choose a shorter file name.")
    return localize("別の場所を選んでください。", "Choose another location.")


class FileSet:
    """All of them get their names, or everything stays as it was. No link is followed: one in the way is replaced itself.

    Before the first gets its name, all of them are complete on the disk, and those to be replaced have a second name in a hidden folder:
    from then on only renames follow, which need no room, and one that fails takes back those before it.

    A program that is killed between two renames leaves whole files, some new and some as they were; writing the set again makes it one, and
    what is left in hidden names is swept by the first write into the folder a day later.

    Args:
        replaced_names: of the set, those whose files are replaced. If anything has one of the others by then, the set is not written.
    """

    def __init__(self, replaced_names: Collection[str]) -> None:
        self._replaced_names = replaced_names
        self._part_files: list[PartFile] = []
        self._aside: Path | None = None

    def write_file(self, path: Path, content: bytes) -> None:
        """Add a file, complete on the disk but for its name; raise OutputFileError if the disk refuses it."""
        part = PartFile(path, follows_link=False)
        self._part_files.append(part)
        part.write(content)
        part.raise_write_error()
        part.finish_writing()

    def add_part(self, part: PartFile) -> None:
        """Add a file that is written already."""
        self._part_files.append(part)

    def commit(self) -> None:
        """Give all files their names, in the order in which they were added; if OutputFileError is raised, nothing has changed."""
        try:
            for part in self._part_files:
                part.finish_writing()
            # A single file needs no link to be restored from, for its rename is the last step.
            self._rename_parts([self._link_old_file(part.target) if len(self._part_files) > 1 else None for part in self._part_files])
        except BaseException:
            self.discard()
            raise
        finally:
            if self._aside is not None:
                remove_path(self._aside)

    def discard(self) -> None:
        """Remove the files that have no name yet."""
        for part in self._part_files:
            part.discard()

    def _link_old_file(self, target: Path) -> Path | None:
        if target.name not in self._replaced_names or not os.path.lexists(target):
            return None
        try:
            if self._aside is None:
                aside = prepare_part_path(target)
                aside.mkdir()
                self._aside = aside
            second = self._aside / target.name
            if target.is_symlink():
                second.symlink_to(target.readlink())
                return second
            try:
                second.hardlink_to(target)
            except OSError:  # a disk that gives a file one name only
                with target.open("rb") as old, second.open("xb") as new:
                    shutil.copyfileobj(old, new)
                    new.flush()
                    os.fsync(new.fileno())
                shutil.copystat(target, second)
        except OSError as exc:
            raise build_write_error(target, exc) from exc
        return second

    def _rename_parts(self, backups: list[Path | None]) -> None:
        renames: list[tuple[Path, Path | None]] = []
        try:
            for part, old in zip(self._part_files, backups, strict=True):
                if part.target.name in self._replaced_names:
                    part.put_in_place()
                elif not part.take_free_name():
                    raise build_write_error(part.target, FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)))
                renames.append((part.target, old))
        except BaseException:
            for target, old in reversed(renames):
                with contextlib.suppress(OSError):
                    target.unlink() if old is None else move_path(old, target)
            raise
