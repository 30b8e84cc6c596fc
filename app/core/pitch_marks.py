"""Marks in the periods of a voiced stretch: each where the sound looks most like it did one period before."""

from __future__ import annotations

import numpy as np

from app.core.types import Float32, Float64

SEARCHED = 0.15  # of a period, to either side of where the next mark is expected


class Marks:
    """The marks of one voiced stretch, which may come in several blocks.

    Args:
        sampling_rate: in Hz.
        frame: samples between two values of the pitch.

    Attributes:
        places: of the marks, in samples of the sentence, between two of them too; ascending.
    """

    def __init__(self, sampling_rate: int, frame: float) -> None:
        self.places: list[float] = []
        self._rate, self._frame = sampling_rate, frame
        self._samples: Float32 = np.zeros(0, np.float32)
        self._start = 0
        self._f0, self._first = np.zeros(0), 0

    def look_at(self, samples: Float32, start: int, f0: Float64, first: int) -> None:
        """From now on marks are set in these samples, which begin at `start`, with the pitch of these frames, the `first` of the sentence and on."""
        self._samples, self._start, self._f0, self._first = samples, start, f0, first

    def cut(self, start: int, count: int) -> Float64:
        """Samples of the sentence from `start` on, zeros where there are none."""
        begin, end = start - self._start, start - self._start + count
        inside = self._samples[max(0, begin) : max(0, end)].astype(np.float64)
        before = min(count, max(0, -begin))
        return np.pad(inside, (before, count - before - len(inside))) if len(inside) < count else inside

    def extend(self, begin: int, end: int) -> None:
        """Sets marks in the frames [begin, end) of the block, all of them voiced."""
        left, right = (self._first + begin) * self._frame, (self._first + end) * self._frame
        if not self.places:
            self.places.append(self._loudest(left, max(right, left + self._period(left))))
            while (before := self._neighbour(self.places[0], -1)) >= left:
                self.places.insert(0, before)
        while (after := self._neighbour(self.places[-1], 1)) < right:
            self.places.append(after)

    def clear(self) -> None:
        """The stretch is over."""
        self.places.clear()

    def _loudest(self, left: float, right: float) -> float:
        samples = np.abs(self.cut(int(left), max(1, int(right) - int(left))))
        return float(int(left) + int(samples.argmax()))

    def _period(self, place: float) -> float:
        """Samples; at a place without pitch that of the voiced frame next to it."""
        voiced = np.flatnonzero(self._f0)
        frame = place / self._frame - self._first
        nearest = voiced[np.abs(voiced - frame).argmin()]
        return float(self._rate / self._f0[nearest])

    def _neighbour(self, mark: float, direction: int) -> float:
        """The mark one period after (1) or before (-1)."""
        period = self._period(mark)
        half, reach = int(0.5 * period), max(1, int(SEARCHED * period))
        here, there = round(mark), round(mark + direction * period)
        pattern = self.cut(here - half, 2 * half + 1)
        searched = self.cut(there - reach - half, 2 * (reach + half) + 1)
        if not pattern.any():
            return mark + direction * period
        energy = np.concatenate(([0.0], np.cumsum(searched**2)))
        likeness = np.correlate(searched, pattern) / np.sqrt(energy[len(pattern) :] - energy[: -len(pattern)] + 1e-9)
        best = int(likeness.argmax())
        return there - reach + best + _peak(likeness, best) + (mark - here)


def _peak(values: Float64, index: int) -> float:
    """By how much the top of a parabola lies beside the highest value."""
    if not 0 < index < len(values) - 1:
        return 0.0
    before, top, after = values[index - 1 : index + 2]
    bent = before - 2 * top + after
    return float(0.5 * (before - after) / bent) if bent < 0 else 0.0
