"""Labels of a board's rows, columns and cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.audition.board import Board, BoardCell
from app.audition.short_names import NamePart, choose_short_parts
from app.common.language import localize
from app.core.script import LineSettings
from app.ui.audition.board_cells import CellPhase, CellState
from app.ui.display_names import format_style
from app.ui.script.card_layout import format_card_seconds
from app.ui.voices.catalog_voice import CatalogVoice

FindVoice = Callable[[str], CatalogVoice | None]
TwoLines = tuple[str, str]


def describe_column(board: Board, column: int, find_voice: FindVoice) -> TwoLines:
    """Return the full label of a column: voice and speaker, then style and preset."""
    return _join_two_lines([part.label for part in _build_name_parts(board, column, find_voice)])


def shorten_columns(board: Board, find_voice: FindVoice) -> list[TwoLines]:
    """Return short labels of all columns, without the parts that all of them share."""
    return [
        _join_two_lines(said)
        for said in choose_short_parts([_build_name_parts(board, column, find_voice) for column in range(len(board.columns))])
    ]


def _join_two_lines(words: Sequence[str]) -> TwoLines:
    return " / ".join(filter(None, words[:2])), " · ".join(filter(None, words[2:]))


def _build_name_parts(board: Board, column: int, find_voice: FindVoice) -> tuple[NamePart, ...]:
    settings = board.columns[column].apply_to_settings(board.lines[0].settings if board.lines else LineSettings())
    voice = find_voice(settings.voice)
    name = voice.name if voice is not None else localize("不明な声", "Unknown voice")
    speakers = [who for _, who in voice.speakers] if voice is not None else []
    styles = [style for _, style in voice.styles] if voice is not None else []
    speaker = _resolve_name(settings.speaker, speakers) if len(speakers) > 1 else ""
    return tuple(map(NamePart, (name, speaker, format_style(_resolve_name(settings.style, styles)), board.columns[column].preset)))


def describe_row(board: Board, row: int) -> tuple[str, str]:
    """Return a line's text, and its style weight where several are compared."""
    line = board.lines[row]
    several = len({item.settings.style_weight for item in board.lines if item.id == line.id}) > 1
    strength = f"{line.settings.style_weight:g}"
    return line.text, localize(f"強さ {strength}", f"weight {strength}") if several else ""


def describe_cell_state(state: CellState) -> str:
    """Describe a cell's state for its tooltip and for screen readers."""
    parts = [_describe_phase(state)]
    if state.take is not None:
        parts.append(localize("スター付き。", "Starred. ") if state.take.starred else "")
        parts.append(localize(f"評価 {state.take.rating}。", f"Rated {state.take.rating}. ") if state.take.rating else "")
        parts.append(localize(f"メモ: {state.take.note}", f"Note: {state.take.note}") if state.take.note else "")
    return "".join(parts).strip()


def describe_cell(board: Board, cell: BoardCell, column_label: TwoLines) -> str:
    """Describe a cell by its column's label and its row's style weight."""
    parts = (*column_label, describe_row(board, cell.row)[1])
    return " · ".join(part for part in parts if part)


def _describe_phase(state: CellState) -> str:
    if state.is_playing:
        return localize("再生中。", "Playing. ")
    if state.phase is CellPhase.FAILED:
        return state.error
    if state.phase is CellPhase.MAKING:
        return localize("合成中。", "Being synthesised. ")
    if state.phase is CellPhase.EMPTY or state.take is None:
        return localize("まだ合成していません。", "Not synthesised yet. ")
    return format_card_seconds(state.take.length_s) + localize("。", ". ")


def _resolve_name(name: str, names: list[str]) -> str:
    return name if name in names or not names else names[0]
