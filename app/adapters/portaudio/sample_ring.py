"""The queue between the thread that makes sound and the audio callback: one writer, one reader, no lock.

Counters only grow and each has one writer, so that under Python's GIL a plain read of the other side's counter
is either current or a little old, and old is safe: the writer sees less room, the reader fewer samples.
"""

import sys
from collections import deque
from dataclasses import dataclass

import numpy as np

from app.core.synthesis_types import Float32

ABORT_FADE_S = 0.005
UNKNOWN_END = sys.maxsize


class SampleRing:
    """Preallocated ring of mono float32 samples."""

    def __init__(self, frames: int, rate: int) -> None:
        self._samples: Float32 = np.zeros(frames, dtype=np.float32)
        self._fade: Float32 = np.linspace(1, 0, max(2, round(ABORT_FADE_S * rate)), dtype=np.float32)[:, None]
        self.written = 0  # samples put in so far; set by the writer
        self.read = 0  # samples taken out so far, discarded ones included; set by the callback
        self.blocks = 0  # callbacks so far
        # underruns, underrun_frames: gaps within a request that had started, and how long they were together.
        self.underruns = 0
        self.underrun_frames = 0
        self._is_starving = False
        self._hold = 0
        self._discard = 0
        self._start = 0
        self._end = 0

    @property
    def pending(self) -> int:
        """Return the number of samples queued and not yet taken."""
        return self.written - self.read

    def add_silence(self, frames: int) -> None:
        """Add silence before the next sample; to be called while none waits."""
        self._hold = max(self._hold, frames)

    def begin_request(self) -> int:
        """Begin a request of unknown length; return the counter of its first sample."""
        self._start = self.written
        self._end = UNKNOWN_END
        return self.written

    def allow_gap(self) -> None:
        """Allow a gap that begins here: silence leads up to it, and the following sound is still being computed."""
        self._start = self.written

    def end_request(self, frames: int) -> int:
        """End the request `frames` from here and return the counter after its last sample. Call before those are put: a callback in between must not take the end for a gap."""
        self._end = self.written + frames
        return self._end

    def put_samples(self, samples: Float32) -> int:
        """Queue float32 (N,) as far as there is space; return how many samples were queued."""
        size = self._samples.size
        count = min(samples.size, size - self.pending)
        at = self.written % size
        head = min(count, size - at)
        self._samples[at : at + head] = samples[:head]
        self._samples[: count - head] = samples[head:count]
        self.written += count
        return count

    def measure_level(self, frames: int) -> tuple[float, float]:
        """Return peak and effective value of the next samples, for any thread; those already taken may have been overwritten."""
        count = min(frames, self.written - self.read)
        if count <= 0 or self._discard > self.read:
            return 0.0, 0.0
        samples = self._samples.take(np.arange(self.read, self.read + count), mode="wrap")
        return float(np.abs(samples).max()), float(np.sqrt(np.mean(np.square(samples))))

    def discard_queue(self) -> None:
        """Let the callback fade out and drop the queue, within its next block."""
        self._end = self.written
        self._discard = self.written

    def clear_queue(self) -> None:
        """Drop the queue at once; only while no callback runs."""
        self.discard_queue()
        self.read = self.written

    def fill_output(self, out: Float32) -> None:
        """Fill float32 (frames, channels) with samples, else zeros, as the audio callback: allocate no buffer, take no lock."""
        self.blocks += 1
        if self._hold > 0:
            self._hold -= len(out)
            out.fill(0)
            return
        faded_count = self._fade_out(out) if self._discard > self.read else 0
        count = min(self.written - self.read, len(out) - faded_count)
        self._copy_samples(out[faded_count : faded_count + count], self.read)
        out[faded_count + count :] = 0
        self.read += count
        self._count_gap(len(out) - faded_count - count)

    def _fade_out(self, out: Float32) -> int:
        """Fade a few milliseconds of the queue to zero, so that stopping does not click."""
        discard = self._discard
        count = min(discard - self.read, len(out), len(self._fade))
        # A block shorter than the fade falls faster.
        stride = -(-len(self._fade) // count)
        gains = self._fade[::stride][:count]
        faded = out[: len(gains)]
        self._copy_samples(faded, self.read)
        np.multiply(faded, gains, out=faded)
        self.read = discard
        return len(gains)

    def _copy_samples(self, out: Float32, start: int) -> None:
        at = start % self._samples.size
        head = min(len(out), self._samples.size - at)
        out[:head] = self._samples[at : at + head, None]
        out[head:] = self._samples[: len(out) - head, None]

    def _count_gap(self, missing: int) -> None:
        gap = min(missing, self._end - self.read)
        if gap > 0 and self.read > self._start:
            self.underrun_frames += gap
            self.underruns += not self._is_starving
            self._is_starving = True
        elif gap <= 0:
            self._is_starving = False


@dataclass(frozen=True, slots=True)
class PlayPosition:
    """The position of the playback."""

    request_id: str  # the request that sounds
    frames: int  # how many of its own samples were handed to the device, counted at `sampling_rate` Hz
    sampling_rate: int  # the voice's rate
    is_finished: bool  # all of it was handed over; it is heard one device latency later


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
