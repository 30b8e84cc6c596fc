"""In which order a board is filled, walked over and played."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal

from app.audition.board import Board, Cell
from app.audition.positions import shuffled
from app.core.takes import Take

Direction = Literal["left", "right", "up", "down", "first", "last"]


def fill_order(
    board: Board, focus: Cell, done: Collection[Cell] = (), bert_of: Callable[[str], str] = lambda _voice: ""
) -> tuple[Cell, ...]:
    """The cells that are still to be made: the focused one, its neighbours, then the others from near to far.

    The others go voice by voice, and those of one BERT together: only so many are open at once, and what a BERT says of a text is remembered.

    Args:
        bert_of: names the BERT of a voice.
    """

    def distance(cell: Cell) -> int:
        return abs(cell.row - focus.row) + abs(cell.column - focus.column)

    voices = [column.voice for column in board.columns]

    def voice(cell: Cell) -> str:
        named = voices[cell.column]  # empty is the voice we ship
        return board.lines[cell.row].settings.voice if named is None else named

    berts = {name: bert_of(name) for name in {voice(cell) for cell in board.cells}}
    near_voice: dict[str, int] = {}
    near_bert: dict[str, int] = {}
    for cell in board.cells:
        for near, name in ((near_voice, voice(cell)), (near_bert, berts[voice(cell)])):
            near[name] = min(distance(cell), near.get(name, distance(cell)))

    def key(cell: Cell) -> tuple[object, ...]:
        far, name = distance(cell), voice(cell)
        own = (cell.row != focus.row, cell.row, cell.column)  # along the row first: its text is known to BERT
        if far <= 1:
            return (0, far, *own)
        bert = berts[name]
        return (1, near_bert[bert], bert, near_voice[name], name, far, *own)

    return tuple(sorted((cell for cell in board.cells if cell not in done), key=key))


def shown_cells(board: Board, take_of: Callable[[Cell], Take | None], *, starred: bool = False, rating: int = 0) -> tuple[Cell, ...]:
    """The cells that pass a filter: all of them, those with a star, those rated at least so high."""
    if not starred and not rating:
        return board.cells
    takes = {cell: take for cell in board.cells if (take := take_of(cell)) is not None}
    return tuple(cell for cell, take in takes.items() if (take.starred or not starred) and take.rating >= rating)


def moved(focus: Cell, direction: Direction, shown: Sequence[Cell]) -> Cell:
    """The cell that an arrow key leads to: the next that is shown in the row or column; the same one where there is none."""
    if direction in ("first", "last"):
        row = [cell for cell in shown if cell.row == focus.row]
        return (min(row) if direction == "first" else max(row)) if row else focus
    along = 1 if direction in ("left", "right") else 0
    onward = 1 if direction in ("right", "down") else -1
    ahead = [cell for cell in shown if cell[1 - along] == focus[1 - along] and (cell[along] - focus[along]) * onward > 0]
    return min(ahead, key=lambda cell: abs(cell[along] - focus[along]), default=focus)


def nearest(focus: Cell, shown: Iterable[Cell]) -> Cell | None:
    """Where the focus goes when a filter hides its cell."""
    return min(shown, key=lambda cell: (abs(cell.row - focus.row) + abs(cell.column - focus.column), cell), default=None)


def play_order(shown: Sequence[Cell], seed: str | None = None) -> tuple[Cell, ...]:
    """The cells as they are played through: in order, or shuffled by a seed."""
    return tuple(shown) if seed is None else tuple(shown[place] for place in shuffled(seed, "board", len(shown)))
