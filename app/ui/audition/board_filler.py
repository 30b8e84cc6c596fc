"""A background filler that makes the cells of a board, those near the focused one first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.audition.board import BoardCell
from app.audition.board_order import plan_fill_order
from app.audition.line_rendering import TakeResult
from app.common.errors import AppError, InputError
from app.engine.synthesis_jobs import ComputeJob
from app.ui.audition.board_cells import BoardCells, CellPhase
from app.ui.synthesis.speech_controller import SpeechController

# Two, so that the synthesis thread never waits for the window, and a cell focused next is still made soon.
MAX_FILL_JOBS = 2


class BoardFiller(QObject):
    """Requests a few cells at a time, so that their order may change at any moment.

    Signals:
        advanced(): A cell was made or has failed.

    Args:
        find_bert: Returns the id of a voice's BERT; its output for a text is cached for the other voices that use it.
    """

    advanced = Signal()

    def __init__(self, parent: QObject, cells: BoardCells, speech: SpeechController, find_bert: Callable[[str], str]) -> None:
        super().__init__(parent)
        self._cells, self._speech, self._bert_of = cells, speech, find_bert
        self._left: deque[BoardCell] = deque()
        self._asked: dict[BoardCell, ComputeJob[TakeResult]] = {}
        self._goes = False

    @property
    def remaining_count(self) -> int:
        """Return the number of cells that are still to be made."""
        return len(self._left) + len(self._asked)

    def fill_from(self, focus: BoardCell) -> None:
        """Restart filling around another cell, or on another board."""
        self._goes = True
        board = self._cells.board
        asked = self._asked.keys()
        self._left = deque(plan_fill_order(board, focus, self._cells.finished_cells | asked, self._bert_of))
        self._request_cells()

    def stop_filling(self) -> None:
        """Drop all cells that are not made yet."""
        self._goes = False
        self._left.clear()
        asked, self._asked = self._asked, {}
        self._speech.stop_computing(list(asked.values()))
        self._cells.mark_making(None)

    def _request_cells(self) -> None:
        while self._goes and self._left and len(self._asked) < MAX_FILL_JOBS:
            cell = self._left.popleft()
            if self._cells.build_state(cell).phase is CellPhase.EMPTY:
                on_made, on_failed = partial(self._store_sound, cell), partial(self._mark_failed, cell)
                self._asked[cell] = self._speech.render_take(
                    self._cells.find_line(cell), on_made=on_made, on_failed=on_failed, is_quiet=True
                )
        self._cells.mark_making(next(iter(self._asked), None))

    def _store_sound(self, cell: BoardCell, result: TakeResult) -> None:
        del self._asked[cell]
        self._cells.add_sound(result.line, result.samples, result.rate)
        self._request_cells()
        self.advanced.emit()

    def _mark_failed(self, cell: BoardCell, error: AppError) -> None:
        del self._asked[cell]
        self._cells.mark_making(None)
        # An InputError concerns this line alone; any other error concerns the voice, and its other cells would fail too.
        self._cells.mark_failed(cell, error, is_whole_voice=not isinstance(error, InputError))
        self._request_cells()
        self.advanced.emit()
