"""Beats in the window's thread, and tells how late each beat was and why.

A late beat is our own doing where the thread was busy, or waited for a lock, the disk or Python; it is the machine's where the thread
was ready and others had the cores. Linux tells the two apart; elsewhere all of a delay counts as our own.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS = 2


@dataclass(frozen=True, slots=True)
class Beat:
    """From one beat to the next, in milliseconds.

    Attributes:
        gap_ms: by the clock.
        busy_ms: in which the thread computed.
        crowded_ms: in which it was ready, and no core was free for it.
    """

    gap_ms: float
    busy_ms: float
    crowded_ms: float

    @property
    def own_ms(self) -> float:
        """What the thread did or waited for."""
        return self.gap_ms - self.crowded_ms


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
        self._last = self._clocks.read_s()

    @property
    def gaps_ms(self) -> list[float]:
        """How long each beat took by the clock."""
        return [beat.gap_ms for beat in self.beats]

    @Slot()
    def _beat(self) -> None:
        now = self._clocks.read_s()
        self.beats.append(Beat(*((later - earlier) * 1000 for later, earlier in zip(now, self._last, strict=True))))
        self._last = now

    def __enter__(self) -> Heart:
        self._last = self._clocks.read_s()
        self._timer.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._timer.stop()
        self._beat()
        self._clocks.close()


def describe(name: str, beats: list[Beat]) -> str:
    """One line of figures."""
    figures = [
        f"{kind} p99 {np.percentile(values, 99):.1f} longest {max(values):.1f} ms"
        for kind, values in (
            ("clock", [beat.gap_ms for beat in beats]),
            ("own", [beat.own_ms for beat in beats]),
            ("busy", [beat.busy_ms for beat in beats]),
        )
    ]
    return f"\nheartbeat, {name}: {len(beats)} beats; {'; '.join(figures)}"


class _Clocks:
    """Reads three clocks of the thread it was made in, in seconds: the wall's, the time it computed, the time it was ready without a core."""

    def __init__(self) -> None:
        self._file = os.open("/proc/thread-self/schedstat", os.O_RDONLY) if sys.platform == "linux" else 0
        self._libc = ctypes.PyDLL(None) if self._file else None  # keeps Python's lock: giving it up would itself make beats late
        self._text = ctypes.create_string_buffer(64)

    def read_s(self) -> tuple[float, float, float]:
        crowded_s = 0.0
        if self._libc is not None:
            self._libc.pread(self._file, self._text, 63, ctypes.c_long(0))
            crowded_s = int(self._text.value.split()[1]) / 1e9
        return time.perf_counter(), time.thread_time(), crowded_s

    def close(self) -> None:
        if self._file:
            os.close(self._file)
            self._file, self._libc = 0, None
