"""What is known of the cells of a board: which were made, what was said of them, and the sounds that were heard last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from PySide6.QtCore import QObject, Signal

from app.adapters.sound.kept import Int16, as_float, sixteen_bits
from app.audition.board import Board, Cell, Made, takes_by_line
from app.core.cache import LRUCache
from app.core.script import Line
from app.core.takes import Take, change, take_of
from app.core.types import Float32
from app.errors import AppError, NothingToReadError

MOST_BYTES = 64 << 20  # of sounds in 16 bits: some twelve minutes; what is older is spoken again, and sounds the same


class Phase(Enum):
    """How far the sound of a cell is."""

    EMPTY = "empty"
    MAKING = "making"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class CellState:
    """Shown in a cell.

    Attributes:
        take: what was said of it, and how long it is; None where nothing is known.
        error: why it failed.
    """

    phase: Phase = Phase.EMPTY
    take: Take | None = None
    playing: bool = False
    error: str = ""


class BoardCells(QObject):
    """Cells of a board by what they speak: they are found again on another board with other voices beside them.

    Attributes:
        board: empty before the first one.
        sounds: by id of the take; the oldest go.

    Signals:
        replacing(), replaced(): another board comes, and is there.
        changed(Cell): another state of this one.
        made(Take, Line, tuple[Float32, int]): samples and rate of one that was made.
        marked(Take, Line): the user said something of it, or made it the line's.
        silent_found(str): the id of a line in which nothing can be read.
    """

    replacing = Signal()
    replaced = Signal()
    changed = Signal(object)
    made = Signal(object, object, object)
    marked = Signal(object, object)
    silent_found = Signal(str)

    def __init__(self, parent: QObject, most_bytes: int = MOST_BYTES) -> None:
        super().__init__(parent)
        self.board = Board((), ())
        self.sounds: LRUCache[tuple[Int16, int]] = LRUCache(1 << 16, most_bytes)
        self._numbers: dict[Made, int] = {}  # of all that was ever spoken here: what it is made of takes long to compare
        self._takes: dict[int, Take] = {}
        self._errors: dict[int, str] = {}
        self._keys: dict[Cell, int] = {}
        self._playing: Cell | None = None
        self._making: Cell | None = None

    def show(self, board: Board) -> None:
        """Another board; what was made of its cells before is still known, what failed may be tried again."""
        self.replacing.emit()
        self.board, self._playing, self._making = board, None, None
        self._keys = {cell: self._key(board.line(cell)) for cell in board.cells}
        self._errors.clear()
        self.replaced.emit()

    def know(self, takes: Iterable[Take]) -> None:
        """Takes that are kept; cells that speak just so show what was said of them."""
        for made, kept in takes_by_line(takes).items():
            key = self._numbers.setdefault(made, len(self._numbers))
            own = self._takes.get(key, kept)
            self._takes[key] = replace(own, starred=kept.starred, rating=kept.rating, note=kept.note, sound=kept.sound, size=kept.size)

    def state(self, cell: Cell) -> CellState:
        """As it is now."""
        key = self._keys[cell]
        take, error = self._takes.get(key), self._errors.get(key, "")
        phase = Phase.MAKING if cell == self._making else Phase.FAILED if error else Phase.EMPTY
        if take is not None and take.length_s and phase is not Phase.MAKING:
            phase = Phase.READY
        return CellState(phase, take, cell == self._playing, error)

    def take(self, cell: Cell) -> Take | None:
        """What was made there, or said of it."""
        return self._takes.get(self._keys[cell])

    def line(self, cell: Cell) -> Line:
        """What is spoken there."""
        return self.board.line(cell)

    def sound(self, cell: Cell) -> tuple[Float32, int] | None:
        """Samples and rate, where they are still held."""
        take = self.take(cell)
        return None if take is None else self.sound_of(take)

    def sound_of(self, take: Take) -> tuple[Float32, int] | None:
        """The same for the take of a cell."""
        held = self.sounds.get(take.id)
        return None if held is None else (as_float(held[0]), held[1])

    @property
    def done(self) -> frozenset[Cell]:
        """The cells that need not be made: they were, or cannot be."""
        return frozenset(cell for cell in self.board.cells if self.state(cell).phase in (Phase.READY, Phase.FAILED))

    def begin(self, cell: Cell | None) -> None:
        """The cell that is being made in the background; None is none."""
        before, self._making = self._making, cell
        self._tell(before, cell)

    def play(self, cell: Cell | None) -> None:
        """The cell that is heard now; None is none."""
        before, self._playing = self._playing, cell
        self._tell(before, cell)

    def put(self, line: Line, samples: Float32, rate: int) -> None:
        """A sound was made of what one or several cells speak."""
        key = self._key(line)
        take = replace(self._takes.get(key) or take_of(line), length_s=len(samples) / rate)
        self._takes[key] = take
        self._errors.pop(key, None)
        kept = sixteen_bits(samples)
        self.sounds.put(take.id, (kept, rate), kept.nbytes)
        self._tell_of(key)
        self.made.emit(take, line, (samples, rate))

    def fail(self, cell: Cell, error: AppError, *, whole_voice: bool = False) -> None:
        """It cannot be made; with `whole_voice` neither can the others of its voice."""
        if isinstance(error, NothingToReadError):
            self.silent_found.emit(self.line(cell).id)
            return
        voice, why = self.line(cell).settings.voice, f"{error.message} {error.hint}".strip()
        for other in self.board.cells if whole_voice else (cell,):
            if other == cell or (self.line(other).settings.voice == voice and self.state(other).phase is Phase.EMPTY):
                self._errors[self._keys[other]] = why
                self.changed.emit(other)

    def retry(self, cell: Cell) -> None:
        """It may be tried again, with the others that failed for the same reason."""
        why = self._errors.get(self._keys[cell])
        for key in [key for key, error in self._errors.items() if error == why]:
            del self._errors[key]
            self._tell_of(key)

    def mark(self, cell: Cell, **values: object) -> None:
        """The user gives it a star, a rating or a note; it need not have been made."""
        key = self._keys[cell]
        take = self._takes.get(key) or take_of(self.line(cell))
        (self._takes[key],) = change((take,), take.id, **values)
        self._tell_of(key)
        self.marked.emit(self._takes[key], self.line(cell))

    def take_in(self, take_id: str, kept: Take) -> Take | None:
        """The sound of a cell's take is kept; returns the take as it is now, None where it is gone."""
        key = next((key for key, take in self._takes.items() if take.id == take_id), None)
        if key is None:
            return None
        self._takes[key] = replace(self._takes[key], sound=kept.sound, size=kept.size)
        return self._takes[key]

    def _tell_of(self, key: int) -> None:
        for cell, other in self._keys.items():
            if other == key:
                self.changed.emit(cell)

    def _tell(self, *cells: Cell | None) -> None:
        for cell in dict.fromkeys(cells):
            if cell in self._keys:
                self.changed.emit(cell)

    def _key(self, line: Line) -> int:
        return self._numbers.setdefault((line.id, line.text, line.settings, line.overrides), len(self._numbers))
