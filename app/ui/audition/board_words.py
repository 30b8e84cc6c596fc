"""What a board calls its rows, columns and cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.audition.board import Board, Cell
from app.audition.short_names import Part, short_parts
from app.core.script import LineSettings
from app.language import localized
from app.ui.audition.board_cells import CellState, Phase
from app.ui.labels import style_name
from app.ui.script.card import seconds
from app.ui.voices.catalog_voice import CatalogVoice

Find = Callable[[str], CatalogVoice | None]
TwoLines = tuple[str, str]


def way_words(board: Board, column: int, find: Find) -> TwoLines:
    """All of a way to speak in two lines: who, and in which style."""
    return _two_lines([part.words for part in _way(board, column, find)])


def short_ways(board: Board, find: Find) -> list[TwoLines]:
    """The same for all columns, without what all of them share."""
    return [_two_lines(said) for said in short_parts([_way(board, column, find) for column in range(len(board.columns))])]


def _two_lines(words: Sequence[str]) -> TwoLines:
    return " / ".join(filter(None, words[:2])), " · ".join(filter(None, words[2:]))


def _way(board: Board, column: int, find: Find) -> tuple[Part, ...]:
    settings = board.columns[column].applied(board.lines[0].settings if board.lines else LineSettings())
    voice = find(settings.voice)
    name = voice.name if voice is not None else localized("不明な声", "Unknown voice")
    speakers = [who for _, who in voice.speakers] if voice is not None else []
    styles = [style for _, style in voice.styles] if voice is not None else []
    speaker = _known(settings.speaker, speakers) if len(speakers) > 1 else ""
    return tuple(map(Part, (name, speaker, style_name(_known(settings.style, styles)), board.columns[column].preset)))


def line_words(board: Board, row: int) -> tuple[str, str]:
    """A line in two: its text, and the strength of the style where several are compared."""
    line = board.lines[row]
    several = len({item.settings.style_weight for item in board.lines if item.id == line.id}) > 1
    strength = f"{line.settings.style_weight:g}"
    return line.text, localized(f"強さ {strength}", f"weight {strength}") if several else ""


def state_words(state: CellState) -> str:
    """A cell for those who hear it, and in its tip."""
    parts = [_phase_words(state)]
    if state.take is not None:
        parts.append(localized("スター付き。", "Starred. ") if state.take.starred else "")
        parts.append(localized(f"評価 {state.take.rating}。", f"Rated {state.take.rating}. ") if state.take.rating else "")
        parts.append(localized(f"メモ: {state.take.note}", f"Note: {state.take.note}") if state.take.note else "")
    return "".join(parts).strip()


def cell_words(board: Board, cell: Cell, way: TwoLines) -> str:
    """What stands in a cell, by its row and what its column is called."""
    parts = (*way, line_words(board, cell.row)[1])
    return " · ".join(part for part in parts if part)


def _phase_words(state: CellState) -> str:
    if state.playing:
        return localized("再生中。", "Playing. ")
    if state.phase is Phase.FAILED:
        return state.error
    if state.phase is Phase.MAKING:
        return localized("合成中。", "Being synthesised. ")
    if state.phase is Phase.EMPTY or state.take is None:
        return localized("まだ合成していません。", "Not synthesised yet. ")
    return seconds(state.take.length_s) + localized("。", ". ")


def _known(name: str, names: list[str]) -> str:
    return name if name in names or not names else names[0]
