"""Beats in the window's thread, and tells how late each beat was and why.

A late beat is our own doing where the thread was busy, or waited for a lock, the disk or Python; it is the machine's where the thread
was ready and others had the cores, or where it waited for another thread of ours that was ready and had none, or where the host of a
virtual machine took the cores away. Linux tells these apart; elsewhere all of a delay counts as our own.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS = 2
LINUX = sys.platform == "linux"


@dataclass(frozen=True, slots=True)
class Beat:
    """From one beat to the next, in milliseconds.

    Attributes:
        gap_ms: by the clock.
        busy_ms: in which the thread computed.
        crowded_ms: in which it was ready, and no core was free for it.
        held_up_ms: the same of that other thread for which it was longest: the holder of Python's lock may be waiting for a core.
        stolen_ms: in which a host had taken a core away.
    """

    gap_ms: float
    busy_ms: float
    crowded_ms: float
    held_up_ms: float
    stolen_ms: float

    @property
    def own_ms(self) -> float:
        """What the thread did, or waited for as it would on a machine with enough cores."""
        return max(self.busy_ms, self.gap_ms - self.crowded_ms - self.held_up_ms - self.stolen_ms)


class Heart(QObject):
    """Beats as long as it is entered.

    Attributes:
        beats: so far.
    """

    def __init__(self) -> None:
        super().__init__()
        self.beats: list[Beat] = []
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._beat)
        self._clocks = _Clocks()
        self._others, self._host = _Others(), _Host()
        self._last = self._clocks.read_s()

    @property
    def gaps_ms(self) -> list[float]:
        """How long each beat took by the clock."""
        return [beat.gap_ms for beat in self.beats]

    @Slot()
    def _beat(self) -> None:
        now = self._clocks.read_s()
        own = (later - earlier for later, earlier in zip(now, self._last, strict=True))
        self.beats.append(Beat(*(1000 * seconds for seconds in (*own, self._others.longest_s(), self._host.stolen_s()))))
        self._last = now

    def __enter__(self) -> Heart:
        self._others.longest_s()
        self._host.stolen_s()
        self._last = self._clocks.read_s()
        self._timer.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._timer.stop()
        self._beat()
        self._clocks.close()
        self._others.close()
        self._host.close()


def slowdown(beats: list[Beat]) -> float:
    """How many times as long as it computed the thread took for it; the thread it waited for was slowed down alike. 1 on a quiet machine."""
    busy_ms = sum(beat.busy_ms for beat in beats)
    return 1 + sum(beat.crowded_ms for beat in beats) / max(busy_ms, 1.0)


class _Clocks:
    """Reads three clocks of the thread it was made in, in seconds: the wall's, the time it computed, the time it was ready without a core."""

    def __init__(self) -> None:
        self._crowded = _Crowded("thread-self") if LINUX else None

    def read_s(self) -> tuple[float, float, float]:
        return time.perf_counter(), time.thread_time(), self._crowded.read_s() if self._crowded else 0.0

    def close(self) -> None:
        if self._crowded:
            self._crowded.close()


class _Others:
    """Looks after all other threads of the process."""

    def __init__(self) -> None:
        self._own = str(threading.get_native_id())
        self._clocks: dict[str, _Crowded] = {}
        self._last_s: dict[str, float] = {}

    def longest_s(self) -> float:
        """How long that thread was ready without a core for which it was longest, since the last call."""
        if not LINUX:
            return 0.0
        there = {entry.name for entry in os.scandir("/proc/self/task")} - {self._own}
        for thread in set(self._clocks) - there:
            self._clocks.pop(thread).close()
            self._last_s.pop(thread, None)
        waited_s = [0.0]
        for thread in there:
            try:
                clock = self._clocks.get(thread) or self._clocks.setdefault(thread, _Crowded(f"self/task/{thread}"))
                now_s = clock.read_s()
            except (OSError, IndexError):  # it has just ended
                continue
            waited_s.append(now_s - self._last_s.get(thread, 0.0))
            self._last_s[thread] = now_s
        return max(waited_s)

    def close(self) -> None:
        for clock in self._clocks.values():
            clock.close()
        self._clocks.clear()


class _Host:
    """Looks after the cores: how long a host had taken one away, at worst, since the last call."""

    def __init__(self) -> None:
        self._file = _Watched("stat") if LINUX else None
        self._last_s: list[float] = []

    def stolen_s(self) -> float:
        if sys.platform != "linux" or self._file is None:
            return 0.0
        cores = [line.split() for line in self._file.read().split(b"\n") if line.startswith(b"cpu") and line[3:4].isdigit()]
        now_s = [int(fields[8]) / os.sysconf("SC_CLK_TCK") for fields in cores if len(fields) > 8]
        longest_s = max((later - earlier for later, earlier in zip(now_s, self._last_s, strict=False)), default=0.0)
        self._last_s = now_s
        return longest_s

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class _Crowded:
    """How long a thread was ready while no core was free for it, in seconds."""

    def __init__(self, thread: str) -> None:
        self._file = _Watched(f"{thread}/schedstat")

    def read_s(self) -> float:
        return int(self._file.read().split()[1]) / 1e9

    def close(self) -> None:
        self._file.close()


class _Watched:
    """A file of the system that is read again and again, with Python's lock kept: giving it up would itself make beats late."""

    def __init__(self, name: str) -> None:
        self._file = os.open(f"/proc/{name}", os.O_RDONLY)
        self._pread = ctypes.PyDLL(None).pread
        self._text = ctypes.create_string_buffer(4096)

    def read(self) -> bytes:
        size = self._pread(self._file, self._text, 4095, ctypes.c_long(0))
        return self._text.raw[: max(0, size)]

    def close(self) -> None:
        os.close(self._file)
