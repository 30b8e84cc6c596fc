"""The state of the cells of a board: which are made, how the user marked them, and the sounds heard last.

Cells that the user marked or applied become takes of the project, the others end with the program.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from app.adapters.sound.sound_codec import Int16, convert_to_float, convert_to_int16
from app.audition.board import Board, BoardCell, RenderingKey, map_takes_by_line
from app.common.errors import AppError, NothingToReadError
from app.core.lru_cache import LRUCache
from app.core.script.project import LineTake, change_take, create_take
from app.core.script.script import Line
from app.core.synthesis_types import Float32
from app.ui.takes.take_repository import TakeRepository

# Some twelve minutes of sound in 16 bits; an older sound is spoken again when it is played, and sounds the same.
MAX_CELL_SOUND_BYTES = 64 << 20


class CellPhase(Enum):
    """An enum of how far the sound of a cell is."""

    EMPTY = "empty"
    MAKING = "making"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class CellState:
    """A snapshot of a cell, as the table draws it."""

    phase: CellPhase = CellPhase.EMPTY
    take: LineTake | None = None  # The cell's marks and length in seconds; None where nothing is known
    is_playing: bool = False
    error: str = ""


class BoardCells(QObject):
    """The cells' states, keyed by the line a cell speaks, so that the same line is found again on a board with other voices.

    Signals:
        about_to_be_replaced(), replaced(): Emitted before and after another board is shown.
        cell_changed(BoardCell): The cell has another state.
        sound_made(LineTake, Line, tuple[Float32, int]): A sound was made; samples `(T,)` and rate (Hz).
        cell_marked(LineTake, Line): The user marked the cell or applied it to its line.
        silent_line_found(str): The id of a line that has nothing to read.
    """

    about_to_be_replaced = Signal()
    replaced = Signal()
    cell_changed = Signal(object)
    sound_made = Signal(object, object, object)
    cell_marked = Signal(object, object)
    silent_line_found = Signal(str)

    def __init__(self, parent: QObject, max_bytes: int = MAX_CELL_SOUND_BYTES) -> None:
        super().__init__(parent)
        self.board = Board((), ())  # The shown board; empty before the first one
        # Samples (int16, `(T,)`) and rate (Hz) by take id; the oldest are dropped.
        self.sounds: LRUCache[tuple[Int16, int]] = LRUCache(1 << 16, max_bytes)
        # Every rendering that was ever spoken here gets a number: comparing whole lines for each lookup takes long.
        self._numbers: dict[RenderingKey, int] = {}
        self._takes: dict[int, LineTake] = {}
        self._errors: dict[int, str] = {}
        self._keys: dict[BoardCell, int] = {}
        self._playing_cell: BoardCell | None = None
        self._making_cell: BoardCell | None = None

    def show_board(self, board: Board) -> None:
        """Show another board; sounds and marks of lines it shares with former boards are kept."""
        self.about_to_be_replaced.emit()
        self.board, self._playing_cell, self._making_cell = board, None, None
        self._keys = {cell: self._find_key(board.find_line(cell)) for cell in board.cells}
        # Failed cells may be tried again on a new board: the cause may be gone.
        self._errors.clear()
        self.replaced.emit()

    def merge_kept_takes(self, takes: Iterable[LineTake]) -> None:
        """Show the marks of kept takes in the cells that speak exactly as they do."""
        for rendering_key, kept_take in map_takes_by_line(takes).items():
            key = self._numbers.setdefault(rendering_key, len(self._numbers))
            cell_take = self._takes.get(key, kept_take)
            self._takes[key] = replace(
                cell_take, **{name: getattr(kept_take, name) for name in ("starred", "rating", "note", "sound", "size")}
            )

    def build_state(self, cell: BoardCell) -> CellState:
        """Return the cell's state as it is now."""
        key = self._keys[cell]
        take, error = self._takes.get(key), self._errors.get(key, "")
        phase = CellPhase.MAKING if cell == self._making_cell else CellPhase.FAILED if error else CellPhase.EMPTY
        if take is not None and take.length_s and phase is not CellPhase.MAKING:
            phase = CellPhase.READY
        return CellState(phase, take, cell == self._playing_cell, error)

    def find_take(self, cell: BoardCell) -> LineTake | None:
        """Return the cell's take, or None where nothing was made or marked."""
        return self._takes.get(self._keys[cell])

    def find_line(self, cell: BoardCell) -> Line:
        return self.board.find_line(cell)

    def find_sound(self, cell: BoardCell) -> tuple[Float32, int] | None:
        """Return samples `(T,)` and rate (Hz) of a cell, or None where they were dropped."""
        return None if (take := self.find_take(cell)) is None else self.find_take_sound(take)

    def find_take_sound(self, take: LineTake) -> tuple[Float32, int] | None:
        """Return samples `(T,)` and rate (Hz) of a cell's take, or None where they were dropped."""
        sound = self.sounds.get(take.id)
        return None if sound is None else (convert_to_float(sound[0]), sound[1])

    @property
    def finished_cells(self) -> frozenset[BoardCell]:
        """Return the cells that are made or cannot be made."""
        return frozenset(cell for cell in self.board.cells if self.build_state(cell).phase in (CellPhase.READY, CellPhase.FAILED))

    def mark_making(self, cell: BoardCell | None) -> None:
        """Show which cell is being made in the background; None for none."""
        previous_cell, self._making_cell = self._making_cell, cell
        self._emit_cell_changes(previous_cell, cell)

    def mark_playing(self, cell: BoardCell | None) -> None:
        """Show which cell is playing; None for none."""
        previous_cell, self._playing_cell = self._playing_cell, cell
        self._emit_cell_changes(previous_cell, cell)

    def add_sound(self, line: Line, samples: Float32, rate: int) -> None:
        """Store the sound of a line (samples `(T,)`, rate in Hz) for all cells that speak it."""
        key = self._find_key(line)
        take = replace(self._takes.get(key) or create_take(line), length_s=len(samples) / rate)
        self._takes[key] = take
        self._errors.pop(key, None)
        pcm = convert_to_int16(samples)
        self.sounds.put(take.id, (pcm, rate), pcm.nbytes)
        self._emit_key_changes(key)
        self.sound_made.emit(take, line, (samples, rate))

    def mark_failed(self, cell: BoardCell, error: AppError, *, is_whole_voice: bool = False) -> None:
        """Mark a cell as failed; with `is_whole_voice` also the voice's other cells that are not made."""
        # A line of punctuation fails with every voice; dropping the line says so once, not in every cell.
        if isinstance(error, NothingToReadError):
            self.silent_line_found.emit(self.find_line(cell).id)
            return
        voice, why = self.find_line(cell).settings.voice, f"{error.message} {error.hint}".strip()
        for other in self.board.cells if is_whole_voice else (cell,):
            if other == cell or (self.find_line(other).settings.voice == voice and self.build_state(other).phase is CellPhase.EMPTY):
                self._errors[self._keys[other]] = why
                self.cell_changed.emit(other)

    def clear_error(self, cell: BoardCell) -> None:
        """Clear the error of a cell and of the others that failed for the same reason, so that they are tried again."""
        why = self._errors.get(self._keys[cell])
        for key in [key for key, error in self._errors.items() if error == why]:
            del self._errors[key]
            self._emit_key_changes(key)

    def mark_cell(self, cell: BoardCell, **values: object) -> None:
        """Set star, rating or note of a cell, which need not be made."""
        key = self._keys[cell]
        take = self._takes.get(key) or create_take(self.find_line(cell))
        (self._takes[key],) = change_take((take,), take.id, **values)
        self._emit_key_changes(key)
        self.cell_marked.emit(self._takes[key], self.find_line(cell))

    def merge_kept_sound(self, take_id: str, kept: LineTake) -> LineTake | None:
        """Record that the sound of a cell's take is kept; return the updated take, or None where it is gone."""
        key = next((key for key, take in self._takes.items() if take.id == take_id), None)
        if key is None:
            return None
        self._takes[key] = replace(self._takes[key], sound=kept.sound, size=kept.size)
        return self._takes[key]

    def _emit_key_changes(self, key: int) -> None:
        for cell, cell_key in self._keys.items():
            if cell_key == key:
                self.cell_changed.emit(cell)

    def _emit_cell_changes(self, *cells: BoardCell | None) -> None:
        for cell in dict.fromkeys(cells):
            if cell in self._keys:
                self.cell_changed.emit(cell)

    def _find_key(self, line: Line) -> int:
        return self._numbers.setdefault((line.id, line.text, line.settings, line.overrides), len(self._numbers))


class BoardTakeKeeper(QObject):
    """Connects cells with the take repository; a cell that was starred before it was made is kept once it is made."""

    def __init__(self, cells: BoardCells, take_repository: TakeRepository) -> None:
        super().__init__(cells)
        self._cells, self._take_repository = cells, take_repository
        # Maps the id of a cell's take to the id of the kept take.
        self._kept_ids: dict[str, str] = {}
        self._wanted_ids: set[str] = set()
        cells.cell_marked.connect(self._keep_marked)
        cells.sound_made.connect(self._keep_wanted)

    def show_kept_takes(self) -> None:
        """Show the marks of kept takes in their cells."""
        self._cells.merge_kept_takes(self._take_repository.book.takes)

    @Slot(object, object)
    def _keep_marked(self, take: LineTake, line: Line) -> None:
        kept_take = self._take_repository.book.find_take(self._kept_ids.get(take.id, take.id))
        if kept_take is not None:
            self._copy_marks(take, kept_take)
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

    def _link_kept_take(self, take_id: str, kept_take: LineTake) -> None:
        self._kept_ids[take_id] = kept_take.id
        cell_take = self._cells.merge_kept_sound(take_id, kept_take)
        if cell_take is not None:
            self._copy_marks(cell_take, kept_take)

    def _copy_marks(self, cell_take: LineTake, kept_take: LineTake) -> None:
        """Copy the cell's star, rating and note to the kept take."""
        # The user may have changed the marks while the sound was being written.
        if (cell_take.starred, cell_take.rating, cell_take.note) != (kept_take.starred, kept_take.rating, kept_take.note):
            self._take_repository.book.change_take(kept_take.id, starred=cell_take.starred, rating=cell_take.rating, note=cell_take.note)
