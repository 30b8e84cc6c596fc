"""Diagonal lines over a place. Qt's own pattern is made of pixels, too fine to be seen on a fine screen."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen


def paint_hatch(painter: QPainter, place: QRectF, color: QColor, step: float = 6.0, radius: float = 0.0) -> None:
    """Lines every `step` pixels along the upper edge, within a rectangle with round corners."""
    area = QPainterPath()
    area.addRoundedRect(place, radius, radius)
    painter.save()
    painter.setClipPath(area, Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(color, 1.2))
    count = int((place.width() + place.height()) / step) + 1
    lefts = (place.left() - place.height() + (at + 0.5) * step for at in range(count))
    painter.drawLines([QLineF(left, place.bottom(), left + place.height(), place.top()) for left in lefts])
    painter.restore()


def paint_cached(painter: QPainter, chip: QRectF, color: QColor) -> None:
    """The mark of what came from a cache: a hatched square with an edge."""
    paint_hatch(painter, chip, color, step=3.5)
    painter.setPen(QPen(color, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(chip)
