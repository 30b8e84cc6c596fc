"""Rows of one kind as a table that can be sorted; more of them may come at any time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from app.lab.rows import Row, cell, columns_of
from app.lab.words import column_name, value_name
from app.ui.plain_text import folded_tip

_ROOT = QModelIndex()
Index = QModelIndex | QPersistentModelIndex
LONGEST = 80  # letters of a cell; the details have all
VERDICTS = ("passed", "ok")  # columns in which False is bad news


class RowModel(QAbstractTableModel):
    """Attributes:
    rows: in the order in which they are shown.
    columns: names in the rows.
    """

    def __init__(self, digits: QFont) -> None:
        """`digits`: a font for numbers."""
        super().__init__()
        self.rows: list[Row] = []
        self.columns: list[str] = []
        self._came: list[Row] = []
        self._digits, self._bold = digits, QFont(digits)
        self._bold.setBold(True)
        self._with_numbers: set[str] = set()  # columns that hold some
        self._with_words: set[str] = set()
        self._sorted_by: tuple[int, Qt.SortOrder] = (-1, Qt.SortOrder.AscendingOrder)

    def add(self, rows: Sequence[Row]) -> None:
        """More rows, which may have columns that no row had before."""
        self._came += rows
        for name, value in ((name, value) for row in rows for name, value in row.items() if value is not None):
            (self._with_numbers if is_number(value) else self._with_words).add(name)
        columns = list(dict.fromkeys([*self.columns, *columns_of(rows)]))
        if columns != self.columns:
            self.beginInsertColumns(_ROOT, len(self.columns), len(columns) - 1)
            self.columns = columns
            self.endInsertColumns()
        first = len(self.rows)
        self.beginInsertRows(_ROOT, first, first + len(rows) - 1)
        self.rows += rows
        self.endInsertRows()
        if self._sorted_by[0] >= 0:
            self.sort(*self._sorted_by)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """By a column, what has no value last; -1 is the order in which they came."""
        self._sorted_by = (column, order)
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        places = [(id(self.rows[index.row()]), index.column()) for index in before]
        self.rows = self._in_order(column, order)
        now = {id(row): place for place, row in enumerate(self.rows)}
        self.changePersistentIndexList(before, [self.index(now[row], column) for row, column in places])
        self.layoutChanged.emit()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """One for each row."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """As many as rows have names."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Columns as people call them; the tooltip is what programs call them."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return column_name(self.columns[section])
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.columns[section]
        return self._alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Values for people; long ones in one short line."""
        name = self.columns[index.column()]
        value = self.rows[index.row()].get(name)
        if role == Qt.ItemDataRole.DisplayRole:
            text = shown(name, value)
            return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        if role == Qt.ItemDataRole.ToolTipRole:
            text = shown(name, value)
            return folded_tip(text) if len(text) > LONGEST else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        if role == Qt.ItemDataRole.FontRole:
            failed = any(self.rows[index.row()].get(name) is False for name in VERDICTS)
            return self._bold if failed else self._digits if is_number(value) else None
        return None

    def holds_figures(self, column: int) -> bool:
        """Numbers, and nothing else."""
        return self.columns[column] in self._with_numbers - self._with_words

    def is_empty(self, column: int) -> bool:
        """No row has a value there."""
        return self.columns[column] not in self._with_numbers | self._with_words

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        across = Qt.AlignmentFlag.AlignRight if self.holds_figures(column) else Qt.AlignmentFlag.AlignLeft
        return across | Qt.AlignmentFlag.AlignVCenter

    def _in_order(self, column: int, order: Qt.SortOrder) -> list[Row]:
        if not 0 <= column < len(self.columns):
            return list(self._came)
        name = self.columns[column]
        known = sorted((row for row in self._came if row.get(name) is not None), key=lambda row: _key(row[name]))
        if order == Qt.SortOrder.DescendingOrder:
            known.reverse()
        return known + [row for row in self._came if row.get(name) is None]


def shown(column: str, value: object) -> str:
    """A value for people."""
    return cell(value_name(column, value), column)


def is_number(value: object) -> bool:
    """A number, of which True is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _key(value: object) -> tuple[bool, float, str]:
    """Numbers before words."""
    return (False, float(value), "") if isinstance(value, int | float) else (True, 0.0, cell(value))
