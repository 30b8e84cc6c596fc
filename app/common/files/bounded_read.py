"""Opens and reads files that may be anything: a pipe or a device would make reading wait for ever, a large file take all memory."""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

from app.common.language import localize


def open_regular_file(path: Path) -> BufferedReader:
    """Open a regular file, or a link to one, for reading; raise OSError, whose `strerror` is in the user's language if it is ours."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags)
    except ValueError as exc:  # a null character, or letters that no name can have
        raise OSError(errno.EINVAL, localize("使用できないファイル名です", "not a valid file name"), str(path)) from exc
    if stat.S_ISREG(os.fstat(number).st_mode):
        return os.fdopen(number, "rb")
    os.close(number)
    raise NotRegularFileError(errno.EINVAL, localize("ファイルではありません", "not a file"), str(path))


def read_bounded(path: Path, max_bytes: int) -> bytes:
    """Return all bytes of a small regular file; raise OSError, or FileTooLargeError if it is larger than `max_bytes`."""
    with open_regular_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= max_bytes:
            # Room is made for all that is asked for: no more, therefore, than there is.
            content = file.read(size + 1)
            # It grows, or is in /proc, where files have no size.
            if size < len(content) <= max_bytes:
                content += file.read(max_bytes + 1 - len(content))
            if len(content) <= max_bytes:
                return content
    limit = f"{max_bytes >> 20} MB" if max_bytes >> 20 else f"{max_bytes >> 10} KB"
    raise FileTooLargeError(errno.EFBIG, localize(f"大きすぎます（{limit} まで）", f"too large (up to {limit})"), str(path))


class NotRegularFileError(OSError):
    """A folder, a pipe or a device."""


class FileTooLargeError(OSError):
    """A file of more bytes than it may have."""
