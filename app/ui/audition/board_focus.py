"""The cell of the board that has the focus: what keys and buttons do with it, and what is said of it."""

from __future__ import annotations

import os
from dataclasses import fields

from PySide6.QtCore import QObject, Slot

from app.audition.board import Cell
from app.audition.board_order import Direction, moved, nearest, play_order, shown_cells
from app.core.script import LineSettings, change
from app.language import localized
from app.ui.audition.board_cells import BoardCells, Phase
from app.ui.audition.board_filler import BoardFiller
from app.ui.audition.board_keys import MOVES
from app.ui.audition.board_model import BoardModel
from app.ui.audition.board_player import BoardPlayer
from app.ui.audition.board_window import BoardWindow
from app.ui.script.document import ScriptDocument

TURNED: dict[str, Direction] = {"left": "up", "right": "down", "up": "left", "down": "right", "first": "first", "last": "last"}
"""The table has the board's rows beside each other."""


class BoardFocus(QObject):
    """Made with each window of the board, and gone with it."""

    def __init__(
        self,
        window: BoardWindow,
        model: BoardModel,
        cells: BoardCells,
        player: BoardPlayer,
        filler: BoardFiller,
        document: ScriptDocument,
    ) -> None:
        super().__init__(window)
        self._window, self._model, self._cells = window, model, cells
        self._player, self._filler, self._document = player, filler, document
        player.moved.connect(self._follow)
        player.settled.connect(self._show_cell)
        filler.advanced.connect(self._show_cell)
        window.wanted.connect(self._on_wanted)
        window.filter.changed.connect(self.filter)
        window.bar.noted.connect(lambda note: self._mark(note=note))
        window.view.pointed.connect(self._go)
        window.view.opened.connect(lambda _cell: self._apply())
        window.view.selectionModel().currentChanged.connect(lambda _now, _before: self._show_cell())

    @Slot()
    def filter(self) -> None:
        """Shows the cells that the filter lets through; one that it hides loses the focus to its nearest."""
        shown = self._shown()
        self._model.show_only(frozenset(shown))
        self._window.view.hide_empty(frozenset(shown))
        focus = self._window.view.current
        if focus is not None and focus not in shown and (other := nearest(focus, shown)) is not None:
            self.focus(other)
        self._show_cell()

    def _shown(self) -> tuple[Cell, ...]:
        chosen = self._window.filter
        return shown_cells(self._cells.board, self._cells.take, starred=chosen.starred.isChecked(), rating=chosen.rating.currentData())

    @Slot(str)
    def _on_wanted(self, wish: str) -> None:
        focus = self._window.view.current
        if wish == "stop":
            self._stop_or_close()
        elif focus is not None:
            self._do(wish, focus)

    def _do(self, wish: str, focus: Cell) -> None:
        match wish.split():
            case [direction] if direction in MOVES:
                self._go(moved(focus, TURNED[direction], self._shown()))
            case ["play"]:
                if self._player.is_on:
                    self._player.stop()
                else:
                    self._go(focus)
            case ["through"]:
                self._player.play([cell for cell in play_order(self._shown()) if cell >= focus] or [focus])
            case ["shuffled"]:
                self._player.play(play_order(self._shown(), os.urandom(8).hex()))
            case ["apply"]:
                self._apply()
            case ["star"]:
                take = self._cells.take(focus)
                self._mark(starred=take is None or not take.starred)
            case ["rate", number]:
                self._mark(rating=int(number))
            case ["note"]:
                self._window.bar.note.setFocus()
                self._window.bar.note.selectAll()

    @Slot(object)
    def _go(self, cell: Cell) -> None:
        """Moves to a cell and speaks it; one that failed is tried again."""
        if self._cells.state(cell).phase is Phase.FAILED:
            self._cells.retry(cell)
        self.focus(cell)
        self._player.play([cell])

    @Slot(object)
    def _follow(self, cell: Cell) -> None:
        if self._window.view.current != cell:
            self.focus(cell)

    def focus(self, cell: Cell) -> None:
        """Takes the keys to a cell; the board fills from there."""
        self._window.view.focus_cell(cell)
        self._filler.fill(cell)

    def _stop_or_close(self) -> None:
        if self._player.is_on:
            self._player.stop()
        else:
            self._window.reject()

    def _mark(self, **values: object) -> None:
        focus = self._window.view.current
        if focus is not None and any(getattr(self._cells.take(focus), name, None) != value for name, value in values.items()):
            self._cells.mark(focus, **values)
            self.filter()
        else:
            self._show_cell()  # a button that was clicked shows what is so

    def _apply(self) -> None:
        """The line speaks as the cell does from now on, with the same seed; its text and its readings stay."""
        focus = self._window.view.current
        if focus is None:
            return
        line = self._cells.line(focus)
        values = {item.name: getattr(line.settings, item.name) for item in fields(LineSettings)}
        self._document.edit(localized("オーディションから適用", "Apply from audition"), change(self._document.script, [line.id], **values))
        self._cells.mark(focus)  # unchanged, but worth keeping from now on

    @Slot()
    def _show_cell(self) -> None:
        """What is said of the focused cell, and how far all are."""
        focus = self._window.view.current
        self._window.bar.show_take(self._cells.take(focus) if focus is not None else None, there_is_a_cell=focus is not None)
        self._window.show_reason(self._cells.state(focus).error if focus is not None else "")
        cells = self._cells.board.cells
        states = [self._cells.state(cell) for cell in cells]
        starred = sum(state.take is not None and state.take.starred for state in states)
        self._window.filter.show_counts(len(cells), sum(state.phase is Phase.READY for state in states), starred)
