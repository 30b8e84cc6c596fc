"""The picture that the pointer carries while files are dragged: the name of the first one, and how many there are beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QPainter, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from app.common.language import localize
from app.ui.theme.themed_icons import draw_icon

ICON_SIZE_PX, MARGIN_PX, CORNER_PX = 20, 8, 6
MAX_NAME_WIDTH_PX = 240
# From the tip of the pointer, which would hide the name otherwise.
POINTER_OFFSET = QPoint(-12, -12)


def draw_drag_picture(source: QWidget, files: Sequence[Path]) -> QPixmap:
    """Return the picture of dragged files in the font and the resolution of the widget that they are dragged from."""
    # The program's colours: those of a list may be transparent, as its style sheet has it.
    metrics, colors, ratio = source.fontMetrics(), QGuiApplication.palette(), source.devicePixelRatioF()
    name = metrics.elidedText(files[0].name, Qt.TextElideMode.ElideMiddle, MAX_NAME_WIDTH_PX)
    more = localize(f"ほか {len(files) - 1:,} 件", f"and {len(files) - 1:,} more") if len(files) > 1 else ""
    size = _measure_picture(metrics, name, more)
    picture = QPixmap(size * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(source.font())
    painter.setPen(QPen(colors.color(QPalette.ColorRole.Mid)))
    painter.setBrush(colors.color(QPalette.ColorRole.Base))
    painter.drawRoundedRect(QRect(QPoint(0, 0), size).adjusted(1, 1, -1, -1), CORNER_PX, CORNER_PX)
    icon = draw_icon("drag_out", colors.color(QPalette.ColorRole.Text)).pixmap(QSize(ICON_SIZE_PX, ICON_SIZE_PX), ratio)
    painter.drawPixmap(QPoint(MARGIN_PX, (size.height() - ICON_SIZE_PX) // 2), icon)
    room = QRect(2 * MARGIN_PX + ICON_SIZE_PX, 0, size.width(), size.height())
    painter.setPen(colors.color(QPalette.ColorRole.Text))
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, name)
    painter.setPen(colors.color(QPalette.ColorRole.PlaceholderText))
    painter.drawText(room.translated(metrics.horizontalAdvance(name) + MARGIN_PX, 0), Qt.AlignmentFlag.AlignVCenter, more)
    painter.end()
    return picture


def _measure_picture(metrics: QFontMetrics, name: str, more: str) -> QSize:
    width = 3 * MARGIN_PX + ICON_SIZE_PX + metrics.horizontalAdvance(name)
    if more:
        width += MARGIN_PX + metrics.horizontalAdvance(more)
    return QSize(width, max(ICON_SIZE_PX, metrics.height()) + 2 * MARGIN_PX)
