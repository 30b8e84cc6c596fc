"""A table view of rows and its model, sorted by its headers and copied with Ctrl+C."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QFont, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTableView

from app.common.language import localize
from app.lab.report_rows import Row, format_cell, format_exact, list_columns
from app.lab.row_labels import format_column, format_value
from app.ui.widgets.controls import ROOT_INDEX, Index, RowTableModel, truncate_text, wrap_tip

NAMING_COLUMNS = {"candidate", "graph", "part", "case", "check", "form", "backend", "scope", "stage", "name", "length", "batch"}
"""The columns that identify a row."""
CONCLUDING_COLUMNS = ("winner", "median_ms", "slower", "speedup", "verdict", "efficiency", "share", "ok", "passed")
"""The columns that state a result. They are shown right after the identifying columns; copies and files keep the rows' own order."""
WIDEST, ROW_MARGINS, CELL_MARGINS = 320, 8, 6  # pixels
MAX_CELL_LENGTH = 80  # counted in letters; the details show the whole value
VERDICT_COLUMNS = ("passed", "ok")  # in these columns False is bad news and is set in bold


class LabRowModel(RowTableModel):
    """A table model of rows, in the displayed order."""

    def __init__(self, digit_font: QFont) -> None:
        """Use `digit_font` for numbers."""
        super().__init__()
        self.rows: list[Row] = []
        self.columns: list[str] = []
        self._came: list[Row] = []
        self._digits, self._bold = digit_font, QFont(digit_font)
        self._bold.setBold(True)
        self._with_numbers: set[str] = set()
        self._with_words: set[str] = set()
        self._sorted_by: tuple[int, Qt.SortOrder] = (-1, Qt.SortOrder.AscendingOrder)

    def add_rows(self, rows: Sequence[Row]) -> None:
        """Add rows, which may have columns that no row had before."""
        self._came += rows
        # A column is right-aligned only if it holds nothing but numbers, so both kinds are counted as they come.
        for name, value in ((name, value) for row in rows for name, value in row.items() if value is not None):
            (self._with_numbers if is_number(value) else self._with_words).add(name)
        columns = list(dict.fromkeys([*self.columns, *list_columns(rows)]))
        if columns != self.columns:
            self.beginInsertColumns(ROOT_INDEX, len(self.columns), len(columns) - 1)
            self.columns = columns
            self.endInsertColumns()
        first = len(self.rows)
        self.beginInsertRows(ROOT_INDEX, first, first + len(rows) - 1)
        self.rows += rows
        self.endInsertRows()
        if self._sorted_by[0] >= 0:
            self.sort(*self._sorted_by)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column, rows without a value last; -1 restores the order of arrival."""
        self._sorted_by = (column, order)
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        # Rows are dicts and cannot be keys, and equal rows may exist: their identity finds them after sorting.
        places = [(id(self.rows[index.row()]), index.column()) for index in before]
        self.rows = self._sort_rows(column, order)
        places_by_row = {id(row): place for place, row in enumerate(self.rows)}
        self.changePersistentIndexList(before, [self.index(places_by_row[row], column) for row, column in places])
        self.layoutChanged.emit()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's display name; the tooltip is its name in the data."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return format_column(self.columns[section])
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.columns[section]
        return self._choose_alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's value as short text, with tooltip, alignment and font."""
        name = self.columns[index.column()]
        value = self.rows[index.row()].get(name)
        if role == Qt.ItemDataRole.DisplayRole:
            return truncate_text(format_column_value(name, value), MAX_CELL_LENGTH)
        if role == Qt.ItemDataRole.ToolTipRole:
            text = format_column_value(name, value)
            return wrap_tip(text) if len(text) > MAX_CELL_LENGTH else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._choose_alignment(index.column())
        if role == Qt.ItemDataRole.FontRole:
            failed = any(self.rows[index.row()].get(name) is False for name in VERDICT_COLUMNS)
            return self._bold if failed else self._digits if is_number(value) else None
        return None

    def has_figures(self, column: int) -> bool:
        """Return whether a column has numbers and nothing else."""
        return self.columns[column] in self._with_numbers - self._with_words

    def is_column_empty(self, column: int) -> bool:
        return self.columns[column] not in self._with_numbers | self._with_words

    def _choose_alignment(self, column: int) -> Qt.AlignmentFlag:
        across = Qt.AlignmentFlag.AlignRight if self.has_figures(column) else Qt.AlignmentFlag.AlignLeft
        return across | Qt.AlignmentFlag.AlignVCenter

    def _sort_rows(self, column: int, order: Qt.SortOrder) -> list[Row]:
        if not 0 <= column < len(self.columns):
            return list(self._came)
        name = self.columns[column]
        valued_rows = sorted((row for row in self._came if row.get(name) is not None), key=lambda row: _build_sort_key(row[name]))
        if order == Qt.SortOrder.DescendingOrder:
            valued_rows.reverse()
        return valued_rows + [row for row in self._came if row.get(name) is None]


class LabRowTable(QTableView):
    """A table of rows of one kind.

    Signals:
        chosen(Row): Another row is current.
    """

    chosen = Signal(object)

    def __init__(self, name: str, constant_column: str = "") -> None:
        """Hide `constant_column`, in which all rows have the same value."""
        super().__init__()
        self._constant_column = constant_column
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
        shown = [not self.rows.is_column_empty(column) and name != self._constant_column for column, name in enumerate(self.rows.columns)]
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
            *([_flatten_text(format_exact(self.rows.rows[row_number].get(name))) for name in self.rows.columns] for row_number in places),
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
        names = [columns[header.logicalIndex(position)] for position in range(len(columns))]
        target = next((position for position, name in enumerate(names) if name not in NAMING_COLUMNS), 0)
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


def format_column_value(column: str, value: object) -> str:
    return format_cell(format_value(column, value), column)


def is_number(value: object) -> bool:
    """Return whether a value is a number; a bool is not one."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _build_sort_key(value: object) -> tuple[bool, float, str]:
    """Return a sort key that puts numbers before text."""
    return (False, float(value), "") if isinstance(value, int | float) else (True, 0.0, format_cell(value))
