"""Plays the cells of a board, makes those near the focused one ahead, and handles the keys and buttons for the focused one."""

import os
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.audition.blind_test_result import apply_to_character, find_sole_character
from app.audition.board import (
    BoardCell,
    FocusDirection,
    filter_cells,
    find_nearest_cell,
    list_scene_cells,
    move_focus,
    plan_fill_order,
    plan_play_order,
)
from app.audition.candidate_casts import recast_script
from app.audition.line_rendering import TakeResult
from app.audition.parallel_sounds import ParallelSounds
from app.common.errors import AppError, InputError
from app.common.language import localize
from app.core.script.characters import CHARACTER_FIELDS
from app.core.script.script import Character, Line, LineSettings, build_request, change_settings, find_cast
from app.core.synthesis_types import AudioChunk, Float32
from app.engine.synthesis_jobs import ComputeJob, SpeakFailure, SpeechJob
from app.ui.audition.board_cells import BoardCells, CellPhase
from app.ui.audition.board_model import BoardModel
from app.ui.audition.board_view import MOVE_COMMANDS
from app.ui.audition.board_window import BoardWindow
from app.ui.playback.line_playback import LinePlayback
from app.ui.script.script_document import ScriptDocument
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


TRANSPOSED_DIRECTIONS: dict[str, FocusDirection] = {
    "left": "up",
    "right": "down",
    "up": "left",
    "down": "right",
    "first": "first",
    "last": "last",
}
"""The directions of the board for those of the table, which shows the board's rows side by side."""


class BoardFocusController(QObject):
    """Handles keys and buttons for the focused cell; it is made and destroyed with each board window."""

    def __init__(
        self, window: BoardWindow, model: BoardModel, cells: BoardCells, player: BoardPlayer, filler: BoardFiller, document: ScriptDocument
    ) -> None:
        super().__init__(window)
        self._window, self._model, self._cells = window, model, cells
        self._player, self._filler, self._document = player, filler, document
        player.cell_started.connect(self._follow_player)
        player.settled.connect(self._update_cell_info)
        filler.advanced.connect(self._update_cell_info)
        window.command_requested.connect(self._execute_command)
        window.filter.changed.connect(self.apply_filter)
        window.bar.note_changed.connect(lambda note: self._mark_focused_cell(note=note))
        window.view.cell_clicked.connect(self._play_cell)
        window.view.cell_double_clicked.connect(lambda _cell: self._apply_focused_cell())
        document.changed.connect(self._update_targets)
        window.view.selectionModel().currentChanged.connect(lambda _now, _before: self._update_cell_info())

    @Slot()
    def apply_filter(self) -> None:
        """Show the cells that pass the filter; move the focus off a hidden cell to its nearest shown one."""
        self._update_targets()
        shown = self._filter_cells()
        self._model.show_matching(frozenset(shown))
        self._window.view.hide_empty_sections(frozenset(shown))
        focus = self._window.view.current_cell
        if focus is not None and focus not in shown and (nearest := find_nearest_cell(focus, shown)) is not None:
            self.focus_cell(nearest)
        self._update_cell_info()

    def _filter_cells(self) -> tuple[BoardCell, ...]:
        chosen = self._window.filter
        return filter_cells(
            self._cells.board, self._cells.find_take, starred_only=chosen.starred.isChecked(), min_rating=chosen.rating.currentData()
        )

    @Slot(str)
    def _execute_command(self, command: str) -> None:
        focus = self._window.view.current_cell
        if command == "stop" and self._player.is_active:
            self._player.stop_playing()
        elif command == "stop":
            self._window.reject()
        elif focus is not None:
            self._execute_cell_command(command, focus)

    def _execute_cell_command(self, command: str, focus: BoardCell) -> None:
        match command.split():
            case [direction] if direction in MOVE_COMMANDS:
                self._play_cell(move_focus(focus, TRANSPOSED_DIRECTIONS[direction], self._filter_cells()))
            case ["play"]:
                if self._player.is_active:
                    self._player.stop_playing()
                else:
                    self._play_cell(focus)
            case ["through"]:
                self._player.play_cells([cell for cell in plan_play_order(self._filter_cells()) if cell >= focus] or [focus])
            case ["shuffled"]:
                self._player.play_cells(plan_play_order(self._filter_cells(), os.urandom(8).hex()))
            case ["scene"]:
                self._player.play_cells(list_scene_cells(self._filter_cells(), focus.column))
            case _:
                self._apply_or_mark_cell(command, focus)

    def _apply_or_mark_cell(self, command: str, focus: BoardCell) -> None:
        match command.split():
            case ["apply"]:
                self._apply_focused_cell()
            case ["character"]:
                self._apply_to_character(focus)
            case ["star"]:
                take = self._cells.find_take(focus)
                self._mark_focused_cell(starred=take is None or not take.starred)
            case ["rate", number]:
                self._mark_focused_cell(rating=int(number))
            case ["note"]:
                self._window.bar.note.setFocus()
                self._window.bar.note.selectAll()

    @Slot(object)
    def _play_cell(self, cell: BoardCell) -> None:
        """Focus and play a cell; a failed cell is tried again."""
        if self._cells.build_state(cell).phase is CellPhase.FAILED:
            self._cells.clear_error(cell)
        self.focus_cell(cell)
        self._player.play_cells([cell])

    @Slot(object)
    def _follow_player(self, cell: BoardCell) -> None:
        if self._window.view.current_cell != cell:
            self.focus_cell(cell)

    def focus_cell(self, cell: BoardCell) -> None:
        """Give a cell the focus, and fill the board from there."""
        self._window.view.focus_cell(cell)
        self._filler.fill_from(cell)

    def _mark_focused_cell(self, **values: object) -> None:
        focus = self._window.view.current_cell
        if focus is not None and any(getattr(self._cells.find_take(focus), name, None) != value for name, value in values.items()):
            self._cells.mark_cell(focus, **values)
            self.apply_filter()
        else:
            # Qt has toggled the clicked button already, though nothing changed: show the real state again.
            self._update_cell_info()

    def _apply_focused_cell(self) -> None:
        """Apply the focused cell to its line, or on a board of casts its cast to the characters."""
        focus = self._window.view.current_cell
        if focus is None:
            return
        if self._cells.board.is_of_casts:
            label = localize("オーディションの配役を適用", "Apply cast from audition")
            script = recast_script(self._document.script, self._cells.board.columns[focus.column])
        else:
            label, line = localize("オーディションから適用", "Apply from audition"), self._cells.find_line(focus)
            # With its seed; text and readings stay.
            values = {item.name: getattr(line.settings, item.name) for item in fields(LineSettings)}
            script = change_settings(self._document.script, [line.id], **values)
        self._document.apply_edit(label, script)
        # No mark changes, but this emits cell_marked, and a cell that was applied is kept as a take.
        self._cells.mark_cell(focus)

    def _apply_to_character(self, focus: BoardCell) -> None:
        """Give what is compared to the character of all lines; its other lines follow."""
        if (character := self._find_character()) is None:
            return
        script, board = self._document.script, self._cells.board
        changed_script = apply_to_character(script, character.id, board.list_values(focus), [line.id for line in board.lines])
        self._document.apply_edit(localize("オーディションから登場人物に適用", "Apply from audition to character"), changed_script)
        self._cells.mark_cell(focus)

    def _find_character(self) -> Character | None:
        """Return the character to whom a way to speak can be applied, or None."""
        board = self._cells.board
        compared = {name for column in board.columns for name, _ in column.values}.union(board.line_fields)
        is_offered = not board.is_of_casts and not compared.isdisjoint(CHARACTER_FIELDS)
        return find_sole_character(self._document.script, [line.id for line in board.lines]) if is_offered else None

    @Slot()
    def _update_targets(self, *_scripts: object) -> None:
        """Show what can be applied to whom."""
        character = self._find_character()
        self._window.show_targets(is_of_casts=self._cells.board.is_of_casts, character=character.name if character is not None else "")

    @Slot()
    def _update_cell_info(self) -> None:
        """Show the state of the focused cell and the counts of all cells."""
        focus = self._window.view.current_cell
        self._window.bar.show_take(self._cells.find_take(focus) if focus is not None else None, has_cell=focus is not None)
        self._window.show_failure_reason(self._cells.build_state(focus).error if focus is not None else "")
        cells = self._cells.board.cells
        states = [self._cells.build_state(cell) for cell in cells]
        starred = sum(state.take is not None and state.take.starred for state in states)
        self._window.filter.show_counts(len(cells), sum(state.phase is CellPhase.READY for state in states), starred)
