"""The headers of a board: two lines each, which end in dots where they have no room."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QHeaderView, QTableView

PADDING = 8  # pixels beside the words


class BoardHeader(QHeaderView):
    """The row or column of the focused cell stands out."""

    def __init__(self, orientation: Qt.Orientation, view: QTableView) -> None:
        super().__init__(orientation, view)
        self._view = view
        self.setSectionsClickable(False)

    def paintSection(self, painter: QPainter, place: QRect, section: int) -> None:
        """The second line is muted, and so is the first where another cell is focused."""
        across = self.orientation() == Qt.Orientation.Horizontal
        index = self._view.currentIndex()
        focused = section == (index.column() if across else index.row())
        colors = self.palette()
        painter.save()
        painter.fillRect(place, colors.color(QPalette.ColorRole.Base))
        painter.setPen(colors.color(QPalette.ColorRole.Midlight))
        if across:
            painter.drawLine(place.bottomLeft(), place.bottomRight())
        else:
            painter.drawLine(place.topRight(), place.bottomRight())
        lines = str(self.model().headerData(section, self.orientation()) or "").split("\n")
        height = self.fontMetrics().height()
        top = place.center().y() + 1 - height * len(lines) // 2
        for number, words in enumerate(lines):
            bright = focused and not number
            painter.setPen(colors.color(QPalette.ColorRole.Text if bright else QPalette.ColorRole.PlaceholderText))
            shown = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, place.width() - 2 * PADDING)
            line = QRect(place.left() + PADDING, top + number * height, place.width() - 2 * PADDING, height)
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()
