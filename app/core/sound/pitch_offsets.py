"""The melody by hand: semitones that the user gave each mora, as a curve by time.

An offset is held where its mora is voiced. The change to the next one happens where there is no pitch, in a mark or a
voiceless consonant, or else around the border of the two morae.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from app.common.errors import InputError
from app.common.language import localize
from app.core.sound.edit_targets import advance_timings
from app.core.sound.melody import smooth_curve
from app.core.sound.ports import STEPS_PER_FRAME
from app.core.sound.voice_traits import VoiceTraits
from app.core.synthesis_types import Float32, Float64, PhoneTiming
from app.core.text.phone_ids import NO_INDEX, map_phones_to_marks, map_phones_to_moras

TRANSITION_S, LEAST_TRANSITION_S = 0.07, 0.01
SHARPENING = 0.6  # by how much of what a smearing voice takes from a curve it is exaggerated; with all of it a change would overshoot
MOST_TAKEN_SHARE = 0.3  # of a short mora, the share at either end that a transition may take
UNVOICED_PHONES = frozenset(("k", "ky", "s", "sh", "t", "ty", "ts", "ch", "h", "hy", "f", "p", "py", "q"))


@dataclass(frozen=True, slots=True)
class OffsetCurve:
    """Semitones up or down by time; `times_s`: seconds of the sentence's sound, ascending; outside them the ends are kept."""

    times_s: tuple[float, ...]
    semitones: tuple[float, ...]

    def find_offsets(self, times_s: Float64) -> Float64:
        """Return the semitones at each time, without corners between two of the curve's own."""
        times, values = np.array(self.times_s), np.array(self.semitones)
        if len(times) < 2:
            return np.full(len(times_s), values[0])
        index = np.clip(np.searchsorted(times, times_s, side="right") - 1, 0, len(times) - 2)
        length = np.maximum(times[index + 1] - times[index], 1e-9)
        share = np.clip((times_s - times[index]) / length, 0, 1)
        return np.asarray(values[index] + (values[index + 1] - values[index]) * (0.5 - 0.5 * np.cos(np.pi * share)), np.float64)

    def build_steps(self, frames: int, voice: VoiceTraits) -> Float32:
        """Return the semitones in the middle of each step of so many frames, float32 (STEPS_PER_FRAME, F).

        For a voice that smears its pitch they are sharpened, so that it sounds as it was drawn.
        """
        step_s = voice.hop_length / voice.sampling_rate / STEPS_PER_FRAME
        semitones = self.find_offsets((np.arange(STEPS_PER_FRAME * frames, dtype=np.float64) + 0.5) * step_s)
        if width := round(voice.architecture.pitch_smear_s / step_s):
            semitones += SHARPENING * (semitones - smooth_curve(semitones, width))
        return np.ascontiguousarray(semitones.reshape(frames, STEPS_PER_FRAME).T, np.float32)


def build_offset_curve(
    timings: Sequence[PhoneTiming], offsets: Sequence[float], sound_lead_s: float = 0.0, smear_s: float = 0.0
) -> OffsetCurve | None:
    """Return the curve of a sentence; None where nothing moves, or where no timings say when.

    Args:
        timings: phones of the sentence, as the voice's frames have them.
        offsets: semitones of each mora, as `edit_targets.list_mora_offsets` gives them.
        sound_lead_s: how far the sound is ahead of those frames.
        smear_s: how far the voice itself smears a change, which is drawn shorter for it.
    """
    if not any(offsets):
        return None
    stretches = _list_held_stretches(advance_timings(timings, sound_lead_s), offsets)
    if not stretches:
        return None
    times, values = [stretches[0].start_s], [stretches[0].semitones]
    for before, after in pairwise(stretches):
        if before.semitones != after.semitones:
            times += _find_transition(before, after, max(LEAST_TRANSITION_S, TRANSITION_S - smear_s))
            values += [before.semitones, after.semitones]
    return OffsetCurve(tuple(times), tuple(values))


def list_voiced_spans(timings: Sequence[PhoneTiming]) -> tuple[tuple[float, float] | None, ...]:
    """Return for each mora the seconds [start, end) of its phones that have a pitch, None where none has."""
    spans: dict[int, tuple[float, float] | None] = {}
    for timing, mora in zip(timings, map_phones_to_moras([item.phone for item in timings]), strict=True):
        span = spans.setdefault(mora, None)
        if timing.phone not in UNVOICED_PHONES:
            spans[mora] = (timing.start_s if span is None else span[0], timing.end_s)
    spans.pop(NO_INDEX, None)
    return tuple(spans[mora] for mora in sorted(spans))


def create_untimed_error(voice: str) -> InputError:
    """Return the error for a melody by hand in a voice that does not say when its morae sound."""
    return InputError(
        localize(f"声「{voice}」では、モーラごとの音高を変更できません。", f"The pitch of single morae cannot be changed with “{voice}”."),
        localize("この一体型の声からは、音の位置が分かりません。", "This single-graph voice does not report when its sounds begin."),
    )


@dataclass(frozen=True, slots=True)
class _HeldStretch:
    """The voiced part of a mora and its offset; `is_paused`: there is a mark before it."""

    start_s: float
    end_s: float
    semitones: float
    is_paused: bool


def _list_held_stretches(timings: Sequence[PhoneTiming], offsets: Sequence[float]) -> list[_HeldStretch]:
    phones = [timing.phone for timing in timings]
    moras, marks = map_phones_to_moras(phones), np.array(map_phones_to_marks(phones))
    spans, stretches, last_first = list_voiced_spans(timings), [], 0
    for mora, (span, offset) in enumerate(zip(spans, offsets, strict=False)):
        if span is not None:
            first = moras.index(mora)
            stretches.append(_HeldStretch(*span, float(offset), bool((marks[last_first:first] != NO_INDEX).any())))
            last_first = first
    return stretches


def _find_transition(before: _HeldStretch, after: _HeldStretch, length_s: float) -> tuple[float, float]:
    """Return when the offset begins to change and when it has changed, in seconds."""
    gap_s = max(0.0, after.start_s - before.end_s)
    # Through a pause the pitch stays, and what follows begins as it was drawn.
    middle_s = after.start_s - min(length_s, gap_s) / 2 if after.is_paused else after.start_s - gap_s / 2
    taken_s = [MOST_TAKEN_SHARE * (stretch.end_s - stretch.start_s) for stretch in (before, after)]
    start_s = middle_s - min(length_s / 2, middle_s - before.end_s + taken_s[0])
    return start_s, middle_s + min(length_s / 2, after.start_s - middle_s + taken_s[1])
