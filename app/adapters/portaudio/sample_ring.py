"""The queue between the thread that makes sound and the audio callback: one writer, one reader, no lock.

Counters only grow and each has one writer, so that under Python's GIL a plain read of the other side's counter
is either current or a little old, and old is safe: the writer sees less room, the reader fewer samples.
"""

from __future__ import annotations

import sys

import numpy as np

from app.core.synthesis_types import Float32

ABORT_FADE_S = 0.005
UNKNOWN_END = sys.maxsize


class SampleRing:
    """Preallocated ring of mono float32 samples.

    Attributes:
        written: samples put in so far; set by the writer.
        read: samples taken out so far, discarded ones included; set by the callback.
        blocks: callbacks so far.
        underruns, underrun_frames: gaps within a request that had started, and how long they were together.
    """

    def __init__(self, frames: int, rate: int) -> None:
        self._samples: Float32 = np.zeros(frames, dtype=np.float32)
        self._fade: Float32 = np.linspace(1, 0, max(2, round(ABORT_FADE_S * rate)), dtype=np.float32)[:, None]
        self.written = 0
        self.read = 0
        self.blocks = 0
        self.underruns = 0
        self.underrun_frames = 0
        self._starving = False
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
        done = self._fade_out(out) if self._discard > self.read else 0
        count = min(self.written - self.read, len(out) - done)
        self._copy_samples(out[done : done + count], self.read)
        out[done + count :] = 0
        self.read += count
        self._count_gap(len(out) - done - count)

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
            self.underruns += not self._starving
            self._starving = True
        elif gap <= 0:
            self._starving = False
