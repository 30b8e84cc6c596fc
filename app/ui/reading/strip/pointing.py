"""What the mouse points at in a strip, and what comes of dragging it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF

from app.core.accents import can_toggle_phrase, phrase_at, with_accent
from app.core.types import Overrides
from app.ui.reading.strip.axis import PX_PER_S, Kind
from app.ui.reading.strip.painting import ACCENT_BOTTOM
from app.ui.reading.strip.shape import Shape, with_length

REACH = 5.0  # pixels around an edge that belong to it


@dataclass(frozen=True, slots=True)
class Pointed:
    """Cells by index, -1 for none: under the mouse; whose right edge it can drag; before a place to split or join."""

    hovered: int = -1
    edge: int = -1
    cut: int = -1


@dataclass(frozen=True, slots=True)
class Drag:
    """The mouse is held down.

    Attributes:
        kept: the shape before.
        index: cell that is dragged.
        began: pixel where.
    """

    what: Literal["accent", "length", "sound"]
    kept: Shape
    index: int
    began: float

    def overrides_at(self, x: float) -> Overrides:
        """The edits when the mouse is let go here."""
        kept, cell = self.kept, self.kept.axis.cells[self.index]
        if self.what == "length":
            return with_length(kept, cell, (cell.right - cell.left + x - self.began) / PX_PER_S)
        if self.what == "sound" or cell.kind is not Kind.MORA:
            return kept.overrides
        phrase = phrase_at(kept.phrases, cell.index)
        under = kept.axis.cells[kept.axis.cell_at(x)]
        mora = under.index if under.kind is Kind.MORA else kept.reading.marks[under.index].moras_before - 1
        accent = min(max(mora, phrase.start), phrase.end - 1) - phrase.start + 1
        if accent == phrase.accent and abs(x - self.began) < REACH:
            accent = 0  # a click on the fall takes it away
        return with_accent(kept.reading, kept.overrides, cell.index, accent)


def pointed_at(shape: Shape | None, place: QPointF) -> Pointed:
    """What is under the mouse."""
    if shape is None or not shape.axis.cells:
        return Pointed()
    hovered = shape.axis.cell_at(place.x())
    if place.y() >= ACCENT_BOTTOM:
        edge = shape.axis.edge_near(place.x(), REACH)
        return Pointed(hovered, edge=-1 if edge is None else edge)
    return Pointed(hovered, cut=next((index for index in (hovered - 1, hovered) if _is_gap(shape, index, place.x())), -1))


def _is_gap(shape: Shape, index: int, x: float) -> bool:
    """Between this cell and the next, where phrases can be split or joined."""
    cells = shape.axis.cells
    if not 0 <= index < len(cells) - 1:
        return False
    here, there = cells[index], cells[index + 1]
    between = here.right - REACH <= x <= there.left + REACH
    return between and here.kind is there.kind is Kind.MORA and can_toggle_phrase(shape.reading, there.index)
