"""Opens and reads files that may be anything: a pipe or a device would make reading wait for ever, a large file take all memory."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

from app.language import localized


def open_regular(path: Path) -> BufferedReader:
    """A regular file, or a link to one, opened for reading. Raises OSError, whose `strerror` is in the user's language where it is ours."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags)
    except ValueError as exc:  # a null character, or letters that no name can have
        raise OSError(errno.EINVAL, localized("使用できないファイル名です", "not a valid file name"), str(path)) from exc
    if stat.S_ISREG(os.fstat(number).st_mode):
        return os.fdopen(number, "rb")
    os.close(number)
    raise NotRegularError(errno.EINVAL, localized("ファイルではありません", "not a file"), str(path))


def read_small(path: Path, largest_bytes: int) -> bytes:
    """The whole of a small regular file. Raises OSError, a TooLargeError where it is larger than it may be."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= largest_bytes:
            content = file.read(size + 1)  # room is made for all that is asked for: no more, therefore, than there is
            if size < len(content) <= largest_bytes:  # it grows, or lies in /proc, where files have no size
                content += file.read(largest_bytes + 1 - len(content))
            if len(content) <= largest_bytes:
                return content
    most = f"{largest_bytes >> 20} MB" if largest_bytes >> 20 else f"{largest_bytes >> 10} KB"
    raise TooLargeError(errno.EFBIG, localized(f"大きすぎます（{most} まで）", f"too large (up to {most})"), str(path))


class NotRegularError(OSError):
    """A folder, a pipe or a device."""


class TooLargeError(OSError):
    """A file of more bytes than it may have."""
