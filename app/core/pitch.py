"""Another pitch and more or less intonation, while the sound is being made.

Sound comes in pieces of any length, is looked at in blocks of fixed places with some context on both sides, and is handed on block by block:
what comes out depends on the samples alone, never on how they were cut. The intonation is scaled around the mean of the sentence, for
which all of it must be there; the pitch alone waits for one block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.core.grains import LONGEST_PERIOD_S, Grains
from app.core.ports import PITCH_FRAME_S, PitchTracker
from app.core.types import Float32, Float64, SynthesisRequest

CONTEXT_S = 0.25  # beyond a block on either side, so that its pitch is found as in the whole sentence; a block is twice as long
BLOCK_FRAMES = round(2 * CONTEXT_S / PITCH_FRAME_S)
LOWEST_HZ, HIGHEST_HZ = 40.0, 1200.0  # nobody is moved beyond
LEAST_TRACKED_HZ = 1.2 / LONGEST_PERIOD_S
LEAST_PERIOD = 8  # samples
SEMITONES = 12
SMOOTHED_FRAMES = 5  # a tracker's slip is shorter than half of them


@dataclass(frozen=True, slots=True)
class PitchChange:
    """Semitones up or down, and the factor of what the logarithmic pitch deviates from its mean: 0 is flat."""

    semitones: float
    intonation: float

    @classmethod
    def of(cls, request: SynthesisRequest) -> PitchChange | None:
        """What a request asks for; None where the sound stays as it is."""
        changes = request.pitch != 0 or request.intonation != 1
        return cls(request.pitch, request.intonation) if changes else None


class PitchShift:
    """Changes the pitch of one sentence: `feed` it, `end` it, and call `step` as long as it is `ready`. Keeps the length.

    Args:
        change: what is wanted.
        tracker: finds the pitch.
        sampling_rate: in Hz.
    """

    def __init__(self, change: PitchChange, tracker: PitchTracker, sampling_rate: int) -> None:
        self._change, self._tracker, self._rate = change, tracker, sampling_rate
        self._context = max(1, round(CONTEXT_S * sampling_rate))
        self._block = 2 * self._context
        self._kept = round(3 * LONGEST_PERIOD_S * sampling_rate)  # samples behind what was emitted, of which grains are cut
        self._fed: list[Float32] = []
        self._held = np.zeros(0, np.float32)
        self._start, self._count, self._ended = 0, 0, False
        self._f0: list[Float64] = []
        self._mean = 0.0
        self._grains = Grains(sampling_rate, self._block / BLOCK_FRAMES)

    def feed(self, samples: Float32) -> None:
        """The next samples."""
        self._fed.append(samples)
        self._count += len(samples)

    def end(self) -> None:
        """Nothing more comes."""
        self._ended = True

    @property
    def ready(self) -> bool:
        """Whether a step can be made with what is there."""
        if self._ended:
            return self._grains.emitted < self._count
        if self._change.intonation != 1:
            return False
        return self._count >= (len(self._f0) + 1) * self._block + self._context

    def step(self) -> Float32:
        """Works on one block; the samples that are finished by it, often fewer than a block and sometimes none."""
        self._join()
        blocks = -(-self._count // self._block)
        if len(self._f0) < blocks:
            self._f0.append(self._track(len(self._f0)))
            if self._change.intonation != 1 and len(self._f0) < blocks:
                return np.zeros(0, np.float32)
            if self._change.intonation != 1:
                self._mean = _mean(self._f0)
        return self._shape(self._grains.blocks)

    def _join(self) -> None:
        if self._fed:
            self._held = np.concatenate((self._held, *self._fed))
            self._fed.clear()

    def _track(self, block: int) -> Float64:
        """Hz of each frame of a block, 0 where nothing is voiced."""
        first = max(0, block * self._block - self._context)
        samples = self._held[first - self._start : (block + 1) * self._block + self._context - self._start]
        found = np.zeros(0)
        if np.isfinite(samples).all():
            found = np.asarray(self._tracker.f0(samples, self._rate), np.float64)
            found = np.where((found >= LEAST_TRACKED_HZ) & (found <= self._rate / LEAST_PERIOD), found, 0)  # and not where it is NaN
        skipped = BLOCK_FRAMES // 2 if block else 0
        found = np.pad(_smooth(found), (0, skipped + BLOCK_FRAMES))
        return found[skipped : skipped + BLOCK_FRAMES]

    def _shape(self, block: int) -> Float32:
        f0 = self._f0[block]
        last = self._ended and (block + 1) * self._block >= self._count
        samples = self._grains.add(self._held, self._start, f0, self._ratios(f0), self._count if last else None)
        done = min(self._grains.emitted - self._kept, (block + 1) * self._block - self._context) - self._start
        if done > 0:
            self._held = self._held[done:]
            self._start += done
        return samples

    def _ratios(self, f0: Float64) -> Float64:
        """New pitch by old of each frame, 1 where nothing is voiced."""
        voiced = f0 > 0
        known = np.where(voiced, f0, 1)
        moved = (self._change.intonation - 1) * (np.log(known) - self._mean) if self._change.intonation != 1 else np.zeros(len(f0))
        wanted = known * np.exp(moved + self._change.semitones / SEMITONES * np.log(2))
        return np.where(voiced, np.clip(wanted, LOWEST_HZ, HIGHEST_HZ) / known, 1)


def _mean(blocks: list[Float64]) -> float:
    """Mean of the logarithm over all voiced frames."""
    f0 = np.concatenate(blocks)
    voiced = f0[f0 > 0]
    return float(np.log(voiced).mean()) if len(voiced) else 0.0


def _smooth(f0: Float64) -> Float64:
    """Median of each frame's neighbours where all of them are voiced: a slip of an octave would be heard doubled."""
    if len(f0) < SMOOTHED_FRAMES:
        return f0
    around = np.lib.stride_tricks.sliding_window_view(f0, SMOOTHED_FRAMES)
    middle = slice(SMOOTHED_FRAMES // 2, len(f0) - SMOOTHED_FRAMES // 2)
    smoothed = f0.copy()
    smoothed[middle] = np.where((around > 0).all(axis=1), np.median(around, axis=1), f0[middle])
    return smoothed
