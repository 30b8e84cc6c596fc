"""Cells of a board as they are heard: one at once, or one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.audition.board import Cell
from app.core.requests import cast_of, request_of
from app.core.script import Line
from app.core.types import AudioChunk, Float32
from app.ui.audition.board_cells import BoardCells
from app.ui.playback.playback import Playback
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import Speak
from app.ui.synthesis.results import SpeakFailure
from app.ui.synthesis.side_by_side import SideBySide

BETWEEN_MS = 350  # silence between two cells that are played through


@dataclass(slots=True, eq=False)
class _Heard:
    """What is heard now, and the pieces of it so far."""

    cell: Cell
    line: Line
    pieces: list[Float32] = field(default_factory=list)
    rate: int = 0


class BoardPlayer(QObject):
    """What is not made yet is heard while it is being made, and then counts as made.

    Signals:
        moved(Cell): of several, this one is next.
        settled(): a cell was made, or nothing is heard any more.
    """

    moved = Signal(object)
    settled = Signal()

    def __init__(self, parent: QObject, cells: BoardCells, speech: SpeechController, playback: Playback) -> None:
        super().__init__(parent)
        self._cells, self._speech, self._playback = cells, speech, playback
        self._queue: list[Cell] = []
        self._spoken: _Heard | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(BETWEEN_MS)
        self._timer.timeout.connect(self._on_pause_over)
        speech.chunk_made.connect(self._on_chunk)
        speech.made.connect(self._on_made)
        speech.heard.connect(self._on_heard)
        speech.dropped.connect(self._on_dropped)
        speech.speaking_failed.connect(self._on_failed)

    @property
    def is_on(self) -> bool:
        """A cell is heard, or will be in a moment."""
        return self._spoken is not None or bool(self._queue)

    @property
    def playing(self) -> Cell | None:
        """The cell that is heard."""
        return self._spoken.cell if self._spoken else None

    def play(self, cells: Sequence[Cell]) -> None:
        """Plays these one after the other, the first at once; what is heard now stops."""
        self.stop()
        self._queue = list(cells)
        self._next()

    def stop(self) -> None:
        """Silence."""
        self._queue = []
        self._timer.stop()
        if self._spoken is not None:
            self._end()
            self._speech.stop()

    @Slot()
    def _on_pause_over(self) -> None:
        if self._speech.spoken:  # something else was begun in the pause
            self._queue = []
        self._next()

    def _next(self) -> None:
        if not self._queue:
            self.settled.emit()
            return
        cell = self._queue.pop(0)
        line, held = self._cells.line(cell), self._cells.sound(cell)
        self._playback.stop()  # and whatever else is heard
        self._spoken = heard = _Heard(cell, line)  # first: a short sound may be over before the call returns
        self._cells.play(cell)
        if held is not None:
            self._speech.play_kept(SideBySide([held[0]], held[1]), heard)
        else:
            self._speech.speak_next(request_of(line), cast_of(line), source=heard)
        self.moved.emit(cell)

    def _end(self) -> None:
        self._spoken = None
        self._cells.play(None)
        self.settled.emit()

    def _is_mine(self, job: Speak | None) -> bool:
        return job is not None and self._spoken is not None and job.source is self._spoken

    @Slot(object)
    def _on_chunk(self, chunk: AudioChunk) -> None:
        job = self._speech.find(chunk.request_id)
        if job is not None and isinstance(job.source, _Heard):
            job.source.pieces.append(chunk.samples)
            job.source.rate = chunk.sampling_rate

    @Slot(object)
    def _on_made(self, job: Speak) -> None:
        heard = job.source  # which may have been heard to its end already
        if isinstance(heard, _Heard) and job.kept is None and heard.pieces:
            self._cells.put(heard.line, np.concatenate(heard.pieces), heard.rate)
            self.settled.emit()

    @Slot(object)
    def _on_heard(self, job: Speak) -> None:
        if self._is_mine(job):
            self._end()
            if self._queue:
                self._timer.start()

    @Slot(object)
    def _on_dropped(self, jobs: Sequence[Speak]) -> None:
        if any(map(self._is_mine, jobs)):
            self._queue = []
            self._end()

    @Slot(object)
    def _on_failed(self, failed: SpeakFailure) -> None:
        if self._spoken is not None and self._is_mine(failed.job):
            cell = self._spoken.cell
            self._end()
            self._cells.fail(cell, failed.error)
            if self._queue:
                self._timer.start()
