"""The melody of a sentence: its pitch by time, made from the tones of its morae for voices whose pitch can be given, and what the user gave each mora by hand.

A voice may keep its own pitch where that is faster than morae (`app/voices/prepare/kokoro/kokoro_flow.py`).
Semitones are relative to the speaker's median. A breath group ends with a mark.
An offset by hand is held where its mora is voiced. The change to the next one happens where there is no pitch, in a mark or a
voiceless consonant, or else around the border of the two morae.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.common.errors import InputError
from app.common.language import localize
from app.core.sound.edit_targets import advance_timings
from app.core.sound.least_change import find_least_offsets
from app.core.sound.ports import STEPS_PER_FRAME, Melody
from app.core.sound.reading_variation import DrawNumbers, draw_phrase_shapes
from app.core.sound.tone_levels import DrawShapes, MoraTone, compute_mora_levels
from app.core.sound.voice_traits import VoiceTraits
from app.core.symbols import is_english, is_mora_end
from app.core.synthesis_types import Float32, Float64, Int64, Phones, PhoneTiming, SynthesisRequest
from app.core.text.phone_ids import NO_INDEX, map_phones_to_marks, map_phones_to_moras

TARGET_PLACE = 0.65  # of a mora's vowel, where its level is reached
LEAST_FIDELITY = 0.5  # at which the voice's own melody is changed as little as its accents allow
LEAST_PITCH_HZ = 40.0
VOICED_SHARE = 0.6
"""A voice's own pitch passes through low values where voicing begins and ends; a step below this share of the mean over all that are not near silence counts as unvoiced."""
SMOOTHING_S = 0.0375  # half the width of the window that rounds the corners of the melody
QUESTION_RISE = 5.0  # semitones, over the end of a question, where a melody is predicted
SEMITONES_PER_OCTAVE = 12


def build_melody(
    phones: Phones, phone_frames: Int64, request: SynthesisRequest, voice: VoiceTraits, draw: DrawNumbers | None = None
) -> Melody:
    """Return the melody of a sentence.

    Args:
        phones: with the tones that count.
        phone_frames: frames of each phone, int64 (n,).
        request: moves it by `pitch` and scales its excursions by `intonation`.
        voice: says how long a frame is, and which pitch its speakers have.
        draw: draws what the seed of the sentence changes of it, if the request asks for variation.
    """
    draw_shapes = None
    if request.variation and draw is not None:
        draw_shapes = partial(draw_phrase_shapes, draw=draw, variation=request.variation)
    curve = build_tone_curve(phones, phone_frames * STEPS_PER_FRAME, _count_steps_per_s(voice), draw_shapes)
    lead = count_lead_steps(voice)
    curve = _advance_curve(curve, lead)
    median_hz = voice.median_f0[voice.find_style_row(request.speaker, request.style)]
    octaves = (curve * request.intonation + request.pitch) / SEMITONES_PER_OCTAVE
    questions = _build_question_rows(phones, phone_frames * STEPS_PER_FRAME, lead)
    f0, energy = np.asarray(median_hz * 2.0**octaves, np.float32), voice.find_manner(request).energy
    # What is English alone is said with the voice's own melody: tones are those of Japanese.
    weight = 0.0 if is_all_english(phones) else request.accent_fidelity
    return Melody(f0, questions, weight, request.intonation, energy)


def is_all_english(phones: Phones) -> bool:
    """Return whether all that is spoken of a sentence is English."""
    return all(is_english(phone) for phone, mora in zip(phones.phones, map_phones_to_moras(phones.phones), strict=True) if mora != NO_INDEX)


def build_tone_curve(phones: Phones, steps: Int64, steps_per_s: float, draw_shapes: DrawShapes | None = None) -> Float64:
    """Return what the tones say of the pitch: semitones over the speaker's median at each step, float64 (sum of `steps`,).

    `steps` are those of each phone, int64 (n,). Questions do not rise here, see `add_question_rise`.
    """
    vowels = _list_vowels(phones)
    if not vowels:
        return np.zeros(int(steps.sum()))
    starts_s = (np.cumsum(steps) - steps) / steps_per_s
    curve = _draw_levels(compute_mora_levels(_list_mora_tones(phones, vowels, starts_s), draw_shapes), vowels, steps, steps_per_s)
    # The speaker's median is the mean of what is spoken, whatever the accents.
    spoken = np.repeat(np.array(map_phones_to_moras(phones.phones)) != NO_INDEX, steps)
    return np.asarray(curve - curve[spoken].mean() if spoken.any() else curve, np.float64)


def _list_vowels(phones: Phones) -> list[int]:
    """Return the last phone of each mora."""
    owners = map_phones_to_moras(phones.phones)
    return [index for index, owner in enumerate(owners) if owner != NO_INDEX and owners[index + 1] != owner]


def _draw_levels(levels: Float64, vowels: Sequence[int], steps: Int64, steps_per_s: float) -> Float64:
    """Return the curve that goes straight from the level of one mora to the next, at each step."""
    places = (np.cumsum(steps) - (1 - TARGET_PLACE) * steps)[vowels]
    return smooth_curve(np.interp(np.arange(int(steps.sum())) + 0.5, places, levels), round(SMOOTHING_S * steps_per_s))


def fit_to_least_change(melody: Melody, own_hz: Float64, phones: Phones, phone_frames: Int64, voice: VoiceTraits) -> Melody:
    """Return the melody that a fidelity below 1 asks for: from the whole melody to the least change of the voice's own, at LEAST_FIDELITY, then to its own.

    The flow takes it times the fidelity, so what it is given is as much larger.

    Args:
        own_hz: the voice's own pitch at each step, float64 (STEPS_PER_FRAME · F,); low where nothing is voiced.
        phone_frames: frames of each phone, int64 (n,).
    """
    vowels, steps, lead = _list_vowels(phones), phone_frames * STEPS_PER_FRAME, count_lead_steps(voice)
    sung = _find_sung(own_hz)
    own = SEMITONES_PER_OCTAVE * np.log2(np.where(sung, own_hz, melody.f0))
    ends = np.maximum(np.cumsum(steps)[vowels] - lead, 1)
    levels = [_find_level(own[start:end][sung[start:end]]) for start, end in zip(ends - (steps[vowels] + 1) // 2, ends, strict=True)]
    moras = _list_mora_tones(phones, vowels, (np.cumsum(steps) - steps) / _count_steps_per_s(voice))
    # Intonation scales what is right as well, and a flat voice stays flat.
    least_levels = np.zeros(len(moras))
    if scale := melody.intonation:
        least_levels = scale * find_least_offsets(np.array(levels) / scale, moras)
    offsets = _draw_levels(least_levels, vowels, steps, _count_steps_per_s(voice))
    least = _advance_curve(offsets, lead)
    whole = SEMITONES_PER_OCTAVE * np.log2(melody.f0) - own
    share = max(0.0, (melody.weight - LEAST_FIDELITY) / (1 - LEAST_FIDELITY))
    change = (1 - share) * min(1.0, melody.weight / LEAST_FIDELITY) * least + share * whole
    asked = np.where(sung, own + change / melody.weight, SEMITONES_PER_OCTAVE * np.log2(melody.f0))
    return replace(melody, f0=np.asarray(2.0 ** (asked / SEMITONES_PER_OCTAVE), np.float32))


def _advance_curve(curve: Float64, steps: int) -> Float64:
    """Return the curve so many steps earlier; its end is held."""
    return np.concatenate((curve[steps:], np.full(min(steps, len(curve)), curve[-1])))


def _find_sung(own_hz: Float64) -> NDArray[np.bool_]:
    """Return which steps of a voice's own pitch count as voiced."""
    audible = own_hz > LEAST_PITCH_HZ
    return audible & (own_hz > VOICED_SHARE * own_hz[audible].mean()) if audible.any() else audible


def _find_level(semitones: Float64) -> float:
    return float(np.median(semitones)) if len(semitones) else np.nan


def _list_mora_tones(phones: Phones, vowels: Sequence[int], starts_s: Float64) -> list[MoraTone]:
    """Return the tone of each mora, whose last phones are given, and when each phone begins."""
    marks, begins = np.array(map_phones_to_marks(phones.phones)) != NO_INDEX, set(phones.phrases)
    before, moras = 0, []
    for mora, vowel in enumerate(vowels):
        moras.append(MoraTone(phones.tones[vowel] == 1, float(starts_s[vowel]), mora in begins, bool(marks[before:vowel].any())))
        before = vowel
    return moras


def build_melody_of_symbols(
    phones: Phones, edges: Int64, frames: Int64, request: SynthesisRequest, voice: VoiceTraits, draw: DrawNumbers | None = None
) -> Melody | None:
    """Return the melody of a sentence for a voice that takes one, else None. `edges` as `PhoneIds.edges` gives them, `frames` of each symbol, int64 (T,)."""
    if not voice.architecture.takes_melody:
        return None
    return build_melody(phones, np.add.reduceat(frames, edges[:-1]), request, voice, draw)


def count_lead_steps(voice: VoiceTraits) -> int:
    """Return by how many of its steps a melody is ahead of the frames, as the sound is."""
    return round(voice.architecture.sound_lead_s * _count_steps_per_s(voice))


def _count_steps_per_s(voice: VoiceTraits) -> float:
    return STEPS_PER_FRAME * voice.sampling_rate / voice.hop_length


def smooth_curve(values: Float64, width: int) -> Float64:
    """Return the values smoothed by a Hann window of so many steps on each side; the ends keep their values."""
    window = np.hanning(2 * width + 1)[1:-1]
    padded = np.pad(values, len(window) // 2, mode="edge")
    return np.asarray(np.convolve(padded, window / window.sum(), mode="valid"), np.float64)


def add_question_rise(curve: Float64, phones: Phones, steps: Int64) -> None:
    """Raise the end of each question, in place; what follows the last one stays up."""
    ends = np.cumsum(steps)
    for first, mark in _list_question_ends(phones):
        start, end = int(ends[first] - steps[first]), int(ends[mark - 1])
        curve[start:end] += np.linspace(0, QUESTION_RISE, end - start)
        curve[end:] += QUESTION_RISE if mark >= len(phones.phones) - 2 else 0


def _build_question_rows(phones: Phones, steps: Int64, lead: int) -> Float32:
    """Return a row for each question, 1 from the vowel that rises to the end of the mark, float32 (Q, sum of `steps`)."""
    ends, spans = np.maximum(np.cumsum(steps) - lead, 0), _list_question_ends(phones)
    rows = np.zeros((max(1, len(spans)), int(steps.sum())), np.float32)
    for row, (first, mark) in zip(rows, spans, strict=False):
        row[ends[first - 1] : ends[mark]] = 1
    return rows


def _list_question_ends(phones: Phones) -> list[tuple[int, int]]:
    """Return where each question rises: the index of the vowel of its last mora, and that of its mark.

    ん, っ and a lengthened vowel rise together with the mora before them.
    """
    names, ends = phones.phones, []
    for mark, phone in enumerate(names):
        last = mark - 1
        if phone != "?" or map_phones_to_moras(names)[last] == NO_INDEX:
            continue
        is_attached = names[last] in ("N", "q") or names[last] == names[last - 1]
        ends.append((last - 1 if is_attached and is_mora_end(names[last - 1]) else last, mark))
    return ends


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
