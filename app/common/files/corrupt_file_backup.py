"""Backs up a file of ours that cannot be read: it is kept under another name, the user sees that, and the program continues without it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from app.common.errors import InputError
from app.common.files.bounded_read import read_bounded
from app.common.language import localize

UNREADABLE_SUFFIX = ".unreadable"
# Of one file; the last one gives way, so that whatever damages a file every day cannot fill the disk.
MAX_BACKUPS = 5
# Two threads that read one file would keep two copies, and the user would read two messages.
_backup_lock = threading.Lock()


class CorruptFileError(InputError):
    """A file of ours cannot be read.

    Attributes:
        backup: where it is now; None where it could neither be copied nor renamed.
    """

    def __init__(self, message: str, kept: Path | None) -> None:
        super().__init__(
            message,
            ""
            if kept is None
            else localize(f"元のファイルのコピーを {kept} に残しました。", f"A copy of the original was kept as {kept}."),
        )
        self.backup = kept


def back_up_corrupt_file(path: Path, failure_message: str, reason: str, max_bytes: int) -> CorruptFileError:
    """Keep a copy of a file that cannot be used, for the next save would overwrite it; return the error to show.

    Args:
        failure_message: one sentence.
        reason: a few words in the language of the user.
    """
    with _backup_lock:
        kept = _keep_copy(path, max_bytes)
    return CorruptFileError(localize(f"{failure_message}（{reason}）", f"{failure_message} ({reason})"), kept)


def _keep_copy(path: Path, max_bytes: int) -> Path | None:
    try:
        return _ensure_copy(path, read_bounded(path, max_bytes))
    except OSError:
        # A folder, a device, a file that is too large or that nobody may read: a name is all that can be changed of it.
        pass
    try:
        return path.rename(_find_free_path(path))
    except OSError:
        return None


def _ensure_copy(path: Path, content: bytes) -> Path:
    """Return the copy with this content, made if there is none; raise OSError if that fails."""
    copy = next((name for name in _iterate_backup_paths(path) if _has_content(name, content)), None)
    if copy is None:
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


def _has_content(copy: Path, content: bytes) -> bool:
    try:
        return read_bounded(copy, len(content)) == content
    except OSError:
        return False
