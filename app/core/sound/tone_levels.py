"""Computes how high each mora of a sentence is by its tones: sparse targets, between which a melody goes straight.

After Pierrehumbert and Beckman 1988, "Japanese Tone Structure": a phrase rises to its high tone from a low one that is low in part only, stays there, falls after its
accent, and what follows in the same breath has less of the range ("downstep"); a breath group begins with more of it again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.core.synthesis_types import Float64

LOWEST, HIGHEST = -4.0, 4.8  # semitones over the speaker's median: the bounds of a first phrase
DOWNSTEP, LEAST_SHARE = 0.72, 0.45  # of the range, what an accent leaves to the next phrase; of the whole one, what is left in the end
RECOVERY = 0.35  # of the whole range, what a pause gives back
# Of a phrase's range: how high its low beginning is, behind a pause and within a breath group; how high a phrase is that has no high tone.
BEGINNING, LINKED_BEGINNING, TONELESS = 0.35, 0.45, 0.35
# Of a phrase's range: the first mora behind an accent, each one after that, and the lowest of them.
FALLEN, FALLEN_STEP, FALLEN_LEAST = 0.30, -0.15, 0.05
ACCENT_PEAK, PLATEAU_STEP, PLATEAU_LEAST = 0.6, -0.25, -1.5  # semitones: of the mora with the accent; of each mora of a plateau, and of all
DECLINATION_PER_S, MAX_DECLINATION = 0.5, 3.0  # semitones, from the beginning of a breath group on
FINAL_LOWERING = 1.0  # semitones, of the last mora


@dataclass(frozen=True, slots=True)
class MoraTone:
    """The tone of a mora, when it begins in seconds, and what begins with it."""

    is_high: bool
    start_s: float
    begins_phrase: bool
    begins_group: bool


@dataclass(frozen=True, slots=True)
class PhraseShape:
    """The way in which an accent phrase is sung: a factor of its range, and semitones by which all of it is higher."""

    range: float = 1.0
    level: float = 0.0


DrawShapes = Callable[[int], Sequence[PhraseShape]]  # the shapes of so many phrases


def compute_mora_levels(moras: Sequence[MoraTone], draw_shapes: DrawShapes | None = None) -> Float64:
    """Compute the level of each mora in semitones over the speaker's median, float64 (n,)."""
    levels = np.zeros(len(moras))
    begins = _list_begins(moras)
    shapes = [PhraseShape()] * len(begins) if draw_shapes is None else draw_shapes(len(begins))
    share, group_start_s = 1.0, 0.0
    for number, (first, end, shape) in enumerate(zip(begins, [*begins[1:], len(moras)], shapes, strict=True)):
        phrase = moras[first:end]
        tones = [mora.is_high for mora in phrase]
        begins_group = number == 0 or phrase[0].begins_group
        if begins_group:
            share, group_start_s = min(1.0, share + RECOVERY), phrase[0].start_s
        begun_s = np.array([mora.start_s - group_start_s for mora in phrase])
        declined = np.minimum(DECLINATION_PER_S * begun_s, MAX_DECLINATION)
        beginning = BEGINNING if begins_group else LINKED_BEGINNING
        levels[first:end] = _list_phrase_levels(tones, share * shape.range, beginning) + (shape.level - declined)
        if any(tones) and not tones[-1]:
            share = max(LEAST_SHARE, share * DOWNSTEP)
    levels[-1:] -= FINAL_LOWERING
    return levels


def _list_begins(moras: Sequence[MoraTone]) -> list[int]:
    """Return where phrases begin. One that a user gave a second rise is two, of which the second begins with the low mora before the rise."""
    begins: list[int] = []
    has_been_high = False
    for index, (mora, following) in enumerate(zip(moras, [*moras[1:], None], strict=True)):
        rises_again = has_been_high and not mora.is_high and following is not None and following.is_high
        if index == 0 or mora.begins_phrase or mora.begins_group or rises_again:
            begins.append(index)
            has_been_high = False
        has_been_high = has_been_high or mora.is_high
    return begins


def _list_phrase_levels(tones: Sequence[bool], share: float, beginning: float) -> list[float]:
    """Return the levels of a phrase with this share of the range, without what declines."""
    width = (HIGHEST - LOWEST) * share
    if not any(tones):
        return [LOWEST + TONELESS * width] * len(tones)
    first, last = tones.index(True), len(tones) - 1 - list(reversed(tones)).index(True)
    levels = []
    for index in range(len(tones)):
        if index < first:
            levels.append(LOWEST + beginning * width)
        elif index <= last:
            is_accented = index == last < len(tones) - 1
            sunk = max(PLATEAU_LEAST, PLATEAU_STEP * (index - first))
            levels.append(LOWEST + width + sunk + (ACCENT_PEAK if is_accented else 0))
        else:
            levels.append(LOWEST + width * max(FALLEN_LEAST, FALLEN + FALLEN_STEP * (index - last - 1)))
    return levels
