"""Sets up tables whose rows are selected whole and that are left with Tab, and selects their rows."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView

SELECT_AS_CURRENT = QItemSelectionModel.SelectionFlag.ClearAndSelect


def select_single_row(table: QTableView, index: QModelIndex) -> None:
    """Make a cell the current one, and select its row alone.

    Qt's own `selectRow` and `setCurrentIndex` look at the keys held down just now: after a shortcut with Ctrl they take a row that is selected out.
    """
    table.selectionModel().setCurrentIndex(index, SELECT_AS_CURRENT | QItemSelectionModel.SelectionFlag.Rows)


def set_up_row_table(table: QTableView, row_margins: int) -> None:
    """Set up a table without grid, row headers, wrapped words and a horizontal scroll bar; `row_margins` are pixels beside the text."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + row_margins)
