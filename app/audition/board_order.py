"""In which order a board is filled, walked over and played."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal

from app.audition.blind_test import shuffle_numbers
from app.audition.board import Board, BoardCell
from app.core.script.takes import LineTake

FocusDirection = Literal["left", "right", "up", "down", "first", "last"]


def plan_fill_order(
    board: Board, focus: BoardCell, done: Collection[BoardCell] = (), find_bert: Callable[[str], str] = lambda _voice: ""
) -> tuple[BoardCell, ...]:
    """Return the cells to be rendered: the focused one, its neighbours, then the others from near to far.

    The others go voice by voice, and those of one BERT together: only so many are open at once, and what a BERT says of a text is remembered.
    """

    def measure_distance(cell: BoardCell) -> int:
        return abs(cell.row - focus.row) + abs(cell.column - focus.column)

    # Empty is the voice we ship.
    voices = {cell: board.find_settings(cell).voice for cell in board.cells}
    berts = {name: find_bert(name) for name in set(voices.values())}
    near_voice: dict[str, int] = {}
    near_bert: dict[str, int] = {}
    for cell, voice in voices.items():
        for near, name in ((near_voice, voice), (near_bert, berts[voice])):
            near[name] = min(measure_distance(cell), near.get(name, measure_distance(cell)))

    def build_sort_key(cell: BoardCell) -> tuple[object, ...]:
        far, name = measure_distance(cell), voices[cell]
        # Along the row first: its text is known to BERT.
        own = (cell.row != focus.row, cell.row, cell.column)
        if far <= 1:
            return (0, far, *own)
        bert = berts[name]
        return (1, near_bert[bert], bert, near_voice[name], name, far, *own)

    return tuple(sorted((cell for cell in board.cells if cell not in done), key=build_sort_key))


def filter_cells(
    board: Board, find_cell_take: Callable[[BoardCell], LineTake | None], *, starred_only: bool = False, min_rating: int = 0
) -> tuple[BoardCell, ...]:
    """Return the cells that pass a filter: all of them, those with a star, those rated at least so high."""
    if not starred_only and not min_rating:
        return board.cells
    takes = {cell: take for cell in board.cells if (take := find_cell_take(cell)) is not None}
    return tuple(cell for cell, take in takes.items() if (take.starred or not starred_only) and take.rating >= min_rating)


def move_focus(focus: BoardCell, direction: FocusDirection, shown: Sequence[BoardCell]) -> BoardCell:
    """Return the cell that an arrow key leads to: the next one shown in the row or column, or the same one if there is none."""
    if direction in ("first", "last"):
        row = [cell for cell in shown if cell.row == focus.row]
        return (min(row) if direction == "first" else max(row)) if row else focus
    along = 1 if direction in ("left", "right") else 0
    onward = 1 if direction in ("right", "down") else -1
    ahead = [cell for cell in shown if cell[1 - along] == focus[1 - along] and (cell[along] - focus[along]) * onward > 0]
    return min(ahead, key=lambda cell: abs(cell[along] - focus[along]), default=focus)


def find_nearest_cell(focus: BoardCell, shown: Iterable[BoardCell]) -> BoardCell | None:
    """Return the cell that gets the focus when a filter hides the focused one."""
    return min(shown, key=lambda cell: (abs(cell.row - focus.row) + abs(cell.column - focus.column), cell), default=None)


def list_scene_cells(shown: Iterable[BoardCell], column: int) -> tuple[BoardCell, ...]:
    """Return the cells of a column in the order of the lines, so that a scene is heard with one cast."""
    return tuple(sorted(cell for cell in shown if cell.column == column))


def plan_play_order(shown: Sequence[BoardCell], seed: str | None = None) -> tuple[BoardCell, ...]:
    """Return the cells in the order of playing: as they are, or shuffled by a seed."""
    return tuple(shown) if seed is None else tuple(shown[index] for index in shuffle_numbers(seed, "board", len(shown)))
