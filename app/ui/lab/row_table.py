"""A table view of rows, sorted by its headers and copied with Ctrl+C."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QFont, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTableView

from app.common.language import localize
from app.lab.report_rows import Row, format_exact
from app.ui.lab.row_model import LabRowModel

NAMING_COLUMNS = {"candidate", "graph", "part", "case", "check", "form", "backend", "scope", "stage", "name", "length", "batch"}
"""The columns that identify a row."""

CONCLUDING_COLUMNS = ("winner", "median_ms", "slower", "speedup", "verdict", "efficiency", "share", "ok", "passed")
"""The columns that state a result. They are shown right after the identifying columns; copies and files keep the rows' own order."""

WIDEST, ROW_MARGINS, CELL_MARGINS = 320, 8, 6  # pixels


class LabRowTable(QTableView):
    """A table of rows of one kind.

    Signals:
        chosen(Row): Another row is current.
    """

    chosen = Signal(object)

    def __init__(self, name: str, constant_column: str = "") -> None:
        """Hide `constant_column`, in which all rows have the same value."""
        super().__init__()
        self._same = constant_column
        self.rows = LabRowModel(use_even_digits(self.font()))
        self.setModel(self.rows)
        self.setObjectName("words")
        self.setAccessibleName(name)
        self.setToolTip(localize("見出しで並べ替え、Ctrl+C でコピーします。", "Click a header to sort; Ctrl+C copies the selected rows."))
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
        self.selectionModel().currentRowChanged.connect(self._emit_chosen)

    def add_rows(self, rows: Sequence[Row]) -> None:
        """Add rows; the first row ever added becomes current."""
        is_first = not self.rows.rows
        self.rows.add_rows(rows)
        shown = [not self.rows.is_column_empty(column) and name != self._same for column, name in enumerate(self.rows.columns)]
        header = self.horizontalHeader()
        # While the last section stretches, Qt leaves a gap where it hides a column.
        header.setStretchLastSection(False)
        for column, is_shown in enumerate(shown):
            self.setColumnHidden(column, not is_shown)
        self._put_conclusions_first()
        last = max((column for column, is_shown in enumerate(shown) if is_shown), key=header.visualIndex, default=0)
        # Stretched numbers would be right-aligned far from the other columns.
        header.setStretchLastSection(any(shown) and not self.rows.has_figures(last))
        if is_first and rows:
            self._fit_columns()
            self.selectionModel().setCurrentIndex(
                self.rows.index(0, 0), QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
            )

    @property
    def current_row(self) -> Row | None:
        """Return the current row, whose details are shown, or None."""
        index = self.currentIndex()
        return self.rows.rows[index.row()] if index.isValid() else None

    def format_selected_rows(self) -> str:
        """Format the selected rows with their headers for a spreadsheet: tab-separated, numbers unrounded."""
        places = sorted({index.row() for index in self.selectionModel().selectedRows()})
        lines = [
            self.rows.columns,
            *([_flatten_text(format_exact(self.rows.rows[place].get(name))) for name in self.rows.columns] for place in places),
        ]
        return "\n".join("\t".join(line) for line in lines)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy whole rows on Ctrl+C, where Qt would copy one cell."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.format_selected_rows())
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
        target = next((place for place, name in enumerate(names) if name not in NAMING_COLUMNS), 0)
        for name in [name for name in CONCLUDING_COLUMNS if name in columns]:
            header.moveSection(header.visualIndex(columns.index(name)), target)
            target += 1

    @Slot(QModelIndex, QModelIndex)
    def _emit_chosen(self, _now: QModelIndex, _before: QModelIndex) -> None:
        if self.current_row is not None:
            self.chosen.emit(self.current_row)


def use_even_digits(font: QFont) -> QFont:
    """Return the font with digits of equal width, so that the digits of a column line up."""
    font = QFont(font)
    # "tnum" is OpenType's feature for tabular figures.
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def _flatten_text(text: str) -> str:
    return text.replace("\t", " ").replace("\r", " ").replace("\n", " ")
