"""The pitch of each mora: as a rendering has it, and as the tones let expect it before there is one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.core.melody import add_question_rise, build_tone_curve
from app.core.phone_ids import NO_INDEX, map_phones_to_moras
from app.core.pitch_offsets import list_voiced_spans
from app.core.ports import PITCH_FRAME_S, PitchTracker
from app.core.symbols import EMOJI_IDS, VOWEL_PHONES
from app.core.synthesis_types import Float32, Phones, PhoneTiming

MIN_VOICED_FRAMES, LEAST_VOICED_SHARE = 4, 0.5
"""Fewer frames of a mora than these are the end of another one, or noise that looked voiced to the tracker."""

# Lengths of a preview in seconds; only how they relate is seen.
VOWEL_S, CONSONANT_S, MARK_S = 0.09, 0.05, 0.3
PREVIEW_STEPS_PER_S = 100
UNVOICED_MORAS = frozenset({"q", *EMOJI_IDS})


def measure_mora_pitches(
    samples: Float32, sampling_rate: int, timings: Sequence[PhoneTiming], tracker: PitchTracker
) -> tuple[float | None, ...]:
    """Return the median pitch of each mora in Hz, in the order of the morae; None for one that is not voiced.

    Args:
        samples: the sound of one sentence or of a whole line, float32 (N,).
        sampling_rate: in Hz.
        timings: phones of the sentence, in seconds of `samples`; the timings of several sentences may follow one another.
        tracker: finds the pitch. It takes about a hundredth of the sound's length.
    """
    f0 = np.asarray(tracker.estimate_f0(samples, sampling_rate))
    return tuple(None if span is None else _find_median(f0, *span) for span in list_voiced_spans(timings))


def predict_mora_pitches(phones: Phones, *, intonation: float = 1.0) -> tuple[float | None, ...]:
    """Return the pitch that the tones ask for in each mora, in semitones over the median of the speaker; None for one without a vowel's voice.

    The lengths are those of usual speech, so the result needs no voice. What the user moved by hand is not in it.

    Args:
        phones: of one sentence, with the tones that count.
        intonation: scales how far the pitch leaves the median.
    """
    owners = np.array(map_phones_to_moras(phones.phones))
    lengths = [_find_length(phone, is_outside=owner == NO_INDEX) for phone, owner in zip(phones.phones, owners, strict=True)]
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


def _find_length(phone: str, *, is_outside: bool) -> float:
    if is_outside:
        return MARK_S
    return VOWEL_S if phone in VOWEL_PHONES | {"N", "q"} | EMOJI_IDS.keys() else CONSONANT_S
