"""Limits that the system itself holds a process to: how much memory and processor time it may take.

On Unix the process sets them for itself, before it touches what it is protected from (`confine_this_process`). On Windows the
process that started it puts it into a job object (`app.adapters.confined.windows_job`).
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from dataclasses import asdict, dataclass

PR_SET_PDEATHSIG = 1
MEMORY_OF_A_CORE = 64 << 20  # reserved and hardly used
SIGNALLED_S = 5  # between the signal that the time is up, and the end
PATIENCE = 10
LARGEST_FILE_BYTES = 8 << 30  # more than any file that is made of a model


@dataclass(frozen=True, slots=True)
class Limits:
    """What a process may take.

    Attributes:
        memory_bytes: of its own, files that it maps not counted.
        processor_s: time of all its threads together, so that other programs make no difference.
    """

    memory_bytes: int
    processor_s: int

    @property
    def elapsed_s(self) -> int:
        """When it counts as standing still, by the clock: a process that waits takes no processor time."""
        return PATIENCE * self.processor_s

    @property
    def held_bytes(self) -> int:
        """What the system holds it to: stacks and buffers of threads, of which libraries make one a core, come on top."""
        return self.memory_bytes + MEMORY_OF_A_CORE * (os.cpu_count() or 1)

    def values(self) -> dict[str, int]:
        """As JSON has them."""
        return asdict(self)


def confine_this_process(limits: Limits, parent: int) -> None:
    """From here on this process keeps to the limits, and ends with its parent. Windows: see `windows_job`.

    Args:
        parent: id of the process that waits for this one.
    """
    if sys.platform == "win32":
        return
    import resource

    _lower(resource.RLIMIT_DATA, limits.held_bytes)
    _lower(resource.RLIMIT_CPU, limits.processor_s, SIGNALLED_S)
    _lower(resource.RLIMIT_FSIZE, LARGEST_FILE_BYTES)
    _lower(resource.RLIMIT_CORE, 0)  # a crash must not write gigabytes
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before that
            os._exit(1)


def _lower(kind: int, most: int, further: int = 0) -> None:
    """What is limited further already stays so. Of processor time the first limit sends a signal, the second ends the process."""
    import resource

    soft, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (_lowest(soft, most), _lowest(hard, most + further)))


def _lowest(held: int, asked: int) -> int:
    return asked if held < 0 else min(held, asked)  # below zero there is no limit
