"""Last, median, 95th percentile, cached runs and target of every stage, in a table that shows whole rows and cuts no header."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QSize, Qt, Slot
from PySide6.QtGui import QFont, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.language import localized
from app.ui.latency.columns import widest
from app.ui.latency.table_model import LatencyModel
from app.ui.theme.theme import Theme

WIDTH = 340  # pixels at least; headers that need more get it
CELL_MARGINS = 16  # pixels at both sides of a text together


class LatencyTable(QTableView):
    """The figures, to be read only."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.figures = LatencyModel(theme)
        self.setModel(self.figures)
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)  # all rows are to be seen at once
        self.setFont(font)
        self.figures.embolden(font)
        self.setAccessibleName(localized("処理時間の表", "Latency table"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setShowGrid(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(10)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 2)
        header = self.horizontalHeader()
        header.setFont(font)  # its own: a style sheet that comes and goes takes away what it has from us
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionsClickable(False)
        header.setHighlightSections(False)
        self.setFixedWidth(WIDTH)
        self.figures.modelReset.connect(self._fit)

    def showEvent(self, event: QShowEvent) -> None:
        """Only now the style sheet has its say in how wide headers are."""
        super().showEvent(event)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        """So that no header is cut, nor a figure: those beside the name share what it leaves in equal parts."""
        header = self.horizontalHeader()
        widths = [header.sectionSizeHint(column) for column in range(self.figures.columnCount())]
        figures = max(map(self.fontMetrics().horizontalAdvance, widest())) + CELL_MARGINS
        names = max(widths[0], self.sizeHintForColumn(0), header.sectionSize(0)) + self.verticalScrollBar().sizeHint().width()
        self.setFixedWidth(max(WIDTH, names + (len(widths) - 1) * max(figures, *widths[1:]) + 2 * self.frameWidth()))

    def sizeHint(self) -> QSize:
        """All rows, when there is room for them."""
        rows = self.verticalHeader().defaultSectionSize() * self.figures.rowCount()
        return QSize(self.width(), rows + self.horizontalHeader().sizeHint().height() + 4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shows whole rows only."""
        super().resizeEvent(event)
        room = self.height() - self.horizontalHeader().height()
        spare = room % self.verticalHeader().defaultSectionSize() if room < self.sizeHint().height() else 0
        margins = QMargins(0, self.horizontalHeader().height(), 0, spare)
        if margins != self.viewportMargins():
            self.setViewportMargins(margins)
