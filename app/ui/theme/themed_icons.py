"""Draws our own icons in the colours of the theme."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.common.files.paths import find_resources_dir

ICON_SIZES_PX = (16, 20, 24, 32, 48)


def draw_icon(name: str, color: QColor | None = None) -> QIcon:
    """Return `resources/icons/name.svg` at the usual sizes and their doubles; `color` replaces `currentColor`."""
    return _render_svg_icon(name, None if color is None else color.name())


# A change of theme requests each of a few dozen icons several times.
@cache
def _render_svg_icon(name: str, color: str | None) -> QIcon:
    drawing = (find_resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    if color is not None:
        drawing = drawing.replace("currentColor", color)
    renderer = QSvgRenderer(QByteArray(drawing.encode()))
    result = QIcon()
    for size in sorted({edge * scale for edge in ICON_SIZES_PX for scale in (1, 2)}):
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        result.addPixmap(pixmap)
    return result
