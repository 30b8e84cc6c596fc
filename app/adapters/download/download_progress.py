"""The progress of a download: bytes, speed and remaining time."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

SPEED_SMOOTHING_S = 3.0
REPORT_INTERVAL_S = 0.1
MIN_BYTES_PER_S = 1.0  # what is slower counts as stalled: years left are no information


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """A moment of a download."""

    received: int  # bytes on the disk, those of earlier runs included
    total: int | None  # bytes in all; None where the server does not say
    bytes_per_s: float  # smoothed over a few seconds; 0 at first
    seconds_left: float | None  # None where it cannot be said

    @property
    def fraction(self) -> float:
        """Return the fraction, 0..1; 0 while the total is unknown."""
        return min(self.received / self.total, 1.0) if self.total else 0.0


OnProgress = Callable[[DownloadProgress], None]


def format_speed(bytes_per_s: float) -> str:
    """Return a speed for people: 5.5 MB/s, 12 kB/s."""
    return f"{bytes_per_s / 1e6:.1f} MB/s" if bytes_per_s >= 1e5 else f"{bytes_per_s / 1e3:.0f} kB/s"


def ignore_progress(_progress: DownloadProgress) -> None:
    """Do nothing, as the callback of callers that do not show progress."""


class DownloadProgressMeter:
    """Turns byte counts into `DownloadProgress`, at most ten times a second."""

    def __init__(self, on_progress: OnProgress, clock: Callable[[], float] = time.monotonic) -> None:
        self._on_progress = on_progress
        self._clock = clock
        self._told_at: float | None = None
        self._measured_at = 0.0
        self._byte_count = 0
        self._bytes_per_s: float | None = None

    def start_connection(self, received: int, total: int | None) -> None:
        """Begin a connection with bytes from before, which say nothing about its speed."""
        self._measured_at, self._byte_count = self._clock(), received
        self._report_progress(received, total)

    def update_received(self, received: int, total: int | None) -> None:
        """Update the number of received bytes, also when none have arrived for a moment."""
        now_s = self._clock()
        if self._told_at is not None and now_s - self._told_at < REPORT_INTERVAL_S:
            return
        self._measure_speed(now_s, received)
        self._report_progress(received, total)

    def finish_file(self, received: int) -> None:
        """Report the complete file."""
        self._report_progress(received, received)

    def _measure_speed(self, now_s: float, received: int) -> None:
        elapsed_s = now_s - self._measured_at
        if elapsed_s <= 0:
            return
        speed = (received - self._byte_count) / elapsed_s
        weight = 1 - math.exp(-elapsed_s / SPEED_SMOOTHING_S)
        self._bytes_per_s = speed if self._bytes_per_s is None else self._bytes_per_s + weight * (speed - self._bytes_per_s)
        self._measured_at, self._byte_count = now_s, received

    def _report_progress(self, received: int, total: int | None) -> None:
        self._told_at = self._clock()
        speed = max(self._bytes_per_s or 0.0, 0.0)
        left_s = max(total - received, 0) / speed if total is not None and speed >= MIN_BYTES_PER_S else None
        self._on_progress(DownloadProgress(received, total, speed, left_s))
