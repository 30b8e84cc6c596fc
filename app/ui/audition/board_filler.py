"""Has the cells of a board made in the background, those near the focused one first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.audition.board import Cell
from app.audition.board_order import fill_order
from app.errors import AppError, InputError
from app.ui.audition.board_cells import BoardCells, Phase
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import RenderTake, TakeResult

AT_ONCE = 2  # the synthesis thread never waits for the window, and what is focused next is soon made


class BoardFiller(QObject):
    """Asks for a few cells at a time, so that the order may change at any moment.

    Signals:
        advanced(): a cell was made, or cannot be.

    Args:
        bert_of: names the BERT of a voice: what it says of a text is remembered for the other voices that use it.
    """

    advanced = Signal()

    def __init__(self, parent: QObject, cells: BoardCells, speech: SpeechController, bert_of: Callable[[str], str]) -> None:
        super().__init__(parent)
        self._cells, self._speech, self._bert_of = cells, speech, bert_of
        self._left: deque[Cell] = deque()
        self._asked: dict[Cell, RenderTake] = {}
        self._goes = False

    @property
    def left(self) -> int:
        """Cells that are still to be made."""
        return len(self._left) + len(self._asked)

    def fill(self, focus: Cell) -> None:
        """Continues from another cell, or with another board."""
        self._goes = True
        board = self._cells.board
        asked = self._asked.keys()
        self._left = deque(fill_order(board, focus, self._cells.done | asked, self._bert_of))
        self._ask()

    def stop(self) -> None:
        """Gives up what is not made yet."""
        self._goes = False
        self._left.clear()
        asked, self._asked = self._asked, {}
        self._speech.stop_rendering(list(asked.values()))
        self._cells.begin(None)

    def _ask(self) -> None:
        while self._goes and self._left and len(self._asked) < AT_ONCE:
            cell = self._left.popleft()
            if self._cells.state(cell).phase is Phase.EMPTY:
                on_made, on_failed = partial(self._on_made, cell), partial(self._on_failed, cell)
                self._asked[cell] = self._speech.render(self._cells.line(cell), on_made=on_made, on_failed=on_failed, quiet=True)
        self._cells.begin(next(iter(self._asked), None))

    def _on_made(self, cell: Cell, taken: TakeResult) -> None:
        del self._asked[cell]
        self._cells.put(taken.job.line, taken.samples, taken.rate)
        self._ask()
        self.advanced.emit()

    def _on_failed(self, cell: Cell, error: AppError) -> None:
        del self._asked[cell]
        self._cells.begin(None)
        self._cells.fail(cell, error, whole_voice=not isinstance(error, InputError))  # not for the line's own sake
        self._ask()
        self.advanced.emit()
