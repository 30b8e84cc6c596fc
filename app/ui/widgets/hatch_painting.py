"""Paints diagonal lines over a rectangle.

Qt's own hatch pattern is made of device pixels, too fine to be seen on a high-resolution screen.
"""

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen


def paint_hatch(painter: QPainter, rect: QRectF, color: QColor, step: float = 6.0, radius: float = 0.0) -> None:
    """Draw lines every `step` pixels along the upper edge of a rectangle with round corners."""
    area = QPainterPath()
    area.addRoundedRect(rect, radius, radius)
    painter.save()
    painter.setClipPath(area, Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(color, 1.2))
    count = int((rect.width() + rect.height()) / step) + 1
    lefts = (rect.left() - rect.height() + (at + 0.5) * step for at in range(count))
    painter.drawLines([QLineF(left, rect.bottom(), left + rect.height(), rect.top()) for left in lefts])
    painter.restore()


def paint_cache_mark(painter: QPainter, rect: QRectF, color: QColor) -> None:
    """Draw the mark of cached values: a hatched square with an edge."""
    paint_hatch(painter, rect, color, step=3.5)
    painter.setPen(QPen(color, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect)
