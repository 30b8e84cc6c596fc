"""The table of a board, which turns keys and clicks into commands."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.audition.board import BoardCell
from app.common.language import localize
from app.ui.audition.board_delegate import BoardDelegate
from app.ui.audition.board_header import BoardHeader
from app.ui.audition.board_keys import MOVE_COMMANDS, find_command
from app.ui.audition.board_model import BoardModel, convert_to_cell

CELL, NARROWEST = (132, 42), 110  # pixels
HEAD, NAMES = 44, 168


class BoardView(QTableView):
    """A table view that draws only the visible cells, however many there are.

    Signals:
        command_requested(str): A command of `board_keys` was entered.
        cell_clicked(BoardCell): The cell was clicked.
        cell_double_clicked(BoardCell): The cell was double-clicked.
    """

    command_requested = Signal(str)
    cell_clicked = Signal(object)
    cell_double_clicked = Signal(object)

    def __init__(self, model: BoardModel) -> None:
        super().__init__()
        self.setObjectName("board")
        self.setModel(model)
        self.setAccessibleName(localize("オーディションの一覧", "Audition board"))
        self.setAccessibleDescription(localize("矢印キーで移動すると再生します。", "Arrow keys move and play."))
        self.setItemDelegate(BoardDelegate(self))
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        # Qt would paint a selection behind the cells; only the current cell counts.
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        across, down = BoardHeader(Qt.Orientation.Horizontal, self), BoardHeader(Qt.Orientation.Vertical, self)
        self.setHorizontalHeader(across)
        self.setVerticalHeader(down)
        across.setDefaultSectionSize(CELL[0])
        across.setMinimumSectionSize(NARROWEST)
        across.setFixedHeight(HEAD)
        down.setDefaultSectionSize(CELL[1])
        down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        down.setFixedWidth(NAMES)
        self.clicked.connect(self._emit_cell_clicked)
        self.doubleClicked.connect(lambda index: self.cell_double_clicked.emit(convert_to_cell(index)))
        model.modelReset.connect(self.fit_columns)

    @property
    def current_cell(self) -> BoardCell | None:
        """Return the focused cell, or None."""
        index = self.currentIndex()
        return convert_to_cell(index) if index.isValid() else None

    def focus_cell(self, cell: BoardCell) -> None:
        """Focus a cell and scroll to it."""
        index = self.model().index(cell.column, cell.row)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.scrollTo(index)
        # The headers emphasise the focused row and column, and Qt by itself repaints only the two cells.
        for part in (self.viewport(), self.horizontalHeader().viewport(), self.verticalHeader().viewport()):
            part.update()

    def hide_empty_sections(self, shown: frozenset[BoardCell]) -> None:
        """Hide the rows and columns in which no cell passes the filter."""
        ways, lines = {cell.column for cell in shown}, {cell.row for cell in shown}
        for row in range(self.model().rowCount()):
            self.setRowHidden(row, row not in ways)
        for column in range(self.model().columnCount()):
            self.setColumnHidden(column, column not in lines)

    @Slot()
    def fit_columns(self) -> None:
        """Share the width among the columns, down to the width that a cell needs."""
        header = self.horizontalHeader()
        room = self.viewport().width() // max(1, self.model().columnCount())
        header.setDefaultSectionSize(max(CELL[0], min(room, 2 * CELL[0])))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        self.fit_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit our own keys as commands; only moves repeat while a key is held."""
        wish = find_command(event.key(), event.modifiers())
        if not wish:
            # Qt would take letters for its keyboard search and jump to a row.
            event.ignore()
            return
        event.accept()
        if wish in MOVE_COMMANDS or not event.isAutoRepeat():
            self.command_requested.emit(wish)

    @Slot(QModelIndex)
    def _emit_cell_clicked(self, index: QModelIndex) -> None:
        self.cell_clicked.emit(convert_to_cell(index))
