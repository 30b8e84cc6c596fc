"""A board as Qt's views want it: ways to speak below each other, lines beside each other."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from app.audition.board import Cell
from app.ui.audition.board_cells import BoardCells
from app.ui.audition.board_words import Find, TwoLines, cell_words, line_words, short_ways, state_words, way_words
from app.ui.plain_text import plain_tip

Index = QModelIndex | QPersistentModelIndex
STATE_ROLE, SHOWN_ROLE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
NOWHERE = QModelIndex()


def cell_at(index: Index) -> Cell:
    """The board has lines for rows; the table turns it, for there are more ways than lines."""
    return Cell(index.column(), index.row())


class BoardModel(QAbstractTableModel):
    """Follows the cells.

    Attributes:
        shown: the cells that pass the filter.
    """

    def __init__(self, parent: QObject, cells: BoardCells, find: Find) -> None:
        super().__init__(parent)
        self._cells, self._find = cells, find
        self.shown: frozenset[Cell] = frozenset()
        self._ways: list[TwoLines] = []  # known once for all, as each depends on all
        cells.replacing.connect(self.beginResetModel)
        cells.replaced.connect(self._on_replaced)
        cells.changed.connect(self._on_changed)

    def index_of(self, cell: Cell) -> QModelIndex:
        """Where a cell stands."""
        return self.index(cell.column, cell.row)

    def show_only(self, shown: frozenset[Cell]) -> None:
        """The cells that pass a filter."""
        if shown != self.shown:
            self.shown = shown
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Ways to speak."""
        return 0 if parent.isValid() else len(self._cells.board.columns)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """Lines, each in all strengths."""
        return 0 if parent.isValid() else len(self._cells.board.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The state of a cell, in words for those who hear it."""
        if not index.isValid() or index.row() >= self.rowCount() or index.column() >= self.columnCount():
            return None
        cell = cell_at(index)
        if role == STATE_ROLE:
            return self._cells.state(cell)
        if role == SHOWN_ROLE:
            return cell in self.shown
        if role == Qt.ItemDataRole.AccessibleTextRole:
            board = self._cells.board
            return (
                f"{cell_words(board, cell, self._ways[cell.column])}: {state_words(self._cells.state(cell))} {board.lines[cell.row].text}"
            )
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(state_words(self._cells.state(cell)))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Two lines each at most; the tip of a way says all of it."""
        board, across = self._cells.board, orientation == Qt.Orientation.Horizontal
        known = section < (len(board.lines) if across else len(board.columns))  # one header still asks while the other is reset
        if not known or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        is_tip = role == Qt.ItemDataRole.ToolTipRole
        words = line_words(board, section) if across else way_words(board, section, self._find) if is_tip else self._ways[section]
        text = "\n".join(part for part in words if part)
        return plain_tip(text) if is_tip else text

    @Slot()
    def rename(self) -> None:
        """Voices may be called otherwise."""
        self._name()
        if self.rowCount():
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, self.rowCount() - 1)

    def _name(self) -> None:
        self._ways = short_ways(self._cells.board, self._find)

    @Slot()
    def _on_replaced(self) -> None:
        self.shown = frozenset(self._cells.board.cells)
        self._name()
        self.endResetModel()

    @Slot(object)
    def _on_changed(self, cell: Cell) -> None:
        index = self.index_of(cell)
        self.dataChanged.emit(index, index)
