"""The board: lines against ways to speak them, or against casts, and the choices that it is made from.

Every cell is a line with other settings; what was made of it is a take.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from typing import Any, Literal, NamedTuple

from app.audition.blind_test import shuffle_numbers
from app.core.script.characters import inherit_settings
from app.core.script.project import LineTake
from app.core.script.script import Line, LineSettings
from app.core.synthesis_types import Overrides

MAX_BOARD_CELLS = 1_000
SettingValues = tuple[tuple[str, Any], ...]  # settings by name, sorted

FocusDirection = Literal["left", "right", "up", "down", "first", "last"]


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


class Role(NamedTuple):
    """The settings that a cast gives a character."""

    character: str  # id of the character
    name: str  # name of the character, for people
    former: LineSettings  # the character's settings in the script
    values: SettingValues  # settings that replace some of them

    @property
    def settings(self) -> LineSettings:
        """Return the settings that the cast gives the character."""
        return replace(self.former, **dict(self.values))


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """One way to speak, or a cast."""

    values: SettingValues  # settings that replace those of the line, by name
    preset: str = ""  # name of the preset that some of them come from
    cast: str = ""  # letter of the cast; empty for a way to speak
    roles: tuple[Role, ...] = ()  # the characters of the cast; lines follow theirs, but for their deviations

    @property
    def voice(self) -> str | None:
        """Return the id of the voice; None if each line keeps its own, or its character's."""
        return dict(self.values).get("voice")

    def find_role(self, character: str) -> Role | None:
        return next((role for role in self.roles if role.character == character), None)

    def apply_to_settings(self, settings: LineSettings, character: str = "") -> LineSettings:
        """Return the settings of a line in this column, given the id of its character; the seed stays the line's."""
        role = self.find_role(character)
        return _apply_values(self.values, settings if role is None else _apply_role(role, settings))


@dataclass(frozen=True, slots=True)
class Board:
    """Lines and columns. Raises ValueError for more cells than anybody listens to."""

    lines: tuple[Line, ...]  # each may occur several times, with other settings
    columns: tuple[BoardColumn, ...]
    line_fields: tuple[str, ...] = ()  # names of the settings in which they differ from the lines of the script

    def __post_init__(self) -> None:
        if len(self.lines) * len(self.columns) > MAX_BOARD_CELLS:
            raise ValueError(f"more than {MAX_BOARD_CELLS} cells")

    @property
    def cells(self) -> tuple[BoardCell, ...]:
        """Return all cells, line by line."""
        return tuple(BoardCell(row, column) for row, column in product(range(len(self.lines)), range(len(self.columns))))

    def find_line(self, cell: BoardCell) -> Line:
        return replace(self.lines[cell.row], settings=self.find_settings(cell))

    def find_settings(self, cell: BoardCell) -> LineSettings:
        line = self.lines[cell.row]
        return self.columns[cell.column].apply_to_settings(line.settings, line.character)

    def list_values(self, cell: BoardCell) -> dict[str, Any]:
        settings = self.lines[cell.row].settings
        return {name: getattr(settings, name) for name in self.line_fields} | dict(self.columns[cell.column].values)

    @property
    def is_of_casts(self) -> bool:
        return any(column.cast for column in self.columns)


# Cached, as lines mostly share their settings and a board needs all of its cells.
@lru_cache(maxsize=MAX_BOARD_CELLS)
def _apply_values(values: SettingValues, settings: LineSettings) -> LineSettings:
    return replace(settings, **(dict(values) | {"seed_locked": True}))


@lru_cache(maxsize=MAX_BOARD_CELLS)
def _apply_role(role: Role, settings: LineSettings) -> LineSettings:
    return inherit_settings(settings, role.former, role.settings)


def combine_columns(
    voices: Iterable[VoiceChoice], strengths: Sequence[float] = (), presets: Mapping[str, Mapping[str, Any]] | None = None
) -> tuple[BoardColumn, ...]:
    """Return every combination, with the last axis changing fastest: voice, speaker, style, strength of the style, preset.

    Args:
        voices: none leaves lines their own.
        strengths: none leaves that of the line or preset.
        presets: settings by name of the preset; a strength counts over theirs.
    """
    voice_values: list[dict[str, Any]] = [
        {"voice": choice.voice, "speaker": speaker, "style": style}
        for choice in voices
        for speaker, style in product(choice.speakers, choice.styles)
    ]
    how: list[dict[str, Any]] = [{"style_weight": strength} for strength in strengths]
    preset_items = list((presets or {}).items())
    return tuple(
        BoardColumn(tuple(sorted((dict(preset) | voice | strength).items())), name)
        for voice, strength, (name, preset) in product(voice_values or [{}], how or [{}], preset_items or [("", {})])
    )


RenderingKey = tuple[str, str, LineSettings, Overrides]


def map_takes_by_line(takes: Iterable[LineTake]) -> dict[RenderingKey, LineTake]:
    """Return the last take of each line as it was made; see `find_take`."""
    return {(take.line, take.text, replace(take.settings, seed_locked=True), take.overrides): take for take in takes}


def find_take(board: Board, cell: BoardCell, takes_by_key: Mapping[RenderingKey, LineTake]) -> LineTake | None:
    """Return the take of a cell that was rendered with exactly its settings, or None."""
    line = board.find_line(cell)
    return takes_by_key.get((line.id, line.text, line.settings, line.overrides))


@dataclass(frozen=True, slots=True)
class BoardSetup:
    """The choice of what a board compares."""

    voices: tuple[VoiceChoice, ...] = ()  # with their speakers and styles; none leaves lines their own
    strengths: tuple[float, ...] = ()  # of the style; none leaves that of the line or preset
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # settings by name of the preset; none leaves those of the line

    @property
    def is_empty(self) -> bool:
        """Return whether nothing was chosen, so that each line would be spoken as it is."""
        return not (self.voices or self.strengths or self.presets)

    def count_cells(self, line_count: int) -> int:
        """Return the number of cells for so many lines."""
        column_count = sum(len(choice.speakers) * len(choice.styles) for choice in self.voices) or 1
        return line_count * column_count * (len(self.strengths) or 1) * (len(self.presets) or 1)


def build_board(lines: Iterable[Line], setup: BoardSetup) -> Board:
    """Build a board with each line once for every strength, against everything else; raise ValueError for more cells than anybody listens
    to.

    So the board is wide and high: a single line in five styles and five strengths is a square, and not one long row.
    """
    strong = tuple(lines)
    if setup.strengths:
        strong = tuple(replace(line, settings=replace(line.settings, style_weight=value)) for line in strong for value in setup.strengths)
    presets = {
        name: {key: value for key, value in values.items() if key != "style_weight" or not setup.strengths}
        for name, values in setup.presets.items()
    }
    return Board(strong, combine_columns(setup.voices, (), presets), ("style_weight",) if setup.strengths else ())


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
