"""Limits that the system itself holds a process to: how much memory and processor time it may take.

On Unix the process sets them for itself, before it touches what it is protected from (`limit_this_process`). On Windows the
process that started it puts it into a job object, which holds it to the limits and ends it when its last handle is closed. Its structures
are those of winnt.h; only the fields that are set are named as there.
"""

import ctypes
import os
import signal
import sys
from dataclasses import dataclass

PR_SET_PDEATHSIG = 1
THREAD_MEMORY_PER_CORE_BYTES = 64 << 20  # reserved and hardly used
SIGNAL_GRACE_S = 5  # between the signal that the time is up, and the end
ELAPSED_PER_PROCESSOR_TIME = 10
MAX_SANDBOX_FILE_BYTES = 8 << 30  # more than any file that is made of a model

EXTENDED_LIMIT_INFORMATION = 9  # JobObjectExtendedLimitInformation
PROCESS_TIME, PROCESS_MEMORY, DIE_ON_UNHANDLED_EXCEPTION, KILL_ON_JOB_CLOSE = 0x2, 0x100, 0x400, 0x2000
SET_QUOTA, TERMINATE = 0x100, 0x1
TICKS_PER_S = 10_000_000  # of 100 ns, in a second
JOB_TIME_LIMIT_CODE = 1816  # ERROR_NOT_ENOUGH_QUOTA: with this exit code Windows ends a process whose time is up


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """The memory of its own that a process may take, without files that it maps, and the processor time of all its threads together."""

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


def limit_this_process(limits: ProcessLimits, parent: int) -> None:
    """From here on this process keeps to the limits, and ends with its parent, which has this id. Windows: see `WindowsJob`."""
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


class _JobBasicLimits(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _JobExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("BasicLimitInformation", _JobBasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


def build_job_limits(limits: ProcessLimits) -> _JobExtendedLimits:
    """Return the limits in the system's structure."""
    job_limits = _JobExtendedLimits()
    job_limits.BasicLimitInformation.LimitFlags = PROCESS_TIME | PROCESS_MEMORY | DIE_ON_UNHANDLED_EXCEPTION | KILL_ON_JOB_CLOSE
    job_limits.BasicLimitInformation.PerProcessUserTimeLimit = limits.processor_s * TICKS_PER_S
    job_limits.ProcessMemoryLimit = limits.enforced_memory_bytes
    return job_limits


class WindowsJob:
    """A job with the process of this id. Raises OSError where Windows refuses."""

    def __init__(self, process: int, limits: ProcessLimits) -> None:
        kernel = self._kernel = _open_kernel()
        for function in (kernel.CreateJobObjectW, kernel.OpenProcess):
            function.restype = ctypes.c_void_p
        self._handle = ctypes.c_void_p(_check_result(kernel.CreateJobObjectW(None, None)))
        job_limits = build_job_limits(limits)
        try:
            content, size = ctypes.byref(job_limits), ctypes.sizeof(job_limits)
            _check_result(kernel.SetInformationJobObject(self._handle, EXTENDED_LIMIT_INFORMATION, content, size))
            child = ctypes.c_void_p(_check_result(kernel.OpenProcess(SET_QUOTA | TERMINATE, False, process)))
            try:
                _check_result(kernel.AssignProcessToJobObject(self._handle, child))
            finally:
                kernel.CloseHandle(child)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Terminate the processes still running in the job."""
        self._kernel.CloseHandle(self._handle)


def _open_kernel() -> ctypes.CDLL:
    if sys.platform == "win32":
        return ctypes.WinDLL("kernel32", use_last_error=True)
    raise OSError("only Windows has job objects")


def _check_result(result: int) -> int:
    if sys.platform == "win32" and not result:
        raise ctypes.WinError(ctypes.get_last_error())
    return result
