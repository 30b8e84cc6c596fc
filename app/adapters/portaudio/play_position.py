"""The request that sounds now, and its position: counters of the ring turned into frames of a request."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlayPosition:
    """The position of the playback.

    Attributes:
        request_id: the request that sounds.
        frames: how many of its own samples were handed to the device, counted at `sampling_rate` Hz.
        sampling_rate: the voice's rate.
        is_finished: all of it was handed over; it is heard one device latency later.
    """

    request_id: str
    frames: int
    sampling_rate: int
    is_finished: bool


@dataclass(slots=True)
class RequestMark:
    """A request on the ring: first sample and the one after the last, once known; `frames` written at its own rate."""

    request_id: str
    sampling_rate: int
    start: int
    end: int | None = None
    frames: int = 0

    def compute_position(self, samples_read: int, device_rate: int) -> PlayPosition:
        """Return the position when `samples_read` samples of the ring were taken, at the device's rate."""
        finished = self.end is not None and samples_read >= self.end
        played = (samples_read - self.start) * self.sampling_rate // device_rate
        frames = self.frames if finished else min(self.frames, played)
        return PlayPosition(self.request_id, frames, self.sampling_rate, finished)


class RequestMarks:
    """The request that sounds and those queued behind it. Not safe across threads by itself."""

    def __init__(self) -> None:
        self._marks: deque[RequestMark] = deque()

    def begin_request(self, request_id: str, sampling_rate: int, start: int, samples_read: int) -> RequestMark:
        """Add a request, and forget those that sounded before the current one."""
        while len(self._marks) > 1 and self._marks[1].start <= samples_read:
            self._marks.popleft()
        self._marks.append(RequestMark(request_id, sampling_rate, start))
        return self._marks[-1]

    def clear_marks(self) -> None:
        """Forget all requests."""
        self._marks.clear()

    def compute_position(self, samples_read: int, device_rate: int) -> PlayPosition | None:
        """Return the position in the latest request that has been reached; None if there is none."""
        reached = next((mark for mark in reversed(self._marks) if mark.start <= samples_read), None)
        return None if reached is None else reached.compute_position(samples_read, device_rate)
