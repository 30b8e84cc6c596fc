"""The melody of a sentence: its pitch by time, made from the tones of its morae, for voices whose pitch can be given.

A voice may keep its own pitch where that is slower or faster than accents (`app/voices/prepare/kokoro/kokoro_melody.py`).
Semitones are relative to the speaker's median. A breath group ends with a mark; inside it the pitch declines.
"""

from __future__ import annotations

import numpy as np

from app.core.phone_ids import NO_INDEX, map_phones_to_marks, map_phones_to_moras
from app.core.ports import STEPS_PER_FRAME, Melody
from app.core.symbols import PUNCTUATION
from app.core.synthesis_types import Float64, Int64, Phones, SynthesisRequest
from app.core.voice_traits import VoiceTraits

TONE_SEMITONES = (-3.5, 3.5)  # low, high
# In a breath group the pitch declines, by this many semitones a second at first and this many in all.
DECLINATION_PER_S, MAX_DECLINATION = 1.5, 4.0
# The fall after an accent and the rise into a phrase take about the length of a mora, with what the voice smooths.
SMOOTHING_S = 0.08
QUESTION_RISE = 5.0  # semitones, over the last mora
SEMITONES_PER_OCTAVE = 12


def build_melody(phones: Phones, phone_frames: Int64, request: SynthesisRequest, voice: VoiceTraits) -> Melody:
    """Return the melody of a sentence.

    Args:
        phones: with the tones that count.
        phone_frames: frames of each phone, int64 (n,).
        request: moves it by `pitch` and scales its excursions by `intonation`.
        voice: says how long a frame is, and which pitch its speakers have.
    """
    curve = build_tone_curve(phones, phone_frames * STEPS_PER_FRAME, _count_steps_per_s(voice))
    lead = count_lead_steps(voice)
    curve = np.concatenate((curve[lead:], np.full(min(lead, len(curve)), curve[-1])))
    median_hz = voice.median_f0[voice.find_style_row(request.speaker, request.style)]
    octaves = (curve * request.intonation + request.pitch) / SEMITONES_PER_OCTAVE
    return Melody(np.asarray(median_hz * 2.0**octaves, np.float32), request.accent_fidelity, request.intonation)


def build_tone_curve(phones: Phones, steps: Int64, steps_per_s: float) -> Float64:
    """Return what the tones say of the pitch: semitones over the speaker's median at each step, float64 (sum of `steps`,).

    `steps` are those of each phone, int64 (n,).
    """
    curve = smooth_curve(np.repeat(_list_levels(phones), steps), round(SMOOTHING_S * steps_per_s))
    group_s = _count_steps_in_group(phones, steps) / steps_per_s
    curve -= MAX_DECLINATION * (1 - np.exp(-DECLINATION_PER_S / MAX_DECLINATION * group_s))
    # The speaker's median is the mean of what is spoken, whatever the accents.
    spoken = np.repeat(np.array(map_phones_to_moras(phones.phones)) != NO_INDEX, steps)
    curve -= curve[spoken].mean() if spoken.any() else 0.0
    _add_question_rise(curve, phones, steps)
    return curve


def build_melody_of_symbols(phones: Phones, edges: Int64, frames: Int64, request: SynthesisRequest, voice: VoiceTraits) -> Melody | None:
    """Return the melody of a sentence for a voice that takes one, else None.

    `edges` as `PhoneIds.edges` gives them, `frames` of each symbol, int64 (T,).
    """
    if not voice.architecture.takes_melody:
        return None
    return build_melody(phones, np.add.reduceat(frames, edges[:-1]), request, voice)


def count_lead_steps(voice: VoiceTraits) -> int:
    """Return by how many of its steps a melody is ahead of the frames, as the sound is."""
    return round(voice.architecture.sound_lead_s * _count_steps_per_s(voice))


def _count_steps_per_s(voice: VoiceTraits) -> float:
    return STEPS_PER_FRAME * voice.sampling_rate / voice.hop_length


def _list_levels(phones: Phones) -> Float64:
    """Return the level of each phone in semitones; marks and `_` keep the level before them, and those at the beginning take the first one."""
    moras = map_phones_to_moras(phones.phones)
    known = [index for index, mora in enumerate(moras) if mora != NO_INDEX] or [0]
    levels = np.array([TONE_SEMITONES[tone] for tone in phones.tones])
    before = np.searchsorted(known, np.arange(len(moras)), side="right") - 1
    return np.asarray(levels[np.array(known)[np.maximum(before, 0)]], np.float64)


def smooth_curve(values: Float64, width: int) -> Float64:
    """Return the values smoothed by a Hann window of so many steps on each side; the ends keep their values."""
    window = np.hanning(2 * width + 1)[1:-1]
    padded = np.pad(values, len(window) // 2, mode="edge")
    return np.asarray(np.convolve(padded, window / window.sum(), mode="valid"), np.float64)


def _count_steps_in_group(phones: Phones, steps: Int64) -> Float64:
    """Return how many steps of its breath group lie before each step; pauses count on, so that the pitch does not jump in them."""
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(steps)))
    marks = map_phones_to_marks(phones.phones)
    begins = [0]
    for index in range(1, len(marks)):
        begins.append(starts[index] if marks[index] == NO_INDEX and marks[index - 1] != NO_INDEX else begins[-1])
    return np.arange(int(starts[-1]), dtype=np.float64) - np.repeat(np.array(begins, np.float64), steps)


def _add_question_rise(curve: Float64, phones: Phones, steps: Int64) -> None:
    """Raise the last mora before each question mark, in place."""
    ends, moras = np.cumsum(steps), map_phones_to_moras(phones.phones)
    for index, phone in enumerate(phones.phones):
        if phone != "?" or phones.phones[index - 1] in PUNCTUATION:
            continue
        first = moras.index(moras[index - 1]) if moras[index - 1] != NO_INDEX else index
        start, end = int(ends[first] - steps[first]), int(ends[index - 1])
        curve[start:end] += np.linspace(0, QUESTION_RISE, end - start)
        curve[end:] += QUESTION_RISE if index >= len(phones.phones) - 2 else 0
