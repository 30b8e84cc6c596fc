"""A sortable table model of rows of one kind, to which rows can be added at any time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from app.lab.report_rows import Row, format_cell, list_columns
from app.lab.row_labels import format_column, format_value
from app.ui.plain_text import wrap_tip

_ROOT_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex
# Counted in letters; the details show the whole value.
MAX_CELL_LENGTH = 80
# In these columns False is bad news and is set in bold.
VERDICT_COLUMNS = ("passed", "ok")


class LabRowModel(QAbstractTableModel):
    """A table model of rows.

    Attributes:
        rows: The rows in the displayed order.
        columns: The names of the columns.
    """

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
            self.beginInsertColumns(_ROOT_INDEX, len(self.columns), len(columns) - 1)
            self.columns = columns
            self.endInsertColumns()
        first = len(self.rows)
        self.beginInsertRows(_ROOT_INDEX, first, first + len(rows) - 1)
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
        now = {id(row): place for place, row in enumerate(self.rows)}
        self.changePersistentIndexList(before, [self.index(now[row], column) for row, column in places])
        self.layoutChanged.emit()

    def rowCount(self, parent: Index = _ROOT_INDEX) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT_INDEX) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)

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
            text = format_column_value(name, value)
            return text if len(text) <= MAX_CELL_LENGTH else text[: MAX_CELL_LENGTH - 1] + "…"
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
        """Return whether no row has a value in a column."""
        return self.columns[column] not in self._with_numbers | self._with_words

    def _choose_alignment(self, column: int) -> Qt.AlignmentFlag:
        across = Qt.AlignmentFlag.AlignRight if self.has_figures(column) else Qt.AlignmentFlag.AlignLeft
        return across | Qt.AlignmentFlag.AlignVCenter

    def _sort_rows(self, column: int, order: Qt.SortOrder) -> list[Row]:
        if not 0 <= column < len(self.columns):
            return list(self._came)
        name = self.columns[column]
        known = sorted((row for row in self._came if row.get(name) is not None), key=lambda row: _build_sort_key(row[name]))
        if order == Qt.SortOrder.DescendingOrder:
            known.reverse()
        return known + [row for row in self._came if row.get(name) is None]


def format_column_value(column: str, value: object) -> str:
    """Format a value for display."""
    return format_cell(format_value(column, value), column)


def is_number(value: object) -> bool:
    """Return whether a value is a number; a bool is not one."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _build_sort_key(value: object) -> tuple[bool, float, str]:
    """Return a sort key that puts numbers before text."""
    return (False, float(value), "") if isinstance(value, int | float) else (True, 0.0, format_cell(value))
