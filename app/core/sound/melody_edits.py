"""Pure edits of a line's melody: how far the pitch of each mora is moved from the voice's own.

A mora without a pitch, such as an unvoiced one, is never moved by what shapes a curve, and moves along with its phrase.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.core.request_limits import MORA_PITCH_BOUNDS
from app.core.synthesis_types import Overrides

PITCH_SNAP = 0.1  # semitones
ENDING_RISES = (1.5, 4.0)  # semitones of the last morae before the end of a question
KEPT_NEIGHBOUR_WEIGHT = 0.25  # of each neighbour, when a melody is smoothed


@dataclass(frozen=True, slots=True)
class LineMelody:
    """The melody of a line, mora by mora.

    Attributes:
        own: semitones that the voice has by itself, from the middle of its pitch; None for a mora without a pitch.
        offsets: semitones by which the user moves them.
        is_measured: `own` was measured in the line's sound; else it is what will be asked for.
    """

    own: tuple[float | None, ...]
    offsets: tuple[float, ...]
    is_measured: bool = False

    @property
    def heights(self) -> tuple[float | None, ...]:
        """Return the semitones that will be heard: the voice's own, and the offset."""
        return tuple(None if own is None else own + offset for own, offset in zip(self.own, self.offsets, strict=True))

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
    found: dict[int, float] = {}
    for mora, height in heights.items():
        own = melody.own[mora]
        if own is not None:
            found[mora] = round_pitch(height - own)
    return found


def smooth_pitches(melody: LineMelody, moras: Sequence[int]) -> dict[int, float]:
    """Return the offsets with which each mora lies nearer to its neighbours among these."""
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
    own = [value for mora in voiced if (value := melody.own[mora]) is not None]
    if not own:
        return {}
    middle = float(np.mean(own)) + copied.offset
    places = np.linspace(0, len(copied.heights) - 1, len(voiced))
    tune = np.interp(places, np.arange(len(copied.heights)), copied.heights)
    return place_pitches(melody, {mora: middle + float(height) for mora, height in zip(voiced, tune, strict=True)})


def round_pitch(semitones: float) -> float:
    """Return an offset on the grid, within its bounds."""
    return round(min(MORA_PITCH_BOUNDS.high, max(MORA_PITCH_BOUNDS.low, round(semitones / PITCH_SNAP) * PITCH_SNAP)), 2)
