"""Our own drawings, coloured to fit the theme."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.paths import resources_dir

SIZES = (16, 20, 24, 32, 48)


def icon(name: str, color: QColor | None = None) -> QIcon:
    """The drawing `resources/icons/name.svg` at the usual sizes and their doubles; `currentColor` becomes `color`."""
    return _drawn(name, None if color is None else color.name())


@cache  # a change of theme asks for each of a few dozen drawings several times
def _drawn(name: str, color: str | None) -> QIcon:
    drawing = (resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    if color is not None:
        drawing = drawing.replace("currentColor", color)
    renderer = QSvgRenderer(QByteArray(drawing.encode()))
    result = QIcon()
    for size in sorted({edge * scale for edge in SIZES for scale in (1, 2)}):
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        result.addPixmap(pixmap)
    return result
