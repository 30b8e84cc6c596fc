"""Pitch marks in the periods of a voiced stretch: each lies where the sound is most like the sound one period before."""

from __future__ import annotations

import numpy as np

from app.core.synthesis_types import Float32, Float64

# Share of a period that is searched to either side of the expected place of the next mark.
SEARCHED_PERIOD_SHARE = 0.15


class PitchMarks:
    """The marks of one voiced stretch, which may come in several blocks.

    Args:
        sampling_rate: in Hz.
        frame: samples between two values of the pitch.

    Attributes:
        places: places of the marks in samples of the sentence, with fractions, ascending.
    """

    def __init__(self, sampling_rate: int, frame: float) -> None:
        self.places: list[float] = []
        self._rate, self._frame = sampling_rate, frame
        self._samples: Float32 = np.zeros(0, np.float32)
        self._start = 0
        self._f0, self._first = np.zeros(0), 0

    def set_block(self, samples: Float32, start: int, f0: Float64, first: int) -> None:
        """Set later marks in these samples, which begin at `start`, with the pitch `f0` in Hz of the frames from `first` on."""
        self._samples, self._start, self._f0, self._first = samples, start, f0, first

    def copy_samples(self, start: int, count: int) -> Float64:
        """Return samples of the sentence from `start` on, float64 (count,), zeros where the block has none."""
        begin, end = start - self._start, start - self._start + count
        inside = self._samples[max(0, begin) : max(0, end)].astype(np.float64)
        before = min(count, max(0, -begin))
        return np.pad(inside, (before, count - before - len(inside))) if len(inside) < count else inside

    def extend_marks(self, begin: int, end: int) -> None:
        """Set marks in the frames [begin, end) of the block, all of them voiced."""
        left, right = (self._first + begin) * self._frame, (self._first + end) * self._frame
        if not self.places:
            self.places.append(self._find_loudest(left, max(right, left + self._find_period(left))))
            while (before := self._find_neighbour(self.places[0], -1)) >= left:
                self.places.insert(0, before)
        while (after := self._find_neighbour(self.places[-1], 1)) < right:
            self.places.append(after)

    def clear_marks(self) -> None:
        """Forget all marks, because the voiced stretch has ended."""
        self.places.clear()

    def _find_loudest(self, left: float, right: float) -> float:
        samples = np.abs(self.copy_samples(int(left), max(1, int(right) - int(left))))
        return float(int(left) + int(samples.argmax()))

    def _find_period(self, position: float) -> float:
        """Return the period in samples; a place without pitch has the period of the nearest voiced frame."""
        voiced = np.flatnonzero(self._f0)
        frame = position / self._frame - self._first
        nearest = voiced[np.abs(voiced - frame).argmin()]
        return float(self._rate / self._f0[nearest])

    def _find_neighbour(self, mark: float, direction: int) -> float:
        """Return the mark one period after (1) or before (-1) a mark."""
        period = self._find_period(mark)
        half, reach = int(0.5 * period), max(1, int(SEARCHED_PERIOD_SHARE * period))
        here, there = round(mark), round(mark + direction * period)
        pattern = self.copy_samples(here - half, 2 * half + 1)
        searched = self.copy_samples(there - reach - half, 2 * (reach + half) + 1)
        if not pattern.any():
            return mark + direction * period
        # Running sums of squares give the energy of every candidate window without a loop.
        energy = np.concatenate(([0.0], np.cumsum(searched**2)))
        likeness = np.correlate(searched, pattern) / np.sqrt(energy[len(pattern) :] - energy[: -len(pattern)] + 1e-9)
        best = int(likeness.argmax())
        return there - reach + best + _interpolate_peak(likeness, best) + (mark - here)


def _interpolate_peak(values: Float64, index: int) -> float:
    """Return the offset, in samples, of a parabola's top from the highest value."""
    if not 0 < index < len(values) - 1:
        return 0.0
    before, top, after = values[index - 1 : index + 2]
    bent = before - 2 * top + after
    return float(0.5 * (before - after) / bent) if bent < 0 else 0.0
