"""Cells that the user said something of, or gave to a line, become takes of the project; the others are forgotten with the program."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Slot

from app.core.script import Line
from app.core.takes import Take
from app.core.types import Float32
from app.ui.audition.board_cells import BoardCells
from app.ui.takes.shelf import TakeShelf


class BoardKeeping(QObject):
    """Between the cells and the shelf: a cell that was starred before it was made is kept once it is."""

    def __init__(self, cells: BoardCells, shelf: TakeShelf) -> None:
        super().__init__(cells)
        self._cells, self._shelf = cells, shelf
        self._kept: dict[str, str] = {}  # id of the cell's take → of the one that is kept
        self._wanted: set[str] = set()
        cells.marked.connect(self._on_marked)
        cells.made.connect(self._on_made)

    def know(self) -> None:
        """What was said of takes before is shown in their cells."""
        self._cells.know(self._shelf.book.takes)

    @Slot(object, object)
    def _on_marked(self, take: Take, line: Line) -> None:
        kept = self._shelf.book.find(self._kept.get(take.id, take.id))
        if kept is not None:
            self._mark(take, kept)
            return
        self._wanted.add(take.id)
        sound = self._cells.sound_of(take)
        if sound is not None:
            self._on_made(take, line, sound)

    @Slot(object, object, object)
    def _on_made(self, take: Take, line: Line, sound: tuple[Float32, int]) -> None:
        if take.id in self._wanted:
            self._wanted.discard(take.id)
            self._shelf.keep_rendered(line, *sound, partial(self._on_kept, take.id))

    def _on_kept(self, take_id: str, kept: Take) -> None:
        self._kept[take_id] = kept.id
        now = self._cells.take_in(take_id, kept)
        if now is not None:
            self._mark(now, kept)

    def _mark(self, said: Take, kept: Take) -> None:
        """The kept take gets what was said of the cell, which may have been more meanwhile."""
        if (said.starred, said.rating, said.note) != (kept.starred, kept.rating, kept.note):
            self._shelf.book.change(kept.id, starred=said.starred, rating=said.rating, note=said.note)
