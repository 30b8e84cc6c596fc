"""The content of the melody lane for a line: where each mora's handle is, what is said about it, and how it is drawn.

Drawn are the voice's own curve, the curve that will be heard, and a handle for each mora; only the exposed part.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QRegion

from app.common.language import localize
from app.core.sound.line_edits import find_phrase, set_mora_pitches
from app.core.sound.line_melody import LineMelody, list_pitch_offsets
from app.core.synthesis_types import Overrides
from app.ui.reading.strip.axis_lane import LaneHighlights
from app.ui.reading.strip.strip_shape import AXIS_MARGIN_PX, CellKind, StripCell, StripShape
from app.ui.theme.theme import Theme

LANE_HEIGHT_PX = 92
LANE_PADDING_PX = 13.0  # above the highest handle and below the lowest one
NARROWEST_RANGE = 14.0  # semitones: a voice that hardly moves must not look like one that sings
RANGE_MARGIN = 1.0

HANDLE_RADIUS_PX = 5.0
GRID_STEP = 4  # semitones between two lines
UNVOICED_ARM_PX = 3.5
BUBBLE_PADDING_PX, BUBBLE_GAP_PX, BUBBLE_TEXT_SCALE = 5.0, 10.0, 0.85


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


def paint_melody(
    painter: QPainter, area: QRectF, shape: MelodyShape, theme: Theme, highlights: LaneHighlights, right: float = math.inf
) -> None:
    """Paint the part of a melody that is in `area`; the visible part ends at the pixel `right`."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_grid(painter, area, shape, theme)
    if not shape.cells:
        return
    for segment in shape.segments:
        if shape.cells[segment[-1]].right >= area.left() and shape.cells[segment[0]].left <= area.right():
            _paint_curves(painter, shape, segment, theme)
    shown = [cell.index for cell in shape.cells if cell.right >= area.left() - 30 and cell.left <= area.right() + 30]
    for mora in shown:
        _paint_handle(painter, shape, mora, theme, highlights)
    for mora in dict.fromkeys((highlights.dragged, highlights.hovered, highlights.current if highlights.focused else -1)):
        if 0 <= mora < len(shape.cells) and shape.melody.own[mora] is not None:
            _paint_bubble(painter, shape, mora, theme, right, is_strong=mora == highlights.dragged)
            break


def build_curve(points: Sequence[QPointF]) -> QPainterPath:
    """Return a smooth curve through points from left to right that overshoots none of them."""
    path = QPainterPath(points[0])
    slopes = _compute_slopes(points)
    for index in range(len(points) - 1):
        here, there = points[index], points[index + 1]
        third = (there.x() - here.x()) / 3
        path.cubicTo(
            QPointF(here.x() + third, here.y() + slopes[index] * third),
            QPointF(there.x() - third, there.y() - slopes[index + 1] * third),
            there,
        )
    return path


def _compute_slopes(points: Sequence[QPointF]) -> list[float]:
    """Return the slope at each point: level at peaks and ends, else the harmonic mean of both sides, which keeps a curve monotone."""
    steps = [(there.y() - here.y()) / max(1e-6, there.x() - here.x()) for here, there in itertools.pairwise(points)]
    between = [2 * left * right / (left + right) if left * right > 0 else 0.0 for left, right in itertools.pairwise(steps)]
    return [0.0, *between, 0.0]


def _paint_grid(painter: QPainter, area: QRectF, shape: MelodyShape, theme: Theme) -> None:
    painter.setPen(QPen(QColor(theme.faint), 1))
    left, right = max(area.left(), AXIS_MARGIN_PX), min(area.right(), shape.strip.axis.width - AXIS_MARGIN_PX)
    for level in range(math.ceil(shape.scale.low / GRID_STEP), math.floor(shape.scale.high / GRID_STEP) + 1):
        y = round(shape.scale.convert_to_y(level * GRID_STEP)) + 0.5
        painter.drawLine(QPointF(left, y), QPointF(right, y))


def _paint_curves(painter: QPainter, shape: MelodyShape, segment: tuple[int, ...], theme: Theme) -> None:
    """Paint the voice's own curve, dashed while it is predicted, and over it the one that was drawn."""
    own = [QPointF(shape.cells[mora].middle, shape.scale.convert_to_y(shape.melody.own[mora] or 0.0)) for mora in segment]
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.muted), 1.6, Qt.PenStyle.SolidLine if shape.melody.is_measured else Qt.PenStyle.DashLine))
    painter.drawPath(build_curve(own))
    if any(shape.melody.offsets[mora] for mora in segment):
        painter.save()
        painter.setClipRegion(_find_moved_region(shape, segment), Qt.ClipOperation.IntersectClip)
        painter.setPen(QPen(QColor(theme.edited), 2))
        painter.drawPath(build_curve([QPointF(shape.cells[mora].middle, shape.find_handle_y(mora)) for mora in segment]))
        painter.restore()


def _find_moved_region(shape: MelodyShape, segment: tuple[int, ...]) -> QRegion:
    """Return where the two curves of a stretch differ: two morae to each side of one that was moved."""
    region = QRegion()
    for at, mora in enumerate(segment):
        if shape.melody.offsets[mora]:
            left = shape.cells[segment[max(0, at - 2)]].middle
            right = shape.cells[segment[min(len(segment) - 1, at + 2)]].middle
            region += QRect(round(left) - 1, 0, round(right - left) + 2, LANE_HEIGHT_PX)
    return region


def _paint_handle(painter: QPainter, shape: MelodyShape, mora: int, theme: Theme, highlights: LaneHighlights) -> None:
    own, x, y = shape.melody.own[mora], shape.cells[mora].middle, shape.find_handle_y(mora)
    is_current = highlights.focused and mora == highlights.current
    if own is None:
        if not shape.strip.reading.moras[mora].is_emoji:
            _paint_unvoiced(painter, QPointF(x, y), QColor(theme.accent if is_current else theme.muted))
        return
    is_edited, is_playing = bool(shape.melody.offsets[mora]), mora == highlights.playing
    radius = HANDLE_RADIUS_PX + (1.5 if mora in (highlights.hovered, highlights.dragged) else 0.0)
    if is_current:
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(x, y), radius + 3.5, radius + 3.5)
    strong = theme.accent if is_playing else theme.edited if is_edited else ""
    painter.setPen(QPen(QColor(strong or theme.muted), 2))
    painter.setBrush(QColor(strong or theme.surface))
    painter.drawEllipse(QPointF(x, y), radius, radius)


def _paint_unvoiced(painter: QPainter, place: QPointF, color: QColor) -> None:
    """Paint a small cross where a mora has no pitch that could be moved."""
    painter.setPen(QPen(color, 1.6))
    for way in (1, -1):
        arm = QPointF(UNVOICED_ARM_PX, way * UNVOICED_ARM_PX)
        painter.drawLine(place - arm, place + arm)


def _paint_bubble(painter: QPainter, shape: MelodyShape, mora: int, theme: Theme, right: float, *, is_strong: bool) -> None:
    """Paint the offset of a mora next to its handle; that of the dragged one is as large as the window's text."""
    font = QFont(painter.font())
    font.setPointSizeF(font.pointSizeF() * (1.0 if is_strong else BUBBLE_TEXT_SCALE))
    painter.setFont(font)
    metrics, words = QFontMetricsF(font), describe_offset(shape.melody.offsets[mora])
    width, height = metrics.horizontalAdvance(words) + 2 * BUBBLE_PADDING_PX, metrics.height() + 2
    x, y = shape.cells[mora].middle, shape.find_handle_y(mora)
    left = x + BUBBLE_GAP_PX if x + BUBBLE_GAP_PX + width <= right else x - BUBBLE_GAP_PX - width
    box = QRectF(left, min(max(1.0, y - height / 2), LANE_HEIGHT_PX - height - 1), width, height)
    painter.setPen(QPen(QColor(theme.accent if is_strong else theme.border), 1))
    painter.setBrush(QColor(theme.accent if is_strong else theme.surface))
    painter.drawRoundedRect(box, 5, 5)
    painter.setPen(QColor(theme.on_accent if is_strong else theme.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
