"""Tables whose rows are selected whole and that are left with Tab: their models, how they are set up, and the selection of a row."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView

Index = QModelIndex | QPersistentModelIndex
ROOT_INDEX = QModelIndex()
SELECT_AS_CURRENT = QItemSelectionModel.SelectionFlag.ClearAndSelect


class RowTableModel(QAbstractTableModel):
    """A model with a row for each of `rows`, and a column for each of `columns`."""

    rows: Sequence[Any] = ()
    columns: Sequence[Any] = ()

    def rowCount(self, parent: Index = ROOT_INDEX) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = ROOT_INDEX) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)


def select_single_row(table: QTableView, index: QModelIndex) -> None:
    """Make a cell the current one, and select its row alone.

    Qt's own `selectRow` and `setCurrentIndex` look at the keys held down just now: after a shortcut with Ctrl they take a row that is selected out.
    """
    table.selectionModel().setCurrentIndex(index, SELECT_AS_CURRENT | QItemSelectionModel.SelectionFlag.Rows)


def set_up_row_table(table: QTableView, row_margins: int) -> None:
    """Set up a table without grid, row headers, wrapped words and a horizontal scroll bar; `row_margins` add to the height of the text."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + row_margins)
