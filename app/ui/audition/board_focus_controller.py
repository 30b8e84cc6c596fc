"""The controller of the focused cell of a board: carries out its commands and shows its state."""

import os
from dataclasses import fields

from PySide6.QtCore import QObject, Slot

from app.audition.blind_test_result import apply_to_character, find_sole_character
from app.audition.board import BoardCell, FocusDirection, filter_cells, find_nearest_cell, list_scene_cells, move_focus, plan_play_order
from app.audition.candidate_casts import recast_script
from app.common.language import localize
from app.core.script.characters import CHARACTER_FIELDS
from app.core.script.script import Character, LineSettings, change_settings
from app.ui.audition.board_cells import BoardCells, CellPhase
from app.ui.audition.board_model import BoardModel
from app.ui.audition.board_player import BoardFiller, BoardPlayer
from app.ui.audition.board_view import MOVE_COMMANDS
from app.ui.audition.board_window import BoardWindow
from app.ui.script.script_document import ScriptDocument

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
