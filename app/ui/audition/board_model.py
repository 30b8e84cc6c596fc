"""A Qt table model of a board, with the board's columns (ways to speak) as rows and its lines as columns."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from app.audition.board import BoardCell
from app.ui.audition.board_cells import BoardCells
from app.ui.audition.board_labels import (
    FindVoice,
    TwoLines,
    describe_cell,
    describe_cell_state,
    describe_column,
    describe_row,
    shorten_columns,
)
from app.ui.plain_text import escape_tip

Index = QModelIndex | QPersistentModelIndex
STATE_ROLE, SHOWN_ROLE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
NO_PARENT_INDEX = QModelIndex()


def convert_to_cell(index: Index) -> BoardCell:
    """Return the board's cell for an index of the transposed table."""
    # The table is transposed because there are more ways to speak than lines.
    return BoardCell(index.column(), index.row())


class BoardModel(QAbstractTableModel):
    """A table model that follows the cells.

    Attributes:
        shown: The cells that pass the filter.
    """

    def __init__(self, parent: QObject, cells: BoardCells, find_voice: FindVoice) -> None:
        super().__init__(parent)
        self._cells, self._find = cells, find_voice
        self.shown: frozenset[BoardCell] = frozenset()
        # Each short name depends on all columns, so they are built together, once for each board.
        self._ways: list[TwoLines] = []
        cells.about_to_be_replaced.connect(self.beginResetModel)
        cells.replaced.connect(self._finish_reset)
        cells.cell_changed.connect(self._update_cell)

    def find_index(self, cell: BoardCell) -> QModelIndex:
        """Return the index of a cell."""
        return self.index(cell.column, cell.row)

    def show_matching(self, shown: frozenset[BoardCell]) -> None:
        """Show these cells as the ones that pass the filter."""
        if shown != self.shown:
            self.shown = shown
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def rowCount(self, parent: Index = NO_PARENT_INDEX) -> int:
        """Return the number of ways to speak."""
        return 0 if parent.isValid() else len(self._cells.board.columns)

    def columnCount(self, parent: Index = NO_PARENT_INDEX) -> int:
        """Return the number of lines, each counted once for each style weight."""
        return 0 if parent.isValid() else len(self._cells.board.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the state of a cell, or its description for screen readers and tooltips."""
        if not index.isValid() or index.row() >= self.rowCount() or index.column() >= self.columnCount():
            return None
        cell = convert_to_cell(index)
        if role == STATE_ROLE:
            return self._cells.build_state(cell)
        if role == SHOWN_ROLE:
            return cell in self.shown
        if role == Qt.ItemDataRole.AccessibleTextRole:
            board = self._cells.board
            return f"{describe_cell(board, cell, self._ways[cell.column])}: {describe_cell_state(self._cells.build_state(cell))} {board.lines[cell.row].text}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return escape_tip(describe_cell_state(self._cells.build_state(cell)))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a header of at most two lines; the tooltip of a way to speak has its full name."""
        board, across = self._cells.board, orientation == Qt.Orientation.Horizontal
        # Qt asks one header for sections while the other one is being reset.
        known = section < (len(board.lines) if across else len(board.columns))
        if not known or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        is_tip = role == Qt.ItemDataRole.ToolTipRole
        words = describe_row(board, section) if across else describe_column(board, section, self._find) if is_tip else self._ways[section]
        text = "\n".join(part for part in words if part)
        return escape_tip(text) if is_tip else text

    @Slot()
    def update_names(self) -> None:
        """Rebuild the column names after voices were renamed."""
        self._build_names()
        if self.rowCount():
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, self.rowCount() - 1)

    def _build_names(self) -> None:
        self._ways = shorten_columns(self._cells.board, self._find)

    @Slot()
    def _finish_reset(self) -> None:
        self.shown = frozenset(self._cells.board.cells)
        self._build_names()
        self.endResetModel()

    @Slot(object)
    def _update_cell(self, cell: BoardCell) -> None:
        index = self.find_index(cell)
        self.dataChanged.emit(index, index)
