"""The positions of each mora and each pause of a line, for all that is drawn under it: strip, waveform and playhead share one axis.

Where the times are known, it is an axis of time that gives very short sounds the room a kana needs; else all morae are as wide.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from app.core.sound.accent_edits import LinePhrase
from app.core.sound.line_reading import LineReading
from app.core.sound.line_sound import LineSpans
from app.core.synthesis_types import Overrides

PX_PER_S = 230.0
NARROWEST, NARROWEST_PAUSE = 31.0, 15.0  # pixels: a kana with its small one must be readable
PHRASE_GAP_PX = 10.0
AXIS_MARGIN_PX = 14.0
UNKNOWN_MORA_S, UNKNOWN_PAUSE_S = 0.117, 0.25


class CellKind(Enum):
    """The kind of a cell."""

    MORA = "mora"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class StripCell:
    """A mora or a pause.

    Attributes:
        index: of the mora or of the mark in the line.
        left, right: pixels.
        start_s, end_s: when it sounds, within the line's sound; both 0 while that is unknown.
        length_s: how long it is, or will be; the best guess while nobody knows.
        is_exact: the user fixed the length.
    """

    kind: CellKind
    index: int
    left: float
    right: float
    start_s: float
    end_s: float
    length_s: float
    is_exact: bool

    @property
    def middle(self) -> float:
        """Return the middle of the cell in pixels."""
        return (self.left + self.right) / 2


@dataclass(frozen=True)
class StripAxis:
    """All cells from left to right."""

    cells: tuple[StripCell, ...] = ()
    is_timed: bool = False

    @property
    def width(self) -> float:
        """Return the width of the axis in pixels, margins included."""
        return self.cells[-1].right + AXIS_MARGIN_PX if self.cells else 2 * AXIS_MARGIN_PX

    def find_cell(self, x: float) -> int:
        """Return the index of the cell at a place, or else before it; -1 if there are no cells."""
        return max(0, bisect_right(self.cells, x, key=lambda cell: cell.left) - 1) if self.cells else -1

    def find_edge(self, x: float, reach_px: float) -> int | None:
        """Return the index of the cell whose right edge is within reach, or None."""
        near = min(range(len(self.cells)), key=lambda index: abs(self.cells[index].right - x), default=None)
        return near if near is not None and abs(self.cells[near].right - x) <= reach_px else None

    @cached_property
    def knots(self) -> tuple[list[float], list[float]]:
        """Return matching seconds and pixels, both ascending; between them the axis is straight."""
        seconds, pixels = [0.0], [0.0]
        for cell in self.cells:
            for second, pixel in ((cell.start_s, cell.left), (cell.end_s, cell.right)):
                seconds.append(max(seconds[-1], second))
                pixels.append(pixel)
        return seconds, pixels

    def convert_seconds_to_x(self, second: float) -> float:
        """Return the pixel of a moment of the sound."""
        seconds, pixels = self.knots
        return float(np.interp(second, seconds, pixels))

    def convert_x_to_seconds(self, x: float) -> float:
        """Return the moment of the sound at a pixel, in seconds."""
        seconds, pixels = self.knots
        return float(np.interp(x, pixels, seconds))


def build_axis(reading: LineReading, overrides: Overrides, phrases: tuple[LinePhrase, ...], times: LineSpans | None) -> StripAxis:
    """Build the axis of a line."""
    fixed = {edit.mora: edit.length_s for edit in overrides.moras if edit.length_s is not None}
    pauses = {edit.mark: edit.length_s for edit in overrides.pauses}
    begins = {phrase.start for phrase in phrases}
    cells: list[StripCell] = []
    left = AXIS_MARGIN_PX
    for kind, index in order_cells(reading):
        if kind is CellKind.MORA and index in begins and cells and cells[-1].kind is CellKind.MORA:
            left += PHRASE_GAP_PX
        known = (times.moras if kind is CellKind.MORA else times.marks)[index] if times else None
        given = (fixed if kind is CellKind.MORA else pauses).get(index)
        guess = UNKNOWN_MORA_S if kind is CellKind.MORA else UNKNOWN_PAUSE_S
        length_s = given if given is not None else known.length_s if known and known.length_s else guess
        width = max(NARROWEST if kind is CellKind.MORA else NARROWEST_PAUSE, length_s * PX_PER_S)
        start_s, end_s = (known.start_s, known.end_s) if known else (0.0, 0.0)
        cells.append(StripCell(kind, index, left, left + width, start_s, end_s, length_s, given is not None))
        left += width
    return StripAxis(tuple(cells), times is not None)


def order_cells(reading: LineReading) -> list[tuple[CellKind, int]]:
    """Return morae and marks in their order; marks that make no pause are left out."""
    places: list[tuple[CellKind, int]] = []
    mora = 0
    for index, mark in enumerate(reading.marks):
        places += [(CellKind.MORA, one) for one in range(mora, mark.moras_before)]
        mora = mark.moras_before
        if mark.sentence not in reading.silent:
            places.append((CellKind.MARK, index))
    return places + [(CellKind.MORA, one) for one in range(mora, len(reading.moras))]
