"""The name of this machine's processor, and the memory that this process has taken."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import psutil


def find_cpu_name() -> str:
    """Return the name of the CPU as the system reports it."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def measure_peak_mb() -> float:
    """Return the largest resident memory of this process so far; touched pages of mapped files count."""
    if sys.platform == "win32":
        return psutil.Process().memory_info().peak_wset / 2**20
    peak = _read_high_water_mark()
    if peak is None:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return peak / 2**20


def _read_high_water_mark() -> int | None:
    """Return bytes if Linux reports them. `getrusage` would report the parent's too, which a child inherits."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return None
    lines = (line.split() for line in status.splitlines() if line.startswith("VmHWM:"))
    return next((int(line[1]) * 1024 for line in lines), None)
