"""The content of the melody lane for a line: where each mora's handle is, and what is said about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from app.common.language import localize
from app.core.sound.line_edits import find_phrase, set_mora_pitches
from app.core.sound.line_melody import LineMelody, list_pitch_offsets
from app.core.synthesis_types import Overrides
from app.ui.reading.strip.strip_shape import CellKind, StripCell, StripShape

LANE_HEIGHT_PX = 92
LANE_PADDING_PX = 13.0  # above the highest handle and below the lowest one
NARROWEST_RANGE = 14.0  # semitones: a voice that hardly moves must not look like one that sings
RANGE_MARGIN = 1.0


@dataclass(frozen=True, slots=True)
class MelodyScale:
    """The semitones at the upper and the lower end of the lane."""

    low: float
    high: float

    def convert_to_y(self, semitones: float) -> float:
        """Return the pixel of a height."""
        return LANE_PADDING_PX + (self.high - semitones) * self.px_per_semitone

    def convert_to_semitones(self, y: float) -> float:
        """Return the height at a pixel."""
        return self.high - (y - LANE_PADDING_PX) / self.px_per_semitone

    @property
    def px_per_semitone(self) -> float:
        """Return the pixels of a semitone."""
        return (LANE_HEIGHT_PX - 2 * LANE_PADDING_PX) / (self.high - self.low)

    def widen_to(self, low: float, high: float) -> MelodyScale:
        """Return a scale that also shows these heights."""
        return MelodyScale(min(self.low, low), max(self.high, high))


@dataclass(frozen=True)
class MelodyShape:
    """A line with its melody and the scale it is drawn in."""

    strip: StripShape
    melody: LineMelody
    scale: MelodyScale

    @cached_property
    def cells(self) -> tuple[StripCell, ...]:
        """Return the cell of each mora."""
        return tuple(cell for cell in self.strip.axis.cells if cell.kind is CellKind.MORA)

    @cached_property
    def segments(self) -> tuple[tuple[int, ...], ...]:
        """Return the morae that sound without a break, in stretches: a mark or a mora without a pitch ends one."""
        found: list[list[int]] = [[]]
        for cell in self.strip.axis.cells:
            if cell.kind is CellKind.MORA and self.melody.own[cell.index] is not None:
                found[-1].append(cell.index)
            elif found[-1]:
                found.append([])
        return tuple(tuple(one) for one in found if one)

    def find_mora(self, x: float) -> int:
        """Return the mora whose cell is at a pixel or nearest to it; -1 if there is none."""
        return min(((max(cell.left - x, x - cell.right, 0.0), cell.index) for cell in self.cells), default=(0.0, -1))[1]

    def find_handle_y(self, mora: int) -> float:
        """Return the pixel of a mora's handle; one without a pitch is between its neighbours."""
        return self.scale.convert_to_y(self._find_height(mora))

    def list_phrase(self, mora: int) -> list[int]:
        """Return the morae of the accent phrase that a mora belongs to."""
        phrase = find_phrase(self.strip.phrases, mora)
        return list(range(phrase.start, phrase.end))

    def list_sentence(self, mora: int) -> list[int]:
        """Return the morae of the sentence that a mora belongs to."""
        moras = self.strip.reading.moras
        return [index for index, other in enumerate(moras) if other.sentence == moras[mora].sentence]

    def move_pitches(self, pitches: Mapping[int, float]) -> Overrides:
        """Return the edits with other offsets of some morae."""
        return set_mora_pitches(self.strip.overrides, dict(pitches))

    def replace_overrides(self, overrides: Overrides) -> MelodyShape:
        """Return the line with other edits of its melody, in a scale that shows all of it."""
        melody = replace(self.melody, offsets=list_pitch_offsets(overrides, len(self.melody.own)))
        return MelodyShape(replace(self.strip, overrides=overrides), melody, _fit_scale(melody, self.scale))

    def _find_height(self, mora: int) -> float:
        heights = self.melody.heights
        height = heights[mora]
        if height is not None:
            return height
        neighbours = [
            next((value for value in side if value is not None), None) for side in (reversed(heights[:mora]), heights[mora + 1 :])
        ]
        voiced = [value for value in neighbours if value is not None]
        return sum(voiced) / len(voiced) if voiced else (self.scale.low + self.scale.high) / 2


def build_melody_shape(strip: StripShape, melody: LineMelody) -> MelodyShape:
    """Build the shape of a line in the scale that suits it."""
    heights = [value for value in (*melody.own, *melody.heights) if value is not None] or [0.0]
    middle = (min(heights) + max(heights)) / 2
    half = NARROWEST_RANGE / 2
    return MelodyShape(strip, melody, _fit_scale(melody, MelodyScale(middle - half, middle + half)))


def describe_offset(offset: float) -> str:
    """Return an offset with its sign, in semitones."""
    return f"{offset:+.1f}" if abs(offset) >= 0.05 else "±0"


def describe_mora_pitch(shape: MelodyShape, mora: int) -> str:
    """Describe the pitch of a mora in words, for screen readers and tips."""
    if shape.strip.reading.moras[mora].is_emoji:
        return localize("絵文字には高さがありません。", "An emoji has no pitch.")
    kana, offset = shape.strip.reading.moras[mora].kana, describe_offset(shape.melody.offsets[mora])
    if shape.melody.own[mora] is None:
        return localize(f"「{kana}」は無声化していて、高さがありません。", f"{kana} is unvoiced: it has no pitch.")
    voice = (
        localize("声の高さは測定済み", "the voice's pitch was measured")
        if shape.melody.is_measured
        else localize("声の高さは予測", "the voice's pitch is predicted")
    )
    return localize(f"「{kana}」、{offset} 半音、{voice}", f"{kana}, {offset} semitones, {voice}")


def _fit_scale(melody: LineMelody, scale: MelodyScale) -> MelodyScale:
    heights = [value for value in (*melody.own, *melody.heights) if value is not None]
    return scale.widen_to(min(heights) - RANGE_MARGIN, max(heights) + RANGE_MARGIN) if heights else scale
