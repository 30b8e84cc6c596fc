"""Our own drawings, coloured to fit the theme."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.paths import resources_dir

SIZES = (16, 20, 24, 32, 48)


def icon(name: str, color: QColor | None = None) -> QIcon:
    """The drawing `resources/icons/name.svg` at the usual sizes and their doubles; `currentColor` becomes `color`."""
    drawing = (resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    if color is not None:
        drawing = drawing.replace("currentColor", color.name())
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
