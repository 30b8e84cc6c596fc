"""The voice's own melody of a line: as its sound has it, or as its tones let expect it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from app.core.line_reading import LineReading
from app.core.melody_edits import LineMelody, list_pitch_offsets
from app.core.mora_pitches import measure_mora_pitches, predict_mora_pitches
from app.core.moras import find_mora_phones
from app.core.phone_ids import count_moras
from app.core.ports import PitchTracker
from app.core.synthesis_types import Float32, MoraOverride, Overrides, Phones, PhoneTiming

SEMITONES_PER_OCTAVE = 12
UNKNOWN_MORA_PHONES = ("a",)


def measure_line_pitches(
    samples: Float32, sampling_rate: int, sentences: Mapping[int, tuple[float, tuple[PhoneTiming, ...]]], tracker: PitchTracker
) -> tuple[float | None, ...]:
    """Return the pitch of each mora of a line in Hz, None for one that is not voiced.

    Args:
        samples: the whole line, float32 (N,), silences included.
        sampling_rate: in Hz.
        sentences: of each sentence its start in the line in seconds, and its phones from there.
        tracker: finds the pitch.
    """
    timings = [
        replace(timing, start_s=start + timing.start_s, end_s=start + timing.end_s)
        for _sentence, (start, phones) in sorted(sentences.items())
        for timing in phones
    ]
    return measure_mora_pitches(samples, sampling_rate, timings, tracker) if timings else ()


def find_own_melody(pitches_hz: Sequence[float | None], overrides: Overrides) -> LineMelody:
    """Return the melody that a voice had by itself, once what the user moved in that sound is taken off again.

    Args:
        pitches_hz: of each mora, as measured.
        overrides: with which the line was spoken.
    """
    offsets = list_pitch_offsets(overrides, len(pitches_hz))
    levels = [None if hz is None else SEMITONES_PER_OCTAVE * math.log2(hz) - offset for hz, offset in zip(pitches_hz, offsets, strict=True)]
    middle = float(np.median([level for level in levels if level is not None] or [0.0]))
    return LineMelody(tuple(None if level is None else level - middle for level in levels), offsets, is_measured=True)


def predict_own_melody(reading: LineReading, tones: Sequence[int], *, intonation: float = 1.0) -> LineMelody:
    """Return the melody that the tones of a line ask for, none of it moved by hand.

    Args:
        reading: the line.
        tones: of each mora, with the user's edits.
        intonation: scales how far the pitch leaves its middle.
    """
    own: list[float | None] = []
    for sentence, place in enumerate(reading.offsets):
        count = sum(mora.sentence == sentence for mora in reading.moras)
        phones = _rebuild_phones(reading, tones, sentence, range(place.moras, place.moras + count))
        own += predict_mora_pitches(phones, intonation=intonation) if count else ()
    return LineMelody(tuple(own), (0.0,) * len(own))


def remove_pitch_edits(overrides: Overrides) -> Overrides:
    """Return the edits without those of the melody: two lines that differ in nothing else have the same melody of their own."""
    moras = tuple(kept for edit in overrides.moras if (kept := replace(edit, pitch=None)) != MoraOverride(edit.mora))
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
