"""A table of last, median, 95th percentile, cached runs and target of each stage, which shows whole rows and cuts no header."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QSize, Qt, Slot
from PySide6.QtGui import QFont, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.common.language import localize
from app.ui.latency.latency_columns import list_widest_figures
from app.ui.latency.latency_model import LatencyModel
from app.ui.theme.theme import Theme

TABLE_WIDTH_PX = 340  # at least
FIGURE_CELL_MARGINS_PX = 16  # both sides together


class LatencyTable(QTableView):
    """A read-only table of the figures."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.figures = LatencyModel(theme)
        self.setModel(self.figures)
        font = QFont(self.font())
        # A smaller font, so that all rows are visible at once.
        font.setPointSizeF(font.pointSizeF() * 0.9)
        self.setFont(font)
        self.figures.set_bold_font(font)
        self.setAccessibleName(localize("処理時間の表", "Latency table"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setShowGrid(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(10)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 2)
        header = self.horizontalHeader()
        # The header gets the font itself: a style sheet that is removed takes an inherited font away.
        header.setFont(font)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionsClickable(False)
        header.setHighlightSections(False)
        self.setFixedWidth(TABLE_WIDTH_PX)
        self.figures.modelReset.connect(self._fit_columns)

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the columns when the table is shown."""
        super().showEvent(event)
        # The style sheet sets the width of the headers only now.
        self._fit_columns()

    @Slot()
    def _fit_columns(self) -> None:
        """Make the table wide enough for every header and figure; the columns beside the name share the rest equally."""
        header = self.horizontalHeader()
        widths = [header.sectionSizeHint(column) for column in range(self.figures.columnCount())]
        figures = max(map(self.fontMetrics().horizontalAdvance, list_widest_figures())) + FIGURE_CELL_MARGINS_PX
        names = max(widths[0], self.sizeHintForColumn(0), header.sectionSize(0)) + self.verticalScrollBar().sizeHint().width()
        self.setFixedWidth(max(TABLE_WIDTH_PX, names + (len(widths) - 1) * max(figures, *widths[1:]) + 2 * self.frameWidth()))

    def sizeHint(self) -> QSize:
        """Return the height of all rows."""
        rows = self.verticalHeader().defaultSectionSize() * self.figures.rowCount()
        return QSize(self.width(), rows + self.horizontalHeader().sizeHint().height() + 4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show whole rows only."""
        super().resizeEvent(event)
        room = self.height() - self.horizontalHeader().height()
        spare = room % self.verticalHeader().defaultSectionSize() if room < self.sizeHint().height() else 0
        margins = QMargins(0, self.horizontalHeader().height(), 0, spare)
        if margins != self.viewportMargins():
            self.setViewportMargins(margins)
