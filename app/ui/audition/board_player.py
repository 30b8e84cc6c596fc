"""Plays the cells of a board, one at a time or one after the other, and makes those near the focused one ahead."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.audition.board import BoardCell, plan_fill_order
from app.audition.line_rendering import TakeResult
from app.audition.parallel_sounds import ParallelSounds
from app.common.errors import AppError, InputError
from app.core.script.script import Line, build_request, find_cast
from app.core.synthesis_types import AudioChunk, Float32
from app.engine.synthesis_jobs import ComputeJob, SpeakFailure, SpeechJob
from app.ui.audition.board_cells import BoardCells, CellPhase
from app.ui.playback.line_playback import LinePlayback
from app.ui.synthesis.speech_controller import SpeechController

BOARD_PLAY_GAP_MS = 350  # silence between two cells that are played through

MAX_FILL_JOBS = 2  # two, so that the synthesis thread never waits for the window, and a cell focused next is still made soon


@dataclass(slots=True, eq=False)
class _CellPlayback:
    """The cell that is playing, with the pieces of its sound so far."""

    cell: BoardCell
    line: Line
    pieces: list[Float32] = field(default_factory=list)
    rate: int = 0


class BoardPlayer(QObject):
    """Plays cells; a cell that is not made yet is played while it is made, and its sound is kept in the cells.

    Signals:
        cell_started(BoardCell): The next of several cells starts.
        settled(): A cell was made, or playback has ended.
    """

    cell_started = Signal(object)
    settled = Signal()

    def __init__(self, parent: QObject, cells: BoardCells, speech: SpeechController, playback: LinePlayback) -> None:
        super().__init__(parent)
        self._cells, self._speech, self._playback = cells, speech, playback
        self._queue: list[BoardCell] = []
        self._cell_playback: _CellPlayback | None = None
        self._timer = QTimer(self, singleShot=True, interval=BOARD_PLAY_GAP_MS)
        self._timer.timeout.connect(self._play_after_pause)
        speech.chunk_made.connect(self._add_chunk)
        speech.speech_computed.connect(self._store_sound)
        speech.speech_played.connect(self._finish_cell)
        speech.speech_dropped.connect(self._stop_if_dropped)
        speech.speaking_failed.connect(self._mark_failed)

    @property
    def is_active(self) -> bool:
        """Return whether a cell is playing or is about to."""
        return self._cell_playback is not None or bool(self._queue)

    def play_cells(self, cells: Sequence[BoardCell]) -> None:
        """Stop playback, then play these cells one after the other."""
        self.stop_playing()
        self._queue = list(cells)
        self._play_next()

    def stop_playing(self) -> None:
        """Stop playback and clear the queue."""
        self._queue = []
        self._timer.stop()
        if self._cell_playback is not None:
            self._end_cell()
            self._speech.stop_speaking()

    @Slot()
    def _play_after_pause(self) -> None:
        # The user began to play something else during the pause; continuing would talk over it.
        if self._speech.spoken_jobs:
            self._queue = []
        self._play_next()

    def _play_next(self) -> None:
        if not self._queue:
            self.settled.emit()
            return
        cell = self._queue.pop(0)
        line, sound = self._cells.find_line(cell), self._cells.find_sound(cell)
        # The script's own playback must not continue behind the cell.
        self._playback.stop_playing()
        # This comes before the call: a short sound may have ended by the time `play_sounds` returns.
        self._cell_playback = cell_playback = _CellPlayback(cell, line)
        self._cells.mark_playing(cell)
        if sound is not None:
            self._speech.play_sounds(ParallelSounds([sound[0]], sound[1]), cell_playback)
        else:
            self._speech.speak_request_next(build_request(line), find_cast(line), source=cell_playback)
        self.cell_started.emit(cell)

    def _end_cell(self) -> None:
        self._cell_playback = None
        self._cells.mark_playing(None)
        self.settled.emit()

    def _is_own_job(self, job: SpeechJob | None) -> bool:
        return job is not None and self._cell_playback is not None and job.source is self._cell_playback

    @Slot(object, object)
    def _add_chunk(self, job: SpeechJob, chunk: AudioChunk) -> None:
        if isinstance(job.source, _CellPlayback):
            job.source.pieces.append(chunk.samples)
            job.source.rate = chunk.sampling_rate

    @Slot(object)
    def _store_sound(self, job: SpeechJob) -> None:
        # The job's own source, not the current one: playback may have moved on before the sound was complete.
        cell_playback = job.source
        if isinstance(cell_playback, _CellPlayback) and job.recorded is None and cell_playback.pieces:
            self._cells.add_sound(cell_playback.line, np.concatenate(cell_playback.pieces), cell_playback.rate)
            self.settled.emit()

    @Slot(object)
    def _finish_cell(self, job: SpeechJob) -> None:
        if self._is_own_job(job):
            self._end_cell()
            if self._queue:
                self._timer.start()

    @Slot(object)
    def _stop_if_dropped(self, jobs: Sequence[SpeechJob]) -> None:
        if any(map(self._is_own_job, jobs)):
            self._queue = []
            self._end_cell()

    @Slot(object)
    def _mark_failed(self, failure: SpeakFailure) -> None:
        if self._cell_playback is not None and self._is_own_job(failure.job):
            cell = self._cell_playback.cell
            self._end_cell()
            self._cells.mark_failed(cell, failure.error)
            if self._queue:
                self._timer.start()


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
        self._waiting_cells: deque[BoardCell] = deque()
        self._cell_jobs: dict[BoardCell, ComputeJob[TakeResult]] = {}
        self._goes = False

    @property
    def remaining_count(self) -> int:
        """Return the number of cells that are still to be made."""
        return len(self._waiting_cells) + len(self._cell_jobs)

    def fill_from(self, focus: BoardCell) -> None:
        """Restart filling around another cell, or on another board."""
        self._goes = True
        board = self._cells.board
        requested_cells = self._cell_jobs.keys()
        self._waiting_cells = deque(plan_fill_order(board, focus, self._cells.finished_cells | requested_cells, self._bert_of))
        self._request_cells()

    def stop_filling(self) -> None:
        """Drop all cells that are not made yet."""
        self._goes = False
        self._waiting_cells.clear()
        cell_jobs, self._cell_jobs = self._cell_jobs, {}
        self._speech.stop_computing(list(cell_jobs.values()))
        self._cells.mark_making(None)

    def _request_cells(self) -> None:
        while self._goes and self._waiting_cells and len(self._cell_jobs) < MAX_FILL_JOBS:
            cell = self._waiting_cells.popleft()
            if self._cells.build_state(cell).phase is CellPhase.EMPTY:
                on_made, on_failed = partial(self._store_sound, cell), partial(self._mark_failed, cell)
                self._cell_jobs[cell] = self._speech.render_take(
                    self._cells.find_line(cell), on_made=on_made, on_failed=on_failed, is_quiet=True
                )
        self._cells.mark_making(next(iter(self._cell_jobs), None))

    def _store_sound(self, cell: BoardCell, result: TakeResult) -> None:
        del self._cell_jobs[cell]
        self._cells.add_sound(result.line, result.samples, result.rate)
        self._request_cells()
        self.advanced.emit()

    def _mark_failed(self, cell: BoardCell, error: AppError) -> None:
        del self._cell_jobs[cell]
        self._cells.mark_making(None)
        # An InputError concerns this line alone; any other error concerns the voice, and its other cells would fail too.
        self._cells.mark_failed(cell, error, is_whole_voice=not isinstance(error, InputError))
        self._request_cells()
        self.advanced.emit()
