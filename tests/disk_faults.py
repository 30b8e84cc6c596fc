"""A disk that is full, that fails once, or whose program is killed, at the n-th thing that is asked of it: tried for every n."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

Fault = Literal["full", "once", "killed"]
NEEDS_ROOM = ("open", "write", "mkdir", "touch", "fsync", "link")
KILLED = 9
_DEAR = 10_000  # more than anybody asks of a disk here: nothing is wrong


class FaultyDisk:
    """Counts what is asked of the disk, and goes wrong from the n-th on.

    Attributes:
        asked: how often something was asked.
        fault: `full` refuses from there on all that needs room, and only that; `once` refuses the n-th, renames included; `killed` ends
            the process before the n-th.
    """

    def __init__(self, fault: Fault, at: int = _DEAR) -> None:
        self.asked = 0
        self.fault, self._at = fault, at

    def ask(self, what: str) -> None:
        """Raises OSError, or ends the process, where it is time for that."""
        self.asked += 1
        if self.fault == "killed" and self.asked == self._at:
            os._exit(KILLED)
        full = self.fault == "full" and self.asked >= self._at and what in NEEDS_ROOM
        if full or (self.fault == "once" and self.asked == self._at):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    @contextmanager
    def inserted(self) -> Iterator[FaultyDisk]:
        """While this lasts, files are opened, written, renamed and removed through it."""
        real_open, unlink = Path.open, Path.unlink

        def opened(path: Path, mode: str = "r", *given: Any, **options: Any) -> Any:
            if set(mode) <= set("rb"):
                return real_open(path, mode, *given, **options)
            if "+" not in mode or "x" in mode:
                self.ask("open")
            return _File(real_open(path, mode, *given, **options), self)

        def asking(what: str, method: Callable[..., Any]) -> Callable[..., Any]:
            def asked(*given: Any, **options: Any) -> Any:
                self.ask(what)
                return method(*given, **options)

            return asked

        changed: dict[str, Any] = {
            "open": opened,
            "replace": asking("rename", Path.replace),
            "rename": asking("rename", Path.rename),
            "hardlink_to": asking("link", Path.hardlink_to),
            "mkdir": asking("mkdir", Path.mkdir),
            "touch": asking("touch", Path.touch),
            "unlink": asking("unlink", unlink) if self.fault == "killed" else unlink,
        }
        with patch.multiple(Path, **changed), patch.object(os, "fsync", asking("fsync", lambda _file: None)):
            yield self


class _File:
    """An open file that asks before it is written."""

    def __init__(self, file: Any, disk: FaultyDisk) -> None:
        self._file, self._disk = file, disk

    def write(self, data: Any) -> Any:
        self._disk.ask("write")
        return self._file.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()


def tried_at_every_place(fault: Fault, prepare: Callable[[], object], work: Callable[[], object], look: Callable[[str], object]) -> int:
    """Does some work with the fault at the first place, the second and so on, until it is done before it meets the fault.

    Args:
        prepare: before each try.
        work: raises what it likes.
        look: at what is left; is given where the fault was.

    Returns:
        At how many places the disk was asked.
    """
    for at in range(1, _DEAR):
        prepare()
        met = tried(FaultyDisk(fault, at), work)
        look(f"{fault} at {at}")
        if not met:
            return at - 1
    raise AssertionError("it never ends")


def tried(disk: FaultyDisk, work: Callable[[], object]) -> bool:
    """Does some work, whatever comes of it; whether it met the fault."""
    return _killed(disk, work) if disk.fault == "killed" else _failed(disk, work)


def _failed(disk: FaultyDisk, work: Callable[[], object]) -> bool:
    with disk.inserted():
        try:
            work()
        except Exception:
            return True
    return disk.asked >= disk._at  # it may have been about something that it can do without


def _killed(disk: FaultyDisk, work: Callable[[], object]) -> bool:
    """In a child, which dies as of SIGKILL: nothing of its own runs any more."""
    if sys.platform == "win32":
        raise NotImplementedError("only Unix forks")
    child = os.fork()
    if not child:
        code = 1
        try:
            with disk.inserted():
                work()
            code = 0
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, KILLED), "the work itself went wrong"
    return code == KILLED
