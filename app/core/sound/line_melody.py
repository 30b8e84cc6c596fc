"""The melody of a line, mora by mora: the voice's own, as its sound has it or as its tones let expect it, and how far a user moves it.

A mora without a pitch, such as an unvoiced one, is never moved by what shapes a curve, and moves along with its phrase. Edits are pure.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.core.sound.line_reading import LineReading
from app.core.sound.melody import SEMITONES_PER_OCTAVE, add_question_rise, build_tone_curve, list_voiced_spans
from app.core.sound.ports import PITCH_FRAME_S, PitchTracker
from app.core.symbols import EMOJI_IDS, is_mora_end
from app.core.synthesis_types import MORA_PITCH_BOUNDS, Float32, MoraOverride, Overrides, Phones, PhoneTiming
from app.core.text.phone_ids import NO_INDEX, count_moras, map_phones_to_moras
from app.core.text.pronunciation import find_mora_phones

UNKNOWN_MORA_PHONES = ("a",)

MIN_VOICED_FRAMES, LEAST_VOICED_SHARE = 4, 0.5
"""Fewer frames of a mora than these are the end of another one, or noise that looked voiced to the tracker."""

VOWEL_S, CONSONANT_S, MARK_S = 0.09, 0.05, 0.3  # lengths of a preview in seconds; only how they relate is seen
PREVIEW_STEPS_PER_S = 100
UNVOICED_MORAS = frozenset({"q", *EMOJI_IDS})

PITCH_SNAP = 0.1  # semitones
ENDING_RISES = (1.5, 4.0)  # semitones of the last morae before the end of a question
KEPT_NEIGHBOUR_WEIGHT = 0.25  # of each neighbour, when a melody is smoothed


def measure_mora_pitches(
    samples: Float32, sampling_rate: int, timings: Sequence[PhoneTiming], tracker: PitchTracker
) -> tuple[float | None, ...]:
    """Return the median pitch of each mora in Hz, in the order of the morae; None for one that is not voiced.

    Args:
        samples: the sound of one sentence or of a whole line, float32 (N,).
        timings: phones of the sentence, in seconds of `samples`; the timings of several sentences may follow one another.
        tracker: finds the pitch. It takes about a hundredth of the sound's length.
    """
    f0 = np.asarray(tracker.estimate_f0(samples, sampling_rate))
    return tuple(None if span is None else _find_median(f0, *span) for span in list_voiced_spans(timings))


def predict_mora_pitches(phones: Phones, *, intonation: float = 1.0) -> tuple[float | None, ...]:
    """Return the pitch that the tones ask for in each mora, in semitones over the median of the speaker; None for one without a vowel's voice.

    The lengths are those of usual speech, so the result needs no voice. What the user moved by hand is not in it.

    Args:
        intonation: scales how far the pitch leaves the median.
    """
    owners = np.array(map_phones_to_moras(phones.phones))
    lengths = [
        MARK_S if owner == NO_INDEX else VOWEL_S if is_mora_end(phone) else CONSONANT_S
        for phone, owner in zip(phones.phones, owners, strict=True)
    ]
    steps = np.rint(np.array(lengths) * PREVIEW_STEPS_PER_S).astype(np.int64)
    curve, owned = build_tone_curve(phones, steps, PREVIEW_STEPS_PER_S), np.repeat(owners, steps)
    add_question_rise(curve, phones, steps)
    unvoiced = {int(owner) for phone, owner in zip(phones.phones, owners, strict=True) if phone in UNVOICED_MORAS}
    return tuple(
        None if mora in unvoiced else float(np.median(curve[owned == mora]) * intonation) for mora in range(int(owners.max(initial=-1)) + 1)
    )


def _find_median(f0: np.ndarray, start_s: float, end_s: float) -> float | None:
    inside = f0[max(0, round(start_s / PITCH_FRAME_S)) : max(0, round(end_s / PITCH_FRAME_S))]
    voiced = inside[inside > 0]
    return float(np.median(voiced)) if len(voiced) >= max(MIN_VOICED_FRAMES, LEAST_VOICED_SHARE * len(inside)) else None


def measure_line_pitches(
    samples: Float32, sampling_rate: int, sentences: Mapping[int, tuple[float, tuple[PhoneTiming, ...]]], tracker: PitchTracker
) -> tuple[float | None, ...]:
    """Return the pitch of each mora of a line in Hz, None for one that is not voiced.

    Args:
        samples: the whole line, float32 (N,), silences included.
        sentences: of each sentence its start in the line in seconds, and its phones from there.
    """
    timings = [
        replace(timing, start_s=start + timing.start_s, end_s=start + timing.end_s)
        for _sentence, (start, phones) in sorted(sentences.items())
        for timing in phones
    ]
    return measure_mora_pitches(samples, sampling_rate, timings, tracker) if timings else ()


@dataclass(frozen=True, slots=True)
class LineMelody:
    """The melody of a line, mora by mora."""

    own: tuple[float | None, ...]  # semitones that the voice has by itself, from the middle of its pitch; None for a mora without a pitch
    offsets: tuple[float, ...]  # semitones by which the user moves them
    is_measured: bool = False  # `own` was measured in the line's sound; else it is what will be asked for

    @property
    def heights(self) -> tuple[float | None, ...]:
        """Return the semitones that will be heard: the voice's own, and the offset."""
        return tuple(None if semitones is None else semitones + offset for semitones, offset in zip(self.own, self.offsets, strict=True))

    def list_voiced(self, moras: Iterable[int]) -> list[int]:
        """Return those of these morae that have a pitch."""
        return [mora for mora in moras if self.own[mora] is not None]


@dataclass(frozen=True, slots=True)
class CopiedMelody:
    """The tune of a phrase: semitones of its morae around their mean, and by how much all of them were moved."""

    heights: tuple[float, ...]
    offset: float


def list_pitch_offsets(overrides: Overrides, count: int) -> tuple[float, ...]:
    """Return the offset of each of `count` morae in semitones, 0 where nobody moved it."""
    offsets = [0.0] * count
    for edit in overrides.moras:
        if edit.pitch is not None and edit.mora < count:
            offsets[edit.mora] = edit.pitch
    return tuple(offsets)


def shift_pitches(melody: LineMelody, moras: Sequence[int], semitones: float) -> dict[int, float]:
    """Return the offsets of morae moved together, as far as the first of them may go: the tune between them stays."""
    offsets = [melody.offsets[mora] for mora in moras]
    if not offsets:
        return {}
    least, most = MORA_PITCH_BOUNDS.low - min(offsets), MORA_PITCH_BOUNDS.high - max(offsets)
    moved = min(most, max(least, semitones))
    return {mora: round_pitch(offset + moved) for mora, offset in zip(moras, offsets, strict=True)}


def place_pitches(melody: LineMelody, heights: Mapping[int, float]) -> dict[int, float]:
    """Return the offsets with which morae are heard at these heights; those without a pitch are left out."""
    offsets: dict[int, float] = {}
    for mora, height in heights.items():
        semitones = melody.own[mora]
        if semitones is not None:
            offsets[mora] = round_pitch(height - semitones)
    return offsets


def smooth_pitches(melody: LineMelody, moras: Sequence[int]) -> dict[int, float]:
    """Return the offsets that bring each mora closer to its neighbours among these."""
    voiced = melody.list_voiced(moras)
    heights = np.array([melody.heights[mora] for mora in voiced], np.float64)
    if len(heights) < 3:
        return {}
    padded = np.pad(heights, 1, mode="edge")
    smooth = (1 - 2 * KEPT_NEIGHBOUR_WEIGHT) * heights + KEPT_NEIGHBOUR_WEIGHT * (padded[:-2] + padded[2:])
    return place_pitches(melody, dict(zip(voiced, map(float, smooth), strict=True)))


def flatten_pitches(melody: LineMelody, moras: Sequence[int]) -> dict[int, float]:
    """Return the offsets with which these morae are all heard at their mean."""
    voiced = melody.list_voiced(moras)
    heights = [height for mora in voiced if (height := melody.heights[mora]) is not None]
    return place_pitches(melody, dict.fromkeys(voiced, float(np.mean(heights)))) if heights else {}


def raise_ending(melody: LineMelody, moras: Sequence[int]) -> dict[int, float]:
    """Return the offsets with which the last of these morae rise, as in a question; further each time."""
    last = melody.list_voiced(moras)[-len(ENDING_RISES) :]
    rises = ENDING_RISES[len(ENDING_RISES) - len(last) :]
    return {mora: round_pitch(melody.offsets[mora] + rise) for mora, rise in zip(last, rises, strict=True)}


def copy_melody(melody: LineMelody, moras: Sequence[int]) -> CopiedMelody | None:
    """Return the tune of these morae as it will be heard, or None where none of them has a pitch."""
    voiced = melody.list_voiced(moras)
    heights = [height for mora in voiced if (height := melody.heights[mora]) is not None]
    if not heights:
        return None
    mean = float(np.mean(heights))
    return CopiedMelody(tuple(height - mean for height in heights), float(np.mean([melody.offsets[mora] for mora in voiced])))


def paste_melody(melody: LineMelody, moras: Sequence[int], copied: CopiedMelody) -> dict[int, float]:
    """Return the offsets that give these morae a copied tune around their own mean, stretched to their number."""
    voiced = melody.list_voiced(moras)
    levels = [value for mora in voiced if (value := melody.own[mora]) is not None]
    if not levels:
        return {}
    middle = float(np.mean(levels)) + copied.offset
    places = np.linspace(0, len(copied.heights) - 1, len(voiced))
    tune = np.interp(places, np.arange(len(copied.heights)), copied.heights)
    return place_pitches(melody, {mora: middle + float(height) for mora, height in zip(voiced, tune, strict=True)})


def round_pitch(semitones: float) -> float:
    """Return an offset on the grid, within its bounds."""
    return round(min(MORA_PITCH_BOUNDS.high, max(MORA_PITCH_BOUNDS.low, round(semitones / PITCH_SNAP) * PITCH_SNAP)), 2)


def find_own_melody(pitches_hz: Sequence[float | None], overrides: Overrides) -> LineMelody:
    """Return the melody that a voice had by itself, once what the user moved in that sound is taken off again.

    `pitches_hz` are those measured of each mora; `overrides` those with which the line was spoken.
    """
    offsets = list_pitch_offsets(overrides, len(pitches_hz))
    levels = [None if hz is None else SEMITONES_PER_OCTAVE * math.log2(hz) - offset for hz, offset in zip(pitches_hz, offsets, strict=True)]
    middle = float(np.median([level for level in levels if level is not None] or [0.0]))
    return LineMelody(tuple(None if level is None else level - middle for level in levels), offsets, is_measured=True)


def predict_own_melody(reading: LineReading, tones: Sequence[int], *, intonation: float = 1.0) -> LineMelody:
    """Return the melody that the tones of a line ask for, none of it moved by hand.

    Args:
        tones: of each mora, with the user's edits.
        intonation: scales how far the pitch leaves its middle.
    """
    pitches: list[float | None] = []
    for sentence, offset in enumerate(reading.offsets):
        count = sum(mora.sentence == sentence for mora in reading.moras)
        phones = _rebuild_phones(reading, tones, sentence, range(offset.moras, offset.moras + count))
        pitches += predict_mora_pitches(phones, intonation=intonation) if count else ()
    return LineMelody(tuple(pitches), (0.0,) * len(pitches))


def remove_pitch_edits(overrides: Overrides) -> Overrides:
    """Return the edits without those of the melody: two lines that differ in nothing else have the same melody of their own."""
    moras = tuple(plain_edit for edit in overrides.moras if (plain_edit := replace(edit, pitch=None)) != MoraOverride(edit.mora))
    if not (overrides.readings or moras or overrides.pauses or overrides.phrases):
        return Overrides()
    return replace(overrides, moras=moras)


def _rebuild_phones(reading: LineReading, tones: Sequence[int], sentence: int, moras: range) -> Phones:
    """Return the phones of one sentence; of its text nothing is needed."""
    names, levels, vowel = ["_"], [0], ""
    marks = [mark for mark in reading.marks if mark.sentence == sentence]
    for mora in (*moras, None):
        while marks and marks[0].moras_before == (moras.stop if mora is None else mora):
            names.append(marks.pop(0).phone)
            levels.append(0)
        if mora is None:
            break
        spoken = _find_phones(reading.moras[mora].kana, vowel)
        vowel = spoken[-1]
        names += spoken
        levels += [tones[mora]] * len(spoken)
    names.append("_")
    levels.append(0)
    return Phones("", "", tuple(names), tuple(levels), (len(names) - 1, 1))


def _find_phones(kana: str, vowel: str) -> tuple[str, ...]:
    """Return the phones of a mora, an emoji as its own; those of a mora that no table knows are as good as any for its pitch."""
    if count_moras((kana,)) == 1:
        return (kana,)
    phones = find_mora_phones(kana, vowel)
    return phones if count_moras(phones) == 1 and count_moras(phones[-1:]) == 1 else UNKNOWN_MORA_PHONES
