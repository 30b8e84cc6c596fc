"""The board: lines against ways to speak them. Every cell is a line with other settings; what was made of it is a take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from app.core.script import Line, LineSettings
from app.core.synthesis_types import Overrides
from app.core.takes import LineTake

MAX_BOARD_CELLS = 1_000


class BoardCell(NamedTuple):
    """A place on the board, both counted from 0."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class VoiceChoice:
    """A voice, and which of its speakers and styles are wanted; none of them is its first."""

    voice: str
    speakers: tuple[str, ...] = ("",)
    styles: tuple[str, ...] = ("",)


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """One way to speak.

    Attributes:
        values: settings that replace those of the line, by name.
        preset: name of the preset that some of them come from.
    """

    values: tuple[tuple[str, Any], ...]
    preset: str = ""

    @property
    def voice(self) -> str | None:
        """Return the id of the voice; None if each line keeps its own."""
        return dict(self.values).get("voice")

    def apply_to_settings(self, settings: LineSettings) -> LineSettings:
        """Return the settings of a line in this column; the seed stays the line's."""
        return replace(settings, **(dict(self.values) | {"seed_locked": True}))


@dataclass(frozen=True, slots=True)
class Board:
    """Lines and columns. Raises ValueError for more cells than anybody listens to."""

    lines: tuple[Line, ...]
    columns: tuple[BoardColumn, ...]

    def __post_init__(self) -> None:
        if len(self.lines) * len(self.columns) > MAX_BOARD_CELLS:
            raise ValueError(f"more than {MAX_BOARD_CELLS} cells")

    @property
    def cells(self) -> tuple[BoardCell, ...]:
        """Return all cells, line by line."""
        return tuple(BoardCell(row, column) for row, column in product(range(len(self.lines)), range(len(self.columns))))

    def find_line(self, cell: BoardCell) -> Line:
        """Return the line that is spoken in a cell."""
        line = self.lines[cell.row]
        return replace(line, settings=_apply_column(self.columns[cell.column], line.settings))


@lru_cache(maxsize=MAX_BOARD_CELLS)
def _apply_column(column: BoardColumn, settings: LineSettings) -> LineSettings:
    """Apply a column; cached, as lines mostly share their settings and a board needs all of its cells."""
    return column.apply_to_settings(settings)


def combine_columns(
    voices: Iterable[VoiceChoice], strengths: Sequence[float] = (), presets: Mapping[str, Mapping[str, Any]] | None = None
) -> tuple[BoardColumn, ...]:
    """Return every combination, with the last axis changing fastest: voice, speaker, style, strength of the style, preset.

    Args:
        voices: none leaves lines their own.
        strengths: none leaves that of the line or preset.
        presets: settings by name of the preset; a strength counts over theirs.
    """
    who: list[dict[str, Any]] = [
        {"voice": choice.voice, "speaker": speaker, "style": style}
        for choice in voices
        for speaker, style in product(choice.speakers, choice.styles)
    ]
    how: list[dict[str, Any]] = [{"style_weight": strength} for strength in strengths]
    named = list((presets or {}).items())
    return tuple(
        BoardColumn(tuple(sorted((dict(preset) | one | strength).items())), name)
        for one, strength, (name, preset) in product(who or [{}], how or [{}], named or [("", {})])
    )


RenderingKey = tuple[str, str, LineSettings, Overrides]


def map_takes_by_line(takes: Iterable[LineTake]) -> dict[RenderingKey, LineTake]:
    """Return the last take of each line as it was made; see `find_take`."""
    return {(take.line, take.text, replace(take.settings, seed_locked=True), take.overrides): take for take in takes}


def find_take(board: Board, cell: BoardCell, takes_by_key: Mapping[RenderingKey, LineTake]) -> LineTake | None:
    """Return the take of a cell that was rendered with exactly its settings, or None."""
    line = board.find_line(cell)
    return takes_by_key.get((line.id, line.text, line.settings, line.overrides))
