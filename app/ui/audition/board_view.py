"""The table of a board: keys and clicks become wishes."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.audition.board import Cell
from app.language import localized
from app.ui.audition.board_delegate import BoardDelegate
from app.ui.audition.board_header import BoardHeader
from app.ui.audition.board_keys import MOVES, action_of
from app.ui.audition.board_model import BoardModel, cell_at

CELL, NARROWEST = (132, 42), 110  # pixels
HEAD, NAMES = 44, 168


class BoardView(QTableView):
    """Draws a few dozen cells however many there are.

    Signals:
        wanted(str): a wish of `board_keys`.
        pointed(Cell): this one was clicked.
        opened(Cell): this one was double-clicked.
    """

    wanted = Signal(str)
    pointed = Signal(object)
    opened = Signal(object)

    def __init__(self, model: BoardModel) -> None:
        super().__init__()
        self.setObjectName("board")
        self.setModel(model)
        self.setAccessibleName(localized("オーディションの一覧", "Audition board"))
        self.setAccessibleDescription(localized("矢印キーで移動すると再生します。", "Arrow keys move and play."))
        self.setItemDelegate(BoardDelegate(self))
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(
            QAbstractItemView.SelectionMode.NoSelection
        )  # Qt would paint it behind the cells; the current one is what counts
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
        self.clicked.connect(self._on_clicked)
        self.doubleClicked.connect(lambda index: self.opened.emit(cell_at(index)))
        model.modelReset.connect(self.fit)

    @property
    def current(self) -> Cell | None:
        """The focused cell."""
        index = self.currentIndex()
        return cell_at(index) if index.isValid() else None

    def focus_cell(self, cell: Cell) -> None:
        """Moves to a cell, which is seen then."""
        index = self.model().index(cell.column, cell.row)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.scrollTo(index)
        for part in (self.viewport(), self.horizontalHeader().viewport(), self.verticalHeader().viewport()):
            part.update()

    def hide_empty(self, shown: frozenset[Cell]) -> None:
        """Rows and columns in which no cell passes the filter."""
        ways, lines = {cell.column for cell in shown}, {cell.row for cell in shown}
        for row in range(self.model().rowCount()):
            self.setRowHidden(row, row not in ways)
        for column in range(self.model().columnCount()):
            self.setColumnHidden(column, column not in lines)

    @Slot()
    def fit(self) -> None:
        """Columns share the width there is, down to what a cell needs."""
        header = self.horizontalHeader()
        room = self.viewport().width() // max(1, self.model().columnCount())
        header.setDefaultSectionSize(max(CELL[0], min(room, 2 * CELL[0])))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width is shared out again."""
        super().resizeEvent(event)
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Our own keys, once each for what does not repeat; the others scroll and move as Qt has it."""
        wish = action_of(event.key(), event.modifiers())
        if not wish:
            event.ignore()  # also letters, by which Qt would look for a row
            return
        event.accept()
        if wish in MOVES or not event.isAutoRepeat():
            self.wanted.emit(wish)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        self.pointed.emit(cell_at(index))
