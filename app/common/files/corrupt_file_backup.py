"""Backs up one of our files that cannot be read: it is kept under another name, the user sees that, and the program runs without it."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from app.common.errors import InputError
from app.common.files.bounded_read import read_bounded
from app.common.language import localize

UNREADABLE_SUFFIX = ".unreadable"
MAX_BACKUPS = 5  # of one file; the last one is overwritten, so that whatever damages a file every day cannot fill the disk
_backup_lock = threading.Lock()  # two threads that read one file would keep two copies, and the user would read two messages


class CorruptFileError(InputError):
    """One of our files cannot be read; `backup` is where it is now, None where it could neither be copied nor renamed."""

    def __init__(self, message: str, backup: Path | None) -> None:
        hint = localize(f"元のファイルのコピーを {backup} に残しました。", f"A copy of the original was kept as {backup}.")
        super().__init__(message, "" if backup is None else hint)
        self.backup = backup


def back_up_corrupt_file(path: Path, failure_message: str, reason: str, max_bytes: int) -> CorruptFileError:
    """Keep a copy of a file that cannot be used, for the next save would overwrite it; return the error to show."""
    with _backup_lock:
        backup = _keep_copy(path, max_bytes)
    return CorruptFileError(localize(f"{failure_message}（{reason}）", f"{failure_message} ({reason})"), backup)


def _keep_copy(path: Path, max_bytes: int) -> Path | None:
    with contextlib.suppress(OSError):
        return _ensure_copy(path, read_bounded(path, max_bytes))
    # A folder, a device, a file that is too large or that nobody may read: a name is all that can be changed of it.
    with contextlib.suppress(OSError):
        return path.rename(_find_free_path(path))
    return None


def _ensure_copy(path: Path, content: bytes) -> Path:
    """Return the copy with this content, made if there is none; raise OSError if that fails."""
    for copy in _iterate_backup_paths(path):
        with contextlib.suppress(OSError):
            if read_bounded(copy, len(content)) == content:
                return copy
    copy = _find_free_path(path)
    copy.touch(0o600)
    try:
        copy.write_bytes(content)
    except OSError:  # a full disk: half a copy would only be in the way
        copy.unlink()
        raise
    return copy


def _iterate_backup_paths(path: Path) -> Iterator[Path]:
    yield path.with_name(path.name + UNREADABLE_SUFFIX)
    yield from (path.with_name(f"{path.name}{UNREADABLE_SUFFIX}.{number}") for number in range(2, MAX_BACKUPS + 1))


def _find_free_path(path: Path) -> Path:
    *names, last = _iterate_backup_paths(path)
    return next((name for name in names if not name.exists() and not name.is_symlink()), last)
