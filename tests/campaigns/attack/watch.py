"""Looks at processes from outside, on Linux: their memory, their children, and how long they were kept waiting for a core."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable
from mmap import PAGESIZE
from pathlib import Path


def tree(pid: int) -> list[int]:
    """A process and all that it started, as far as they still belong to it."""
    found, waiting = [], [pid]
    while waiting:
        current = waiting.pop()
        found.append(current)
        with contextlib.suppress(OSError, ValueError):
            for thread in Path(f"/proc/{current}/task").iterdir():
                waiting += [int(item) for item in (thread / "children").read_text().split()]
    return found


def memory_bytes(pids: Iterable[int]) -> int:
    """What processes hold of the machine's memory, shared pages counted for each."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGESIZE
    return total


def starved_s(pids: Iterable[int]) -> float:
    """How long the main thread of any of them was ready to run, while others had the cores; the longest counts."""
    longest = 0.0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            longest = max(longest, int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9)
    return longest


def belonging(root: Path) -> list[int]:
    """Processes that were started in this place, whatever their parent is now."""
    mark, found = os.fsencode(root), []
    for item in Path("/proc").iterdir():
        if item.name.isdigit() and int(item.name) != os.getpid():
            with contextlib.suppress(OSError):
                if mark in (item / "environ").read_bytes():
                    found.append(int(item.name))
    return found


def kill(pids: Iterable[int]) -> None:
    """Ends them at once."""
    if sys.platform != "linux":
        raise NotImplementedError("the attack is Linux's alone")
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def gone(pids: Iterable[int], patience_s: float) -> bool:
    """Whether all of them end by themselves."""
    ends, left = time.monotonic() + patience_s, list(pids)
    while left and time.monotonic() < ends:
        left = [pid for pid in left if _alive(pid)]
        time.sleep(0.02)
    return not left


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False
