"""A player that nobody hears: keeps what it is given, and plays it in time like a device would."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.adapters.portaudio.sample_ring import PlayPosition
from app.common.errors import AudioDeviceError
from app.core.synthesis_types import AudioChunk, Float32


@dataclass(slots=True)
class Queued:
    """A request on its way: when its sound begins, how long it is so far, and whether that is all."""

    request_id: str
    sampling_rate: int
    began: float
    made_s: float = 0.0
    ended: bool = False


class RecordingPlayer:
    """Stands for the audio device, in the same places and with the same rules as the real player.

    Args:
        pace: seconds of sound played per second; infinite by default.
        queue_s: sound that may wait, as the device would play it; `write_chunk` waits above it.
        kept: so many requests are remembered, the newest.
    """

    def __init__(self, pace: float = float("inf"), queue_s: float = 30.0, kept: int = 10**6) -> None:
        self.requests: dict[str, list[AudioChunk]] = {}
        self.began: dict[str, float] = {}
        self.gaps_s: dict[str, float] = {}
        self.aborts = 0
        self.closed = False
        self.is_lost = False  # as a device that was unplugged, with no other to take over
        self.device = "recording"
        self.silenced_at = 0.0
        self.pace, self._queue_s, self._kept = pace, queue_s, kept
        self._queue: list[Queued] = []
        self._lock = threading.Lock()

    def write_chunk(self, chunk: AudioChunk) -> None:
        aborts = self.aborts
        with self._lock:
            if not self._queue or self._queue[-1].request_id != chunk.request_id:
                self._begin(chunk)
            self.requests.setdefault(chunk.request_id, []).append(chunk)
            self._queue[-1].made_s += len(chunk.samples) / chunk.sampling_rate
        while aborts == self.aborts and self._left_s() > self._queue_s:
            time.sleep(0.002)
        with self._lock:
            if self._queue and chunk.last:
                self._queue[-1].ended = True

    def replace_lost_device(self) -> None:
        if self.is_lost:
            self._queue.clear()
            raise AudioDeviceError("The output device is lost.")

    def wait_until_played(self, timeout_s: float | None = None, cancelled: Callable[[], bool] = lambda: False) -> bool:
        aborts, deadline = self.aborts, None if timeout_s is None else time.monotonic() + timeout_s
        self.replace_lost_device()
        while aborts == self.aborts and not cancelled():
            if self._left_s() <= 0:
                return True
            if deadline is not None and time.monotonic() > deadline:
                return False
            time.sleep(0.002)
        return False

    def abort_output(self) -> None:
        with self._lock:
            self.aborts += 1
            self._queue.clear()
            self.silenced_at = time.perf_counter()

    def close(self) -> None:
        self.closed = True

    @property
    def position(self) -> PlayPosition | None:
        with self._lock:
            now = time.perf_counter()
            reached = [item for item in self._queue if item.began <= now]
            if not reached:
                return None
            current = reached[-1]
            played_s = self._played_s(current, now)
            frames = round(min(current.made_s, played_s) * current.sampling_rate)
            return PlayPosition(current.request_id, frames, current.sampling_rate, current.ended and played_s >= current.made_s)

    @property
    def queued_s(self) -> float:
        return self._left_s()

    @property
    def level(self) -> tuple[float, float]:
        position = self.position
        if position is None or position.is_finished:
            return 0.0, 0.0
        samples = np.concatenate([chunk.samples for chunk in self.requests[position.request_id]])[position.frames :][:1024]
        return (float(np.abs(samples).max()), float(np.sqrt(np.mean(samples**2)))) if samples.size else (0.0, 0.0)

    def sound(self, request_id: str) -> Float32:
        """Everything a request sounded like, silences left out."""
        return np.concatenate([chunk.samples for chunk in self.requests[request_id] if not chunk.silence])

    def _begin(self, chunk: AudioChunk) -> None:
        """BackgroundThread what is still playing, or now; the time in between is a gap."""
        now = time.perf_counter()
        free = self._queue[-1].began + self._queue[-1].made_s / self.pace if self._queue and self.pace else now
        self.gaps_s[chunk.request_id] = max(0.0, now - free)
        self.began[chunk.request_id] = max(now, free)
        for forgotten in list(self.requests)[: -self._kept]:
            del self.requests[forgotten]
        self._queue.append(Queued(chunk.request_id, chunk.sampling_rate, max(now, free)))

    def _left_s(self) -> float:
        with self._lock:
            now = time.perf_counter()
            return sum(max(0.0, item.made_s - self._played_s(item, now)) for item in self._queue)

    def _played_s(self, item: Queued, now: float) -> float:
        return (now - item.began) * self.pace if now > item.began else 0.0
