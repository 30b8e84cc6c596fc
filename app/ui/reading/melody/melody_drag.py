"""Gestures of the mouse in the melody lane: a handle or its phrase is dragged, or the pen draws across morae."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QPointF

from app.core.sound.line_melody import place_pitches, shift_pitches
from app.core.synthesis_types import Overrides
from app.ui.reading.melody.melody_shape import MelodyShape

HANDLE_REACH_PX = 12.0  # pixels above and below a handle that belong to it


@dataclass(frozen=True, slots=True)
class HandleDrag:
    """The mouse holds a handle.

    Attributes:
        original: the melody before.
        mora: whose handle it is.
        start_y: pixel where it was taken.
    """

    original: MelodyShape
    mora: int
    start_y: float

    def compute_overrides(self, y: float, *, is_phrase: bool) -> Overrides:
        """Return the edits that letting the mouse go here would make, to the mora or to its whole phrase."""
        kept = self.original
        moved = (self.start_y - y) / kept.scale.px_per_semitone
        moras = kept.list_phrase(self.mora) if is_phrase else [self.mora]
        return kept.move_pitches(shift_pitches(kept.melody, moras, moved))


@dataclass(slots=True)
class PenStroke:
    """The pen is down.

    Attributes:
        original: the melody before.
        last: where the pen was.
    """

    original: MelodyShape
    last: QPointF
    _heights: dict[int, float] = field(default_factory=dict)

    def draw_to(self, place: QPointF) -> Overrides:
        """Move the pen, and return the edits that lifting it here would make: a mora takes the height at which its middle was passed."""
        kept = self.original
        before, self.last = self.last, place
        left, right = sorted((before.x(), place.x()))
        for cell in kept.cells:
            if left <= cell.middle <= right and right > left:
                share = (cell.middle - before.x()) / (place.x() - before.x())
                self._heights[cell.index] = kept.scale.convert_to_semitones(before.y() + share * (place.y() - before.y()))
        self._heights[kept.find_mora(place.x())] = kept.scale.convert_to_semitones(place.y())
        return kept.move_pitches(place_pitches(kept.melody, self._heights))


def find_handle(shape: MelodyShape, place: QPointF) -> int:
    """Return the mora whose handle is under the mouse, -1 for none; those without a pitch have none."""
    mora = shape.find_mora(place.x())
    if mora < 0 or shape.melody.own[mora] is None or not shape.cells[mora].left <= place.x() <= shape.cells[mora].right:
        return -1
    return mora if abs(place.y() - shape.find_handle_y(mora)) <= HANDLE_REACH_PX else -1
