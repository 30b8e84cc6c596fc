"""How a file of ours that cannot be read is treated: it is kept under another name, the user sees that, and the program continues without it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from app.errors import InputError
from app.language import localized
from app.small_file import read_small

SUFFIX = ".unreadable"
MOST_KEPT = 5  # of one file; the last one gives way, so that whatever damages a file every day cannot fill the disk
_one_at_a_time = threading.Lock()  # two threads that read one file would keep two copies, and the user would read two messages


class UnreadableError(InputError):
    """A file of ours cannot be read.

    Attributes:
        kept: where it is now; None where it could neither be copied nor renamed.
    """

    def __init__(self, message: str, kept: Path | None) -> None:
        super().__init__(
            message,
            ""
            if kept is None
            else localized(f"元のファイルのコピーを {kept} に残しました。", f"A copy of the original was kept as {kept}."),
        )
        self.kept = kept


def set_aside(path: Path, failed: str, reason: str, largest_bytes: int) -> UnreadableError:
    """Keeps a file that cannot be used, for the next save would overwrite it; returns the error to show.

    Args:
        failed: one sentence.
        reason: a few words in the language of the user.
    """
    with _one_at_a_time:
        kept = _kept(path, largest_bytes)
    return UnreadableError(localized(f"{failed}（{reason}）", f"{failed} ({reason})"), kept)


def _kept(path: Path, largest_bytes: int) -> Path | None:
    try:
        return _copied(path, read_small(path, largest_bytes))
    except OSError:
        pass  # a folder, a device, a file that is too large or that nobody may read: a name is all that can be changed of it
    try:
        return path.rename(_free(path))
    except OSError:
        return None


def _copied(path: Path, content: bytes) -> Path:
    """The copy with this content, which is made unless there is one. Raises OSError."""
    copy = next((name for name in _names(path) if _holds(name, content)), None)
    if copy is None:
        copy = _free(path)
        copy.touch(0o600)
        try:
            copy.write_bytes(content)
        except OSError:  # a full disk: half a copy would only be in the way
            copy.unlink()
            raise
    return copy


def _names(path: Path) -> Iterator[Path]:
    yield path.with_name(path.name + SUFFIX)
    yield from (path.with_name(f"{path.name}{SUFFIX}.{number}") for number in range(2, MOST_KEPT + 1))


def _free(path: Path) -> Path:
    *names, last = _names(path)
    return next((name for name in names if not name.exists() and not name.is_symlink()), last)


def _holds(copy: Path, content: bytes) -> bool:
    try:
        return read_small(copy, len(content)) == content
    except OSError:
        return False
