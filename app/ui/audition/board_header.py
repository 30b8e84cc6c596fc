"""The headers of a board: two text lines each, elided where they do not fit."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QHeaderView, QTableView

HEADER_PADDING_PX = 8


class BoardHeader(QHeaderView):
    """A header that emphasises the row or column of the focused cell."""

    def __init__(self, orientation: Qt.Orientation, view: QTableView) -> None:
        super().__init__(orientation, view)
        self._view = view
        self.setSectionsClickable(False)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        """Draw the section; the second line is muted, and so is the first unless the section has the focused cell."""
        across = self.orientation() == Qt.Orientation.Horizontal
        index = self._view.currentIndex()
        focused = section == (index.column() if across else index.row())
        colors = self.palette()
        painter.save()
        painter.fillRect(rect, colors.color(QPalette.ColorRole.Base))
        painter.setPen(colors.color(QPalette.ColorRole.Midlight))
        if across:
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        else:
            painter.drawLine(rect.topRight(), rect.bottomRight())
        lines = str(self.model().headerData(section, self.orientation()) or "").split("\n")
        height = self.fontMetrics().height()
        top = rect.center().y() + 1 - height * len(lines) // 2
        for number, words in enumerate(lines):
            bright = focused and not number
            painter.setPen(colors.color(QPalette.ColorRole.Text if bright else QPalette.ColorRole.PlaceholderText))
            shown = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, rect.width() - 2 * HEADER_PADDING_PX)
            line = QRect(rect.left() + HEADER_PADDING_PX, top + number * height, rect.width() - 2 * HEADER_PADDING_PX, height)
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()
