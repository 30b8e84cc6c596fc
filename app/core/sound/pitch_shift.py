"""Changes pitch and intonation while the sound is being made.

What a user drew by mora (`core/sound/pitch_offsets.py`) is a contour that is added to both.

Sound comes in pieces of any length, is processed in blocks at fixed places with some context on both sides, and leaves block by block:
the result depends on the samples alone, never on how they were cut. The intonation is scaled around the mean of the sentence, which
therefore has to be complete first; a change of the pitch alone waits for one block and its context (0.75 s).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.core.sound.melody import SEMITONES_PER_OCTAVE
from app.core.sound.pitch_offsets import OffsetCurve
from app.core.sound.ports import PITCH_FRAME_S, PitchTracker
from app.core.sound.psola import LONGEST_PERIOD_S, PsolaStream
from app.core.synthesis_types import Float32, Float64, SynthesisRequest

# Context beyond a block on either side, so that its pitch is found as in the whole sentence; a block is twice as long.
PITCH_CONTEXT_S = 0.25
PITCH_BLOCK_FRAMES = round(2 * PITCH_CONTEXT_S / PITCH_FRAME_S)
LOWEST_HZ, HIGHEST_HZ = 40.0, 1200.0  # no changed pitch leaves this range, however far the request moves it
LEAST_TRACKED_HZ = 1.2 / LONGEST_PERIOD_S
MIN_PERIOD_SAMPLES = 8  # samples
SMOOTHED_FRAMES = 5  # an odd slip of the tracker is shorter than half of these frames, so their median removes it


@dataclass(frozen=True, slots=True)
class PitchChange:
    """A change of pitch."""

    semitones: float = 0.0
    intonation: float = 1.0  # a factor for the deviation of the logarithmic pitch from its mean; 0 is flat
    mora_offsets: tuple[float, ...] = ()  # semitones that are added in each mora, whatever the intonation; empty where none are

    @classmethod
    def from_request(cls, request: SynthesisRequest, mora_offsets: tuple[float, ...] = ()) -> PitchChange | None:
        """Return the change that a request contains; None where the sound stays as it is."""
        change = cls(request.pitch, request.intonation, mora_offsets)
        return None if change == cls() else change


class PitchShift:
    """Changes the pitch of one sentence and keeps its length.

    Call `feed_samples`, after the last ones `end_input`, and `shift_block` as long as `is_ready` is true.

    Args:
        offsets: the curve of the change's `mora_offsets`, in seconds of the samples.
    """

    def __init__(self, change: PitchChange, tracker: PitchTracker, sampling_rate: int, offsets: OffsetCurve | None = None) -> None:
        self._offsets = offsets
        self._change, self._tracker, self._rate = change, tracker, sampling_rate
        self._context = max(1, round(PITCH_CONTEXT_S * sampling_rate))
        self._block = 2 * self._context
        # Samples kept behind the emitted ones, because later grains are still cut from them.
        self._kept_count = round(3 * LONGEST_PERIOD_S * sampling_rate)
        self._new_samples: list[Float32] = []
        self._held_samples = np.zeros(0, np.float32)
        self._start, self._count, self._ended = 0, 0, False
        self._f0: list[Float64] = []
        self._mean = 0.0
        self._grains = PsolaStream(sampling_rate, self._block / PITCH_BLOCK_FRAMES)

    def feed_samples(self, samples: Float32) -> None:
        """Add the next samples of the sentence."""
        self._new_samples.append(samples)
        self._count += len(samples)

    def end_input(self) -> None:
        """Mark the input as complete."""
        self._ended = True

    @property
    def is_ready(self) -> bool:
        """Return True if the samples so far suffice for another block."""
        if self._ended:
            return self._grains.emitted < self._count
        # The intonation needs the mean over the whole sentence, so nothing can leave before its end.
        if self._change.intonation != 1:
            return False
        return self._count >= (len(self._f0) + 1) * self._block + self._context

    def shift_block(self) -> Float32:
        """Process one block and return the samples that it finished, often fewer than a block and sometimes none."""
        if self._new_samples:
            self._held_samples = np.concatenate((self._held_samples, *self._new_samples))
            self._new_samples.clear()
        blocks = -(-self._count // self._block)
        if len(self._f0) < blocks:
            self._f0.append(self._track_pitch(len(self._f0)))
            if self._change.intonation != 1 and len(self._f0) < blocks:
                return np.zeros(0, np.float32)
            if self._change.intonation != 1:
                self._mean = _compute_log_mean(self._f0)
        return self._change_pitch(self._grains.blocks)

    def _track_pitch(self, block: int) -> Float64:
        """Return the pitch in Hz of each frame of a block, 0 where nothing is voiced."""
        first = max(0, block * self._block - self._context)
        samples = self._held_samples[first - self._start : (block + 1) * self._block + self._context - self._start]
        f0 = np.zeros(0)
        if np.isfinite(samples).all():
            f0 = np.asarray(self._tracker.estimate_f0(samples, self._rate), np.float64)
            # The comparisons also remove NaN, for which both are false.
            f0 = np.where((f0 >= LEAST_TRACKED_HZ) & (f0 <= self._rate / MIN_PERIOD_SAMPLES), f0, 0)
        skipped = PITCH_BLOCK_FRAMES // 2 if block else 0
        f0 = np.pad(_filter_octave_slips(f0), (0, skipped + PITCH_BLOCK_FRAMES))
        return f0[skipped : skipped + PITCH_BLOCK_FRAMES]

    def _change_pitch(self, block: int) -> Float32:
        f0 = self._f0[block]
        last = self._ended and (block + 1) * self._block >= self._count
        samples = self._grains.add_block(
            self._held_samples, self._start, f0, self._compute_ratios(f0, block * len(f0)), self._count if last else None
        )
        passed = min(self._grains.emitted - self._kept_count, (block + 1) * self._block - self._context) - self._start
        if passed > 0:
            self._held_samples = self._held_samples[passed:]
            self._start += passed
        return samples

    def _compute_ratios(self, f0: Float64, first: int) -> Float64:
        """Return the ratio of new to old pitch for each frame from the frame `first` on, 1 where nothing is voiced."""
        voiced = f0 > 0
        hz = np.where(voiced, f0, 1)
        moved = (self._change.intonation - 1) * (np.log(hz) - self._mean) if self._change.intonation != 1 else np.zeros(len(f0))
        semitones: Float64 | float = self._change.semitones
        if self._offsets is not None:
            times_s = (first + np.arange(len(f0))) * self._block / PITCH_BLOCK_FRAMES / self._rate
            semitones = semitones + self._offsets.find_offsets(times_s)
        new_hz = hz * np.exp(moved + semitones / SEMITONES_PER_OCTAVE * np.log(2))
        return np.where(voiced, np.clip(new_hz, LOWEST_HZ, HIGHEST_HZ) / hz, 1)


def _compute_log_mean(blocks: list[Float64]) -> float:
    f0 = np.concatenate(blocks)
    voiced = f0[f0 > 0]
    return float(np.log(voiced).mean()) if len(voiced) else 0.0


def _filter_octave_slips(f0: Float64) -> Float64:
    """Replace each frame by the median of its neighbours where all of them are voiced."""
    # A tracker that slips by an octave in one frame would make the sound audibly doubled there.
    if len(f0) < SMOOTHED_FRAMES:
        return f0
    around = np.lib.stride_tricks.sliding_window_view(f0, SMOOTHED_FRAMES)
    middle = slice(SMOOTHED_FRAMES // 2, len(f0) - SMOOTHED_FRAMES // 2)
    smoothed = f0.copy()
    smoothed[middle] = np.where((around > 0).all(axis=1), np.median(around, axis=1), f0[middle])
    return smoothed
