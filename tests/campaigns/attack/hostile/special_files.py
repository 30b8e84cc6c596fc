"""Files that are none: what lies in the place of a file when somebody means harm, or a disk is broken."""

import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

SPARSE_BYTES = 1 << 40


def _pipe(path: Path) -> None:
    if sys.platform == "win32":
        raise NotImplementedError("files of Unix")
    os.mkfifo(path)


def _socket(path: Path) -> None:
    if sys.platform == "win32":
        raise NotImplementedError("files of Unix")
    with socket.socket(socket.AF_UNIX) as server, suppress(OSError):  # a path may be too long for one
        server.bind(str(path))


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b'{"a": [')
        file.truncate(SPARSE_BYTES)


SPECIAL: dict[str, Callable[[Path], object]] = {
    "pipe": _pipe,
    "folder": lambda path: path.mkdir(),
    "full folder": lambda path: (path / "x").mkdir(parents=True),
    "socket": _socket,
    "sparse": _sparse,
    "link to itself": lambda path: path.symlink_to(path.name),
    "link to nothing": lambda path: path.symlink_to("missing"),
    "link to zeros": lambda path: path.symlink_to("/dev/zero"),
    "link to random": lambda path: path.symlink_to("/dev/urandom"),
    "link to stdin": lambda path: path.symlink_to("/dev/stdin"),
    "link to a terminal": lambda path: path.symlink_to("/dev/tty"),
    "link to full": lambda path: path.symlink_to("/dev/full"),
    "link to memory": lambda path: path.symlink_to("/proc/self/mem"),
    "link to its folder": lambda path: path.symlink_to("."),
    "link to a number": lambda path: path.symlink_to("/proc/self/fd/0"),
}


def put_special(path: Path, kind: str) -> None:
    """Puts it in the place of whatever is there."""
    path.unlink(missing_ok=True)
    SPECIAL[kind](path)


def remove(path: Path) -> None:
    """Takes it away again, whatever it is."""
    if path.is_dir() and not path.is_symlink():
        with suppress(OSError):
            (path / "x").rmdir()
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
