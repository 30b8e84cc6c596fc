"""A table of rows: sorted by its headers, copied with Ctrl+C."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QFont, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTableView

from app.lab.rows import Row, exact
from app.language import localized
from app.ui.lab.row_model import RowModel

NAMING = {"candidate", "graph", "part", "case", "check", "form", "backend", "scope", "stage", "name", "length", "batch"}
"""Columns that say what a row is about."""

CONCLUDING = ("winner", "median_ms", "slower", "speedup", "verdict", "efficiency", "share", "ok", "passed")
"""Columns that say what came of it: next to those, for they are what one looks for. Copies and files keep the rows' own order."""

WIDEST, ROW_MARGINS, CELL_MARGINS = 320, 8, 6  # pixels


class RowTable(QTableView):
    """Rows of one kind.

    Signals:
        chosen(Row): another row is current.
    """

    chosen = Signal(object)

    def __init__(self, name: str, same: str = "") -> None:
        """`same`: a column in which all rows have the same value."""
        super().__init__()
        self._same = same
        self.rows = RowModel(with_even_digits(self.font()))
        self.setModel(self.rows)
        self.setObjectName("words")
        self.setAccessibleName(name)
        self.setToolTip(localized("見出しで並べ替え、Ctrl+C でコピーします。", "Click a header to sort; Ctrl+C copies the selected rows."))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_MARGINS)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setStretchLastSection(True)
        self.setSortingEnabled(True)
        self.rows.columnsInserted.connect(self._fit_columns)
        self.selectionModel().currentRowChanged.connect(self._on_current)

    def add(self, rows: Sequence[Row]) -> None:
        """More rows; the first one ever is current."""
        is_first = not self.rows.rows
        self.rows.add(rows)
        shown = [not self.rows.is_empty(column) and name != self._same for column, name in enumerate(self.rows.columns)]
        header = self.horizontalHeader()
        header.setStretchLastSection(False)  # while it stretches, Qt leaves a gap where it hides a column
        for column, is_shown in enumerate(shown):
            self.setColumnHidden(column, not is_shown)
        self._put_conclusions_first()
        last = max((column for column, is_shown in enumerate(shown) if is_shown), key=header.visualIndex, default=0)
        header.setStretchLastSection(any(shown) and not self.rows.holds_figures(last))  # figures would stand far from the others
        if is_first and rows:
            self._fit_columns()
            self.selectionModel().setCurrentIndex(
                self.rows.index(0, 0), QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
            )

    @property
    def current(self) -> Row | None:
        """The row whose details are shown."""
        index = self.currentIndex()
        return self.rows.rows[index.row()] if index.isValid() else None

    def copied(self) -> str:
        """The selected rows below their headers, for a spreadsheet: cells with tabs between them, numbers as they are."""
        places = sorted({index.row() for index in self.selectionModel().selectedRows()})
        lines = [self.rows.columns, *([_flat(exact(self.rows.rows[place].get(name))) for name in self.rows.columns] for place in places)]
        return "\n".join("\t".join(line) for line in lines)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copies rows, where Qt would copy one cell."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.copied())
        else:
            super().keyPressEvent(event)

    @Slot()
    def _fit_columns(self, *_columns: object) -> None:
        for column in range(self.rows.columnCount()):
            needed = max(self.sizeHintForColumn(column), self.horizontalHeader().sectionSizeHint(column))
            self.setColumnWidth(column, min(WIDEST, needed + CELL_MARGINS))

    def _put_conclusions_first(self) -> None:
        header, columns = self.horizontalHeader(), self.rows.columns
        names = [columns[header.logicalIndex(place)] for place in range(len(columns))]
        target = next((place for place, name in enumerate(names) if name not in NAMING), 0)
        for name in [name for name in CONCLUDING if name in columns]:
            header.moveSection(header.visualIndex(columns.index(name)), target)
            target += 1

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, _now: QModelIndex, _before: QModelIndex) -> None:
        if self.current is not None:
            self.chosen.emit(self.current)


def with_even_digits(font: QFont) -> QFont:
    """The font with digits of one width, so that those of a column stand below each other."""
    font = QFont(font)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def _flat(text: str) -> str:
    return text.replace("\t", " ").replace("\r", " ").replace("\n", " ")
