"""A lock between threads and processes that the system itself releases when its owner dies, however it dies."""

import contextlib
import errno
import hashlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from app.adapters.files.part_file import build_write_error
from app.common.errors import OutputFileError
from app.common.files.private_data_dir import make_private_folder
from app.common.files.whole_files import PRIVATE, resolve_symlink
from app.common.language import localize

FILE_LOCK_POLL_S = 0.05
MAX_LOCK_WAIT_S = 10.0  # a change of a small file takes milliseconds
_LOCKS_UNSUPPORTED_CODES = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
_LOCKED_BYTE_OFFSET = 1 << 30  # far behind the text, so that Windows, where locked bytes cannot be read, still shows who owns the file


class FileLock:
    """A file that has at most one holder, in whatever thread or process; it names the owner's process id for people who look.

    It is made when it is missing, and left in place when it is released: removing it would let two owners hold two files of one name.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self.is_unsupported = False  # whether the disk turned out to have no locks

    def acquire(self) -> bool:
        """Take the lock if it is free; raise OSError if the file cannot be created."""
        self._file = self._lock_file()
        if self._file is None:
            return False
        # On a full disk it locks all the same.
        with contextlib.suppress(OSError):
            os.ftruncate(self._file, 0)
            os.write(self._file, f"{os.getpid()}\n".encode())
        return True

    def _lock_file(self, flags: int = 0) -> int | None:
        """Return the file, open and locked; None if another one holds it."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | flags, PRIVATE)
        try:
            lock_byte(file)
        except OSError as exc:
            os.close(file)
            self.is_unsupported = exc.errno in _LOCKS_UNSUPPORTED_CODES
            return None
        return file

    def release(self) -> None:
        """Release the lock; do nothing if it is not held."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def wait_for_lock(self, timeout_s: float, poll_s: float = FILE_LOCK_POLL_S) -> None:
        """Take the lock, waiting for its owner unless the disk has no locks; raise OutputFileError if that takes longer than the limit."""
        ends = time.monotonic() + timeout_s
        while not self.acquire() and not self.is_unsupported:
            if time.monotonic() > ends:
                raise OutputFileError(
                    localize("別の Koebako が同じフォルダーを使っています。", "Another Koebako is using the same folder."),
                    localize("終わるのを待ってから、もう一度お試しください。", "Try again when it has finished."),
                )
            time.sleep(poll_s)

    @contextlib.contextmanager
    def hold_lock(self, timeout_s: float, poll_s: float = FILE_LOCK_POLL_S) -> Iterator[None]:
        """Hold the lock during the block, once `wait_for_lock` has taken it."""
        self.wait_for_lock(timeout_s, poll_s)
        try:
            yield
        finally:
            self.release()


class PassingLock(FileLock):
    """A lock in a folder of the user's, maybe with files of strangers: nothing is written into it, no link is followed, and it is gone once it is released."""

    def acquire(self) -> bool:
        """Take the lock as any other; one that its last holder has removed meanwhile is no lock, for others would lock a new file of its name."""
        self._file = self._lock_file(getattr(os, "O_NOFOLLOW", 0))
        if self._file is None:
            return False
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(self._file), self._path.lstat()):
                return True
        super().release()
        return False

    def release(self) -> None:
        """Remove and release the lock. Windows removes no open file: there one who waits for it may hold it by then, and removes it."""
        if self._file is None and not self.is_unsupported:
            return
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                super().release()
            self._path.unlink()
        super().release()


@contextlib.contextmanager
def lock_path_for_change(path: Path) -> Iterator[None]:
    """Keep other programs from changing our file during the block with a lock next to it (`settings.lock`); raise OutputFileError."""
    lock = FileLock(path.with_suffix(".lock"))
    try:
        make_private_folder(path.parent)
        lock.wait_for_lock(MAX_LOCK_WAIT_S)
    except OSError as exc:
        raise build_write_error(path, exc) from exc
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def lock_user_file(path: Path) -> Iterator[None]:
    """Keep our other programs from replacing a file of the user's during the block; raise OutputFileError where one takes too long.

    The lock is a hidden file next to the one that is written. If it cannot be made, neither can that one, which the write reports.
    """
    target = resolve_symlink(path)
    digest = hashlib.blake2b(os.fsencode(target.name), digest_size=4).hexdigest()
    lock = PassingLock(target.parent / f".{target.name[:24]}-{digest}.lock")
    with contextlib.suppress(OSError):
        lock.wait_for_lock(MAX_LOCK_WAIT_S)
    try:
        yield
    finally:
        lock.release()


def is_lock_held(path: Path) -> bool:
    """Return whether a program holds the lock of this file, which is taken for a moment; raise OSError if that cannot be found out."""
    lock = FileLock(path)
    try:
        return path.is_file() and not lock.acquire()
    finally:
        lock.release()


def lock_byte(file: int) -> None:
    """Lock a byte; raise OSError if another process holds it."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, _LOCKED_BYTE_OFFSET, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        os.lseek(file, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
