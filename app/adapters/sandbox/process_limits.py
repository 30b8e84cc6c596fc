"""Limits that the system itself holds a process to: how much memory and processor time it may take.

On Unix the process sets them for itself, before it touches what it is protected from (`limit_this_process`). On Windows the
process that started it puts it into a job object (`app.adapters.sandbox.windows_job`).
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from dataclasses import asdict, dataclass

PR_SET_PDEATHSIG = 1
THREAD_MEMORY_PER_CORE_BYTES = 64 << 20  # reserved and hardly used
# Between the signal that the time is up, and the end.
SIGNAL_GRACE_S = 5
ELAPSED_PER_PROCESSOR_TIME = 10
# More than any file that is made of a model.
MAX_SANDBOX_FILE_BYTES = 8 << 30


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """The memory and time that a process may take.

    Attributes:
        memory_bytes: of its own, files that it maps not counted.
        processor_s: time of all its threads together, so that other programs make no difference.
    """

    memory_bytes: int
    processor_s: int

    @property
    def max_elapsed_s(self) -> int:
        """Return the seconds after which the process counts as hanging, by the clock: a waiting process takes no processor time."""
        return ELAPSED_PER_PROCESSOR_TIME * self.processor_s

    @property
    def enforced_memory_bytes(self) -> int:
        """Return what the system holds it to: stacks and buffers of threads, of which libraries make one a core, come on top."""
        return self.memory_bytes + THREAD_MEMORY_PER_CORE_BYTES * (os.cpu_count() or 1)

    def convert_to_dict(self) -> dict[str, int]:
        """Return the limits as JSON."""
        return asdict(self)


def limit_this_process(limits: ProcessLimits, parent: int) -> None:
    """From here on this process keeps to the limits, and ends with its parent. Windows: see `windows_job`.

    Args:
        parent: id of the process that waits for this one.
    """
    if sys.platform == "win32":
        return
    import resource

    _lower_limit(resource.RLIMIT_DATA, limits.enforced_memory_bytes)
    _lower_limit(resource.RLIMIT_CPU, limits.processor_s, SIGNAL_GRACE_S)
    _lower_limit(resource.RLIMIT_FSIZE, MAX_SANDBOX_FILE_BYTES)
    # A crash must not write gigabytes.
    _lower_limit(resource.RLIMIT_CORE, 0)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before that
            os._exit(1)


def _lower_limit(kind: int, maximum: int, hard_margin: int = 0) -> None:
    """Keep stricter limits that are already set. Of processor time the first limit sends a signal, the second ends the process."""
    if sys.platform == "win32":
        raise OSError("Windows limits a process by a job object")
    import resource

    soft, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (_choose_lower_limit(soft, maximum), _choose_lower_limit(hard, maximum + hard_margin)))


def _choose_lower_limit(current: int, requested: int) -> int:
    # Below zero there is no limit.
    return requested if current < 0 else min(current, requested)
