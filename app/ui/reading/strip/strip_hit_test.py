"""Finds the cell or edge under the mouse in a strip, and the effect of dragging it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF

from app.core.accent_edits import find_phrase, may_toggle_phrase, set_accent
from app.core.synthesis_types import Overrides
from app.ui.reading.strip.strip_axis import PX_PER_S, CellKind
from app.ui.reading.strip.strip_painting import ACCENT_BOTTOM_PX
from app.ui.reading.strip.strip_shape import StripShape, change_cell_length

EDGE_REACH_PX = 5.0  # pixels around an edge that belong to it


@dataclass(frozen=True, slots=True)
class StripHit:
    """Cells by index, -1 for none: under the mouse; whose right edge it can drag; before a place to split or join."""

    hovered: int = -1
    edge: int = -1
    cut: int = -1


@dataclass(frozen=True, slots=True)
class StripDrag:
    """The mouse is held down.

    Attributes:
        original: the shape before.
        index: cell that is dragged.
        start_x: pixel where.
    """

    kind: Literal["accent", "length", "sound"]
    original: StripShape
    index: int
    start_x: float

    def compute_overrides(self, x: float) -> Overrides:
        """The edits when the mouse is let go here."""
        kept, cell = self.original, self.original.axis.cells[self.index]
        if self.kind == "length":
            return change_cell_length(kept, cell, (cell.right - cell.left + x - self.start_x) / PX_PER_S)
        if self.kind == "sound" or cell.kind is not CellKind.MORA:
            return kept.overrides
        phrase = find_phrase(kept.phrases, cell.index)
        under = kept.axis.cells[kept.axis.find_cell(x)]
        mora = under.index if under.kind is CellKind.MORA else kept.reading.marks[under.index].moras_before - 1
        accent = min(max(mora, phrase.start), phrase.end - 1) - phrase.start + 1
        if accent == phrase.accent and abs(x - self.start_x) < EDGE_REACH_PX:
            accent = 0  # a click on the fall takes it away
        return set_accent(kept.reading, kept.overrides, cell.index, accent)


def find_hit(shape: StripShape | None, point: QPointF) -> StripHit:
    """Return what is under the mouse."""
    if shape is None or not shape.axis.cells:
        return StripHit()
    hovered = shape.axis.find_cell(point.x())
    if point.y() >= ACCENT_BOTTOM_PX:
        edge = shape.axis.find_edge(point.x(), EDGE_REACH_PX)
        return StripHit(hovered, edge=-1 if edge is None else edge)
    return StripHit(hovered, cut=next((index for index in (hovered - 1, hovered) if _is_gap(shape, index, point.x())), -1))


def _is_gap(shape: StripShape, index: int, x: float) -> bool:
    """Between this cell and the next, where phrases can be split or joined."""
    cells = shape.axis.cells
    if not 0 <= index < len(cells) - 1:
        return False
    here, there = cells[index], cells[index + 1]
    between = here.right - EDGE_REACH_PX <= x <= there.left + EDGE_REACH_PX
    return between and here.kind is there.kind is CellKind.MORA and may_toggle_phrase(shape.reading, there.index)
