"""A job object of Windows: its processes are held to its limits and end when its last handle is closed.

The structures are those of winnt.h; only the fields that are set are named as there.
"""

from __future__ import annotations

import ctypes
import sys

from app.adapters.sandbox.process_limits import ProcessLimits

EXTENDED_LIMIT_INFORMATION = 9  # JobObjectExtendedLimitInformation
PROCESS_TIME, PROCESS_MEMORY, DIE_ON_UNHANDLED_EXCEPTION, KILL_ON_JOB_CLOSE = 0x2, 0x100, 0x400, 0x2000
SET_QUOTA, TERMINATE = 0x100, 0x1
# Of 100 ns, in a second.
TICKS_PER_S = 10_000_000
# ERROR_NOT_ENOUGH_QUOTA: with this exit code Windows ends a process whose time is up.
JOB_TIME_LIMIT_CODE = 1816


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
    found = _JobExtendedLimits()
    found.BasicLimitInformation.LimitFlags = PROCESS_TIME | PROCESS_MEMORY | DIE_ON_UNHANDLED_EXCEPTION | KILL_ON_JOB_CLOSE
    found.BasicLimitInformation.PerProcessUserTimeLimit = limits.processor_s * TICKS_PER_S
    found.ProcessMemoryLimit = limits.enforced_memory_bytes
    return found


class WindowsJob:
    """A job with one process. Raises OSError where Windows refuses.

    Args:
        process: its id.
    """

    def __init__(self, process: int, limits: ProcessLimits) -> None:
        kernel = self._kernel = _open_kernel()
        for function in (kernel.CreateJobObjectW, kernel.OpenProcess):
            function.restype = ctypes.c_void_p
        self._handle = ctypes.c_void_p(_check_result(kernel.CreateJobObjectW(None, None)))
        asked = build_job_limits(limits)
        try:
            _check_result(
                kernel.SetInformationJobObject(self._handle, EXTENDED_LIMIT_INFORMATION, ctypes.byref(asked), ctypes.sizeof(asked))
            )
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
