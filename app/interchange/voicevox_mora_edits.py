"""The morae of a VOICEVOX line that were edited by hand, and how far from what that voice would have said.

Its editor moves pitches and lengths in steps of 0.01, while its engines predict numbers of many digits: what has two decimals among
those was set by hand. Where a line has no such numbers, another program wrote it, and only its pitches can be compared: each with the
others of its tone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from app.core.accent_edits import SHORTEST_MORA_S
from app.core.request_limits import MORA_PITCH_BOUNDS, PAUSE_BOUNDS

EDITOR_STEPS = 100  # in a unit of pitch or length
# As much as single precision loses.
STEP_TOLERANCE = 2e-7
# Semitones from the estimate: below, nobody hears the difference from how the estimate errs; morae of one tone differ by more.
LEAST_PITCH_EDIT, LEAST_PITCH_EDIT_WITHOUT_STEPS = 0.5, 1.0
# Between a high mora and a low one, roughly, in VOICEVOX's unit.
TONE_STEP = 0.25
_SEMITONES_PER_UNIT = 12 / math.log(2)


@dataclass(frozen=True, slots=True)
class GivenMora:
    """One mora as a query has it.

    Attributes:
        phrase: index of its accent phrase in the line.
        tone: 0 low, 1 high.
        pitch: logarithm of Hz; 0 or less is unvoiced.
        lengths_s: of its phones, at speed 1.
    """

    phrase: int
    tone: int
    pitch: float
    lengths_s: tuple[float, ...]


def find_pitch_offsets(moras: Sequence[GivenMora]) -> list[float | None]:
    """Return by how many semitones each mora of a line was moved; None for one that was not."""
    voiced = [index for index, mora in enumerate(moras) if mora.pitch > 0]
    edited = [index for index in voiced if _is_step(moras[index].pitch)]
    found: list[float | None] = [None] * len(moras)
    if not edited:
        return found
    if predicted := sorted(set(voiced) - set(edited)):
        expected, least = _interpolate_pitches(moras, predicted), LEAST_PITCH_EDIT
    else:
        expected, least = _compute_tone_medians(moras, voiced), LEAST_PITCH_EDIT_WITHOUT_STEPS
    for index in edited:
        semitones = (moras[index].pitch - expected[index]) * _SEMITONES_PER_UNIT
        if abs(semitones) >= least:
            found[index] = round(min(MORA_PITCH_BOUNDS.high, max(MORA_PITCH_BOUNDS.low, semitones)), 2)
    return found


def find_length_edits(moras: Sequence[GivenMora], speed: float) -> list[float | None]:
    """Return the seconds in the sound of each mora of a line whose length was set; None for the others, and wherever nobody knows."""
    lengths = [length_s for mora in moras for length_s in mora.lengths_s]
    if all(map(_is_step, lengths)):
        return [None] * len(moras)
    return [
        round(min(PAUSE_BOUNDS.high, max(SHORTEST_MORA_S, sum(mora.lengths_s) / speed)), 3) if any(map(_is_step, mora.lengths_s)) else None
        for mora in moras
    ]


def may_have_length_edits(moras: Sequence[GivenMora]) -> bool:
    """Return whether a line has lengths, and nobody knows whether they were set by hand."""
    lengths = [length_s for mora in moras for length_s in mora.lengths_s]
    return any(lengths) and all(map(_is_step, lengths))


def _is_step(value: float) -> bool:
    return abs(value * EDITOR_STEPS - round(value * EDITOR_STEPS)) < STEP_TOLERANCE * EDITOR_STEPS


def _interpolate_pitches(moras: Sequence[GivenMora], predicted: Sequence[int]) -> list[float]:
    """Return what the voice would have said for each mora: between the predictions of its tone in its phrase, else in the line."""
    pitches = np.array([mora.pitch for mora in moras])
    expected = np.array(_compute_tone_medians(moras, predicted))
    known = set(predicted)
    # The stretches of phrases come last and win.
    for group_of in (lambda mora: mora.tone, lambda mora: (mora.phrase, mora.tone)):
        groups: dict[object, list[int]] = {}
        for index, mora in enumerate(moras):
            groups.setdefault(group_of(mora), []).append(index)
        for group in groups.values():
            if near := [index for index in group if index in known]:
                expected[group] = np.interp(group, near, pitches[near])
    return [float(pitch) for pitch in expected]


def _compute_tone_medians(moras: Sequence[GivenMora], known: Sequence[int]) -> list[float]:
    """Return for each mora the median pitch of the known ones of its tone in the line; where there are none, it follows from the other tone."""
    by_tone = {tone: [moras[index].pitch for index in known if moras[index].tone == tone] for tone in (0, 1)}
    low, high = (median(pitches) if pitches else None for pitches in by_tone.values())
    steps = {0: (high or 0.0) - TONE_STEP if low is None else low, 1: (low or 0.0) + TONE_STEP if high is None else high}
    return [steps[mora.tone] for mora in moras]
