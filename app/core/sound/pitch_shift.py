"""Changes pitch and intonation while the sound is being made.

What a user drew by mora (`core/sound/melody.py`) is a contour that is added to both.

Sound comes in pieces of any length, is processed in blocks at fixed places with some context on both sides, and leaves block by block:
the result depends on the samples alone, never on how they were cut. The intonation is scaled around the mean of the sentence, which
therefore has to be complete first; a change of the pitch alone waits for one block and its context (0.75 s).

Speech is cut into its pitch periods and laid together closer or wider (TD-PSOLA): formants, noise and length stay the same. Every period
of a voiced stretch has a mark. Two periods around each mark are cut out under a window; laid down at the new distance they are the new
sound. Unvoiced sound passes unchanged, to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.core.sound.melody import SEMITONES_PER_OCTAVE, OffsetCurve
from app.core.sound.ports import PITCH_FRAME_S, PitchTracker
from app.core.sound.waveform import clip_softly
from app.core.synthesis_types import Float32, Float64, SynthesisRequest

# Context beyond a block on either side, so that its pitch is found as in the whole sentence; a block is twice as long.
PITCH_CONTEXT_S = 0.25
PITCH_BLOCK_FRAMES = round(2 * PITCH_CONTEXT_S / PITCH_FRAME_S)
LOWEST_HZ, HIGHEST_HZ = 40.0, 1200.0  # no changed pitch leaves this range, however far the request moves it
LONGEST_PERIOD_S = 1 / 40
LEAST_TRACKED_HZ = 1.2 / LONGEST_PERIOD_S
MIN_PERIOD_SAMPLES = 8  # samples
SMOOTHED_FRAMES = 5  # an odd slip of the tracker is shorter than half of these frames, so their median removes it

SEARCHED_PERIOD_SHARE = 0.15  # share of a period that is searched to either side of the expected place of the next mark


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


class PitchMarks:
    """The marks of one voiced stretch, which may come in several blocks; `frame`: samples between two values of the pitch."""

    def __init__(self, sampling_rate: int, frame: float) -> None:
        self.places: list[float] = []  # places of the marks in samples of the sentence, with fractions, ascending
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
        missing = min(count, max(0, -begin))
        return np.pad(inside, (missing, count - missing - len(inside))) if len(inside) < count else inside

    def extend_marks(self, begin: int, end: int) -> None:
        """Set marks in the frames [begin, end) of the block, all of them voiced."""
        left, right = (self._first + begin) * self._frame, (self._first + end) * self._frame
        if not self.places:
            # The loudest sample of the stretch, or of its first period if that is longer.
            count = int(max(right, left + self._find_period(left))) - int(left)
            self.places.append(float(int(left) + int(np.abs(self.copy_samples(int(left), max(1, count))).argmax())))
            while (before := self._find_neighbour(self.places[0], -1)) >= left:
                self.places.insert(0, before)
        while (after := self._find_neighbour(self.places[-1], 1)) < right:
            self.places.append(after)

    def clear_marks(self) -> None:
        """Forget all marks, because the voiced stretch has ended."""
        self.places.clear()

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
        mark_sample, expected_sample = round(mark), round(mark + direction * period)
        pattern = self.copy_samples(mark_sample - half, 2 * half + 1)
        searched = self.copy_samples(expected_sample - reach - half, 2 * (reach + half) + 1)
        if not pattern.any():
            return mark + direction * period
        # Running sums of squares give the energy of every candidate window without a loop.
        energy = np.concatenate(([0.0], np.cumsum(searched**2)))
        likeness = np.correlate(searched, pattern) / np.sqrt(energy[len(pattern) :] - energy[: -len(pattern)] + 1e-9)
        best = int(likeness.argmax())
        return expected_sample - reach + best + _interpolate_peak(likeness, best) + (mark - mark_sample)


def _interpolate_peak(values: Float64, index: int) -> float:
    """Return the offset, in samples, of a parabola's top from the highest value."""
    if not 0 < index < len(values) - 1:
        return 0.0
    before, top, after = values[index - 1 : index + 2]
    bent = before - 2 * top + after
    return float(0.5 * (before - after) / bent) if bent < 0 else 0.0


TAPS, PHASES = 8, 128  # size of the filters that shift a grain by a fraction of a sample
MIN_PITCH_MARKS = 3


def _build_sinc_filters() -> Float64:
    """Return a windowed sinc for every fraction of a sample, float64 (PHASES, TAPS)."""
    distance = np.arange(TAPS) - (TAPS // 2 - 1) - np.arange(PHASES)[:, None] / PHASES
    taps = np.sinc(distance) * np.cos(np.pi * distance / (TAPS + 1)) ** 2
    filters: Float64 = (taps / taps.sum(axis=1, keepdims=True))[:, ::-1]
    return filters


SINC_FILTERS = _build_sinc_filters()


class PsolaStream:
    """Changes the pitch of a sentence whose blocks come in order.

    Args:
        frame: samples between two values of the pitch.
    """

    def __init__(self, sampling_rate: int, frame: float) -> None:
        self.blocks, self.emitted = 0, 0  # how many blocks were added, and samples finished
        self._longest = LONGEST_PERIOD_S * sampling_rate
        self._frame, self._end = frame, 0
        self._marks = PitchMarks(sampling_rate, frame)
        # The ratios of the block before and of this one, because a run may cross the border.
        self._ratios = np.ones(1)
        self._first = 0
        # Place in samples at which the next grain is laid.
        self._next = 0.0
        # Marks of this run whose windows were already taken out of the original.
        self._windowed_count = 0
        self._window_sums = np.zeros(0)
        self._grain_sums = np.zeros(0)

    def add_block(self, samples: Float32, start: int, f0: Float64, ratios: Float64, count: int | None) -> Float32:
        """Add the next block and return the samples that are finished.

        Args:
            samples: from some periods before `emitted` to some beyond the block.
            start: the place of their first one in the sentence.
            f0: Hz of the block's frames, 0 where nothing is voiced.
            ratios: new pitch by old of each.
            count: samples of the whole sentence if this is its last block.
        """
        first = self.blocks * len(f0)
        self._end = round((first + len(f0)) * self._frame)
        last_ratios = self._ratios[-len(f0) :]
        # An unvoiced frame has the ratio of the last voiced one, at the beginning that of the block before.
        voiced = np.maximum.accumulate(np.where(f0 > 0, np.arange(len(f0)), -1))
        self._ratios, self._first = (
            np.concatenate((last_ratios, np.where(voiced >= 0, ratios[voiced], last_ratios[-1]))),
            first - len(last_ratios),
        )
        room = self._end + round(4 * self._longest) - self.emitted
        self._window_sums, self._grain_sums = _extend_array(self._window_sums, room), _extend_array(self._grain_sums, room)
        self._marks.set_block(samples, start, f0, first)
        edges = np.flatnonzero(np.diff(np.concatenate(([False], f0 > 0, [False])).astype(np.int8)))
        for begin, end in edges.reshape(-1, 2).tolist():
            self._add_voiced_run(begin, end, is_last=end < len(f0) or count is not None)
        # A run that ended exactly at the block before is still open here.
        if self._marks.places and (not len(f0) or f0[-1] <= 0):
            self._close_run()
        self.blocks += 1
        return self._take_finished(samples, start, self._find_safe_end(count))

    def _add_voiced_run(self, begin: int, end: int, *, is_last: bool) -> None:
        """Add the voiced frames [begin, end) of the block; the run may reach into the next block."""
        if begin and self._marks.places:
            self._close_run()
        self._marks.extend_marks(begin, end)
        self._place_grains(is_closed=False)
        if is_last:
            self._close_run()

    def _close_run(self) -> None:
        self._place_grains(is_closed=True)
        self._marks.clear_marks()
        self._windowed_count = 0

    def _place_grains(self, *, is_closed: bool) -> None:
        """Extract and place all grains whose neighbours are known."""
        places = self._marks.places
        if len(places) < MIN_PITCH_MARKS:
            return
        if not self._windowed_count:
            self._next = places[0]
        settled = len(places) - (not is_closed)
        for index in range(self._windowed_count, settled):
            self._add_grain(self._window_sums, places[index], *self._measure_gaps(index), None, 1.0)
        self._windowed_count = settled
        while self._next <= (places[-1] + 0.5 * self._measure_gaps(len(places) - 1)[1] if is_closed else places[-2]):
            index = int(np.searchsorted(places, self._next))
            index -= index == len(places) or (index > 0 and self._next - places[index - 1] <= places[index] - self._next)
            left, right = self._measure_gaps(index)
            frame = round(self._next / self._frame) - self._first
            ratio = float(self._ratios[min(max(frame, 0), len(self._ratios) - 1)])
            # Grains laid wider apart are fewer, so each of them gets more gain.
            self._add_grain(self._grain_sums, self._next, left, right, places[index], max(1.0, 1 / ratio) ** 0.5)
            self._next += right / ratio

    def _measure_gaps(self, index: int) -> tuple[float, float]:
        """Return the distances to the marks before and after; at either end of a run both distances are equal."""
        places = self._marks.places
        left = places[index] - places[index - 1] if index else places[1] - places[0]
        right = places[index + 1] - places[index] if index + 1 < len(places) else left
        return left, right

    def _add_grain(self, to: Float64, at: float, left: float, right: float, mark: float | None, gain: float) -> None:
        """Add a window around `at` to `to`; with `mark`, add the sound around the mark under that window."""
        first, last = int(np.ceil(at - left)), int(np.floor(at + right)) + 1
        distance = np.arange(first, last) - at
        grain = 0.5 + 0.5 * np.cos(np.pi * distance / np.where(distance < 0, left, right))
        if mark is not None:
            grain *= gain * self._interpolate_samples(mark + (first - at), last - first)
        begin, end = max(first, self.emitted), min(last, self.emitted + len(to))
        to[begin - self.emitted : end - self.emitted] += grain[begin - first : end - first]

    def _interpolate_samples(self, position: float, count: int) -> Float64:
        """Return `count` samples from a fractional position on."""
        steps = round(position * PHASES)
        sample, phase = divmod(steps, PHASES)
        around = self._marks.copy_samples(sample - TAPS // 2 + 1, count + TAPS - 1)
        return around[TAPS // 2 - 1 : count + TAPS // 2 - 1] if not phase else np.convolve(around, SINC_FILTERS[phase], "valid")

    def _find_safe_end(self, count: int | None) -> int:
        """Return the first sample that a later grain may still change."""
        if count is not None:
            return count
        places = self._marks.places
        if not places:
            return int(self._end - self._longest)
        begun = self._windowed_count > 0
        return int(min(places[-2], self._next - self._longest, self._end) if begun else places[0] - self._longest)

    def _take_finished(self, samples: Float32, start: int, end: int) -> Float32:
        size = max(0, end - self.emitted)
        window_sum, laid = self._window_sums[:size], self._grain_sums[:size]
        result = samples[self.emitted - start : self.emitted - start + size].copy()
        changed = (window_sum > 0) | (laid != 0)
        result[changed] = clip_softly((result[changed] * (1 - np.minimum(window_sum[changed], 1)) + laid[changed]).astype(np.float32))
        self._window_sums, self._grain_sums = self._window_sums[size:], self._grain_sums[size:]
        self.emitted += size
        return result


def _extend_array(values: Float64, size: int) -> Float64:
    return np.pad(values, (0, max(0, size - len(values))))


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
                f0 = np.concatenate(self._f0)
                voiced = f0[f0 > 0]
                self._mean = float(np.log(voiced).mean()) if len(voiced) else 0.0
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
