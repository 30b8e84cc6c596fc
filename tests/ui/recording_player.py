"""A player that nobody hears: keeps what it is given, and plays it in time like a device would."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np

from app.adapters.play_position import PlayPosition
from app.core.types import AudioChunk, Float32


class RecordingPlayer:
    """Stands for the audio device, in the same places and with the same rules as the real player.

    Args:
        pace: seconds of sound played per second; infinite by default.
        queue_s: sound that may wait, as the device would play it; `write` waits above it.
    """

    def __init__(self, pace: float = float("inf"), queue_s: float = 30.0) -> None:
        self.requests: dict[str, list[AudioChunk]] = {}
        self.aborts = 0
        self.closed = False
        self.silenced_at = 0.0
        self._pace, self._queue_s = pace, queue_s
        self._began = 0.0
        self._current: str | None = None
        self._ended = False
        self._lock = threading.Lock()

    def write(self, chunk: AudioChunk) -> None:
        aborts = self.aborts
        with self._lock:
            if self._current != chunk.request_id:
                self._current, self._began, self._ended = chunk.request_id, time.perf_counter(), False
            self.requests.setdefault(chunk.request_id, []).append(chunk)
        while aborts == self.aborts and self._made_s() - self._played_s() > self._queue_s:
            time.sleep(0.002)
        with self._lock:
            self._ended = self._ended or chunk.last

    def drain(self, timeout_s: float | None = None, cancelled: Callable[[], bool] = lambda: False) -> bool:
        aborts, deadline = self.aborts, None if timeout_s is None else time.monotonic() + timeout_s
        while aborts == self.aborts and not cancelled():
            if self._played_s() >= self._made_s():
                return True
            if deadline is not None and time.monotonic() > deadline:
                return False
            time.sleep(0.002)
        return False

    def abort(self) -> None:
        with self._lock:
            self.aborts += 1
            self._current = None
            self.silenced_at = time.perf_counter()

    def close(self) -> None:
        self.closed = True

    @property
    def position(self) -> PlayPosition | None:
        with self._lock:
            current, ended = self._current, self._ended
        if current is None:
            return None
        made, played = self._made_s(), self._played_s()
        rate = self.requests[current][0].sampling_rate
        return PlayPosition(current, round(min(made, played) * rate), rate, ended and played >= made)

    def sound(self, request_id: str) -> Float32:
        """Everything a request sounded like, silences left out."""
        return np.concatenate([chunk.samples for chunk in self.requests[request_id] if not chunk.silence])

    def _made_s(self) -> float:
        chunks = self.requests.get(self._current or "", [])
        return sum(len(chunk.samples) / chunk.sampling_rate for chunk in chunks)

    def _played_s(self) -> float:
        return (time.perf_counter() - self._began) * self._pace if self._current else 0.0
