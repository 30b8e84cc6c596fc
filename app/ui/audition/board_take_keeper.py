"""A keeper of board takes: cells that the user marked or applied become takes of the project, the others end with the program."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Slot

from app.core.script.script import Line
from app.core.script.takes import LineTake
from app.core.synthesis_types import Float32
from app.ui.audition.board_cells import BoardCells
from app.ui.takes.take_repository import TakeRepository


class BoardTakeKeeper(QObject):
    """Connects cells with the take repository; a cell that was starred before it was made is kept once it is made."""

    def __init__(self, cells: BoardCells, take_repository: TakeRepository) -> None:
        super().__init__(cells)
        self._cells, self._take_repository = cells, take_repository
        # Maps the id of a cell's take to the id of the kept take.
        self._kept: dict[str, str] = {}
        self._wanted_ids: set[str] = set()
        cells.cell_marked.connect(self._keep_marked)
        cells.sound_made.connect(self._keep_wanted)

    def show_kept_takes(self) -> None:
        """Show the marks of kept takes in their cells."""
        self._cells.merge_kept_takes(self._take_repository.book.takes)

    @Slot(object, object)
    def _keep_marked(self, take: LineTake, line: Line) -> None:
        kept = self._take_repository.book.find_take(self._kept.get(take.id, take.id))
        if kept is not None:
            self._copy_marks(take, kept)
            return
        self._wanted_ids.add(take.id)
        sound = self._cells.find_take_sound(take)
        if sound is not None:
            self._keep_wanted(take, line, sound)

    @Slot(object, object, object)
    def _keep_wanted(self, take: LineTake, line: Line, sound: tuple[Float32, int]) -> None:
        if take.id in self._wanted_ids:
            self._wanted_ids.discard(take.id)
            self._take_repository.keep_rendered(line, *sound, partial(self._link_kept_take, take.id))

    def _link_kept_take(self, take_id: str, kept: LineTake) -> None:
        self._kept[take_id] = kept.id
        now = self._cells.merge_kept_sound(take_id, kept)
        if now is not None:
            self._copy_marks(now, kept)

    def _copy_marks(self, cell_take: LineTake, kept: LineTake) -> None:
        """Copy the cell's star, rating and note to the kept take."""
        # The user may have changed the marks while the sound was being written.
        if (cell_take.starred, cell_take.rating, cell_take.note) != (kept.starred, kept.rating, kept.note):
            self._take_repository.book.change_take(kept.id, starred=cell_take.starred, rating=cell_take.rating, note=cell_take.note)
