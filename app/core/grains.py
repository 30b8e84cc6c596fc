"""Speech cut into its pitch periods and laid together closer or wider (TD-PSOLA): formants, noise and length stay.

A mark stands in every period of what is voiced. Around it two periods are cut out under a window; laid down again at the new distance
they are the new sound. What is not voiced is passed on to the bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.core.pitch_marks import Marks
from app.core.types import Float32, Float64
from app.core.waveform import bend

LONGEST_PERIOD_S = 1 / 40
TAPS, PHASES = 8, 128  # of the filter that moves a grain by a part of a sample
LEAST_MARKS = 3


def _filters() -> Float64:
    """A windowed sinc for every part of a sample, (PHASES, TAPS)."""
    distance = np.arange(TAPS) - (TAPS // 2 - 1) - np.arange(PHASES)[:, None] / PHASES
    taps = np.sinc(distance) * np.cos(np.pi * distance / (TAPS + 1)) ** 2
    filters: Float64 = (taps / taps.sum(axis=1, keepdims=True))[:, ::-1]
    return filters


FILTERS = _filters()


class Grains:
    """Takes blocks of a sentence in order.

    Args:
        sampling_rate: in Hz.
        frame: samples between two values of the pitch.

    Attributes:
        blocks: that were added.
        emitted: samples that are finished.
    """

    def __init__(self, sampling_rate: int, frame: float) -> None:
        self.blocks, self.emitted = 0, 0
        self._longest = LONGEST_PERIOD_S * sampling_rate
        self._frame, self._end = frame, 0
        self._marks = Marks(sampling_rate, frame)
        self._ratios = np.ones(1)  # of the block before and of this one
        self._first = 0
        self._next = 0.0  # where the next grain is laid
        self._windowed = 0  # marks of this run whose windows were taken out of the original
        self._taken = np.zeros(0)
        self._laid = np.zeros(0)

    def add(self, samples: Float32, start: int, f0: Float64, ratios: Float64, count: int | None) -> Float32:
        """The next block.

        Args:
            samples: from some periods before `emitted` to some beyond the block.
            start: the place of their first one in the sentence.
            f0: Hz of the block's frames, 0 where nothing is voiced.
            ratios: new pitch by old of each.
            count: samples of the whole sentence if this is its last block.

        Returns:
            What is finished.
        """
        first = self.blocks * len(f0)
        self._end = round((first + len(f0)) * self._frame)
        before = self._ratios[-len(f0) :]
        self._ratios, self._first = np.concatenate((before, _held(ratios, f0 > 0, before[-1]))), first - len(before)
        room = self._end + round(4 * self._longest) - self.emitted
        self._taken, self._laid = _grown(self._taken, room), _grown(self._laid, room)
        self._marks.look_at(samples, start, f0, first)
        for begin, end in _runs(f0):
            self._run(begin, end, is_last=end < len(f0) or count is not None)
        if self._marks.places and (not len(f0) or f0[-1] <= 0):  # a run that ended with the block before
            self._close()
        self.blocks += 1
        return self._finished(samples, start, self._safe(count))

    def _run(self, begin: int, end: int, *, is_last: bool) -> None:
        """Voiced frames [begin, end) of the block, which may reach into the next one."""
        if begin and self._marks.places:
            self._close()
        self._marks.extend(begin, end)
        self._lay(closed=False)
        if is_last:
            self._close()

    def _close(self) -> None:
        self._lay(closed=True)
        self._marks.clear()
        self._windowed = 0

    def _lay(self, *, closed: bool) -> None:
        """Takes out and lays down all grains whose neighbours are known."""
        places = self._marks.places
        if len(places) < LEAST_MARKS:
            return
        if not self._windowed:
            self._next = places[0]
        known = len(places) - (not closed)
        for index in range(self._windowed, known):
            self._add(self._taken, places[index], *self._gaps(index), None, 1.0)
        self._windowed = known
        while self._next <= (places[-1] + 0.5 * self._gaps(len(places) - 1)[1] if closed else places[-2]):
            index = int(np.searchsorted(places, self._next))
            index -= index == len(places) or (index > 0 and self._next - places[index - 1] <= places[index] - self._next)
            left, right = self._gaps(index)
            ratio = self._ratio()
            self._add(self._laid, self._next, left, right, places[index], max(1.0, 1 / ratio) ** 0.5)  # wider apart they are fewer
            self._next += right / ratio

    def _gaps(self, index: int) -> tuple[float, float]:
        """Distances to the marks before and after; those at the ends of a run have the same on both sides."""
        places = self._marks.places
        left = places[index] - places[index - 1] if index else places[1] - places[0]
        right = places[index + 1] - places[index] if index + 1 < len(places) else left
        return left, right

    def _ratio(self) -> float:
        frame = round(self._next / self._frame) - self._first
        return float(self._ratios[min(max(frame, 0), len(self._ratios) - 1)])

    def _add(self, to: Float64, at: float, left: float, right: float, mark: float | None, gain: float) -> None:
        """Adds a window around `at` or, with `mark`, the sound around that under the window."""
        first, last = int(np.ceil(at - left)), int(np.floor(at + right)) + 1
        distance = np.arange(first, last) - at
        grain = 0.5 + 0.5 * np.cos(np.pi * distance / np.where(distance < 0, left, right))
        if mark is not None:
            grain *= gain * self._moved(mark + (first - at), last - first)
        begin, end = max(first, self.emitted), min(last, self.emitted + len(to))
        to[begin - self.emitted : end - self.emitted] += grain[begin - first : end - first]

    def _moved(self, place: float, count: int) -> Float64:
        """Samples from a place between two samples on."""
        steps = round(place * PHASES)
        whole, phase = divmod(steps, PHASES)
        around = self._marks.cut(whole - TAPS // 2 + 1, count + TAPS - 1)
        return around[TAPS // 2 - 1 : count + TAPS // 2 - 1] if not phase else np.convolve(around, FILTERS[phase], "valid")

    def _safe(self, count: int | None) -> int:
        """The first sample that something may still be added to."""
        if count is not None:
            return count
        places = self._marks.places
        if not places:
            return int(self._end - self._longest)
        begun = self._windowed > 0
        return int(min(places[-2], self._next - self._longest, self._end) if begun else places[0] - self._longest)

    def _finished(self, samples: Float32, start: int, until: int) -> Float32:
        size = max(0, until - self.emitted)
        taken, laid = self._taken[:size], self._laid[:size]
        made = samples[self.emitted - start : self.emitted - start + size].copy()
        changed = (taken > 0) | (laid != 0)
        made[changed] = bend((made[changed] * (1 - np.minimum(taken[changed], 1)) + laid[changed]).astype(np.float32))
        self._taken, self._laid = self._taken[size:], self._laid[size:]
        self.emitted += size
        return made


def _grown(values: Float64, size: int) -> Float64:
    return np.pad(values, (0, max(0, size - len(values))))


def _runs(f0: Float64) -> list[tuple[int, int]]:
    """Stretches of voiced frames, [begin, end)."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], f0 > 0, [False])).astype(np.int8)))
    return [(int(begin), int(end)) for begin, end in edges.reshape(-1, 2)]


def _held(values: Float64, voiced: NDArray[np.bool_], before: float) -> Float64:
    """Voiced values; between them the last one, at the beginning that of the block before."""
    last = np.maximum.accumulate(np.where(voiced, np.arange(len(values)), -1))
    return np.where(last >= 0, values[last], before)
