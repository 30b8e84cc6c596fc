"""A Qt table model of a board, with the board's columns (ways to speak) as rows and its lines as columns."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from app.audition.board import Board, BoardCell, BoardColumn, Role
from app.audition.candidate_casts import ORIGINAL_CAST
from app.audition.short_names import NamePart, build_short_names, choose_short_parts
from app.common.language import localize
from app.core.script.script import LineSettings, choose_known_name
from app.ui.audition.board_cells import BoardCells, CellPhase, CellState
from app.ui.audition.cast_chooser import format_cast
from app.ui.script.card_layout import format_card_seconds
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.controls import escape_tip
from app.voices.voice_labels import format_speaker, format_style

FindVoice = Callable[[str], CatalogVoice | None]
TwoLines = tuple[str, str]
PART_SEPARATOR = " / "  # between a voice and its speaker


def describe_column(board: Board, column: int, find_voice: FindVoice) -> TwoLines:
    """Return the full label of a column: voice and speaker, then style and preset; of a cast its name, then a line for each character."""
    if cast := board.columns[column].cast:
        equals = localize("＝", " = ")
        role_parts = ((role.name, _describe_settings(role.settings, find_voice)) for role in _list_changed_roles(board.columns[column]))
        return _format_cast(cast), "\n".join(
            f"{name}{equals}{' / '.join(filter(None, (part.label for part in name_parts)))}" for name, name_parts in role_parts
        )
    return _join_two_lines([part.label for part in _build_name_parts(board, column, find_voice)])


def shorten_columns(board: Board, find_voice: FindVoice) -> list[TwoLines]:
    """Return short labels of all columns, without the parts that all of them share."""
    if board.is_of_casts:
        # Each name is shown above the voices of the cast's characters, which have the same order in all columns.
        roles = [_list_changed_roles(column) for column in board.columns]
        names = iter(build_short_names([_describe_settings(role.settings, find_voice) for changed in roles for role in changed]))
        voices = [localize("、", ", ").join(next(names) for _ in changed) for changed in roles]
        return [(_format_cast(column.cast), names_of_voices) for column, names_of_voices in zip(board.columns, voices, strict=True)]
    return [
        _join_two_lines(labels)
        for labels in choose_short_parts([_build_name_parts(board, column, find_voice) for column in range(len(board.columns))])
    ]


def _join_two_lines(labels: Sequence[str]) -> TwoLines:
    return PART_SEPARATOR.join(filter(None, labels[:2])), " · ".join(filter(None, labels[2:]))


def _build_name_parts(board: Board, column: int, find_voice: FindVoice) -> tuple[NamePart, ...]:
    settings = board.columns[column].apply_to_settings(board.lines[0].settings if board.lines else LineSettings())
    # Next to other styles, the first one is named, too.
    name_parts = (NamePart(part.label) for part in _describe_settings(settings, find_voice))
    return (*name_parts, NamePart(board.columns[column].preset))


def _describe_settings(settings: LineSettings, find_voice: FindVoice) -> tuple[NamePart, NamePart, NamePart]:
    """Return voice, speaker and style; the speaker is empty where there is only one, and the first style goes without saying."""
    voice = find_voice(settings.voice)
    name = voice.name if voice is not None else localize("不明な声", "Unknown voice")
    styles = [style for _, style in voice.styles] if voice is not None else []
    speaker = (
        format_speaker(voice.manifest.choose_speaker(settings.speaker, settings.style))
        if voice is not None and len(voice.speakers) > 1
        else ""
    )
    style = choose_known_name(settings.style, styles)
    return NamePart(name), NamePart(speaker), NamePart(format_style(style), is_usual=style in styles[:1])


def _format_cast(letter: str) -> str:
    return localize("元の配役", "Original cast") if letter == ORIGINAL_CAST else format_cast(letter)


def _list_changed_roles(column: BoardColumn) -> list[Role]:
    """Return the roles that some cast of the board changes."""
    return [role for role in column.roles if role.values]


def describe_row(board: Board, row: int) -> tuple[str, str]:
    """Return a line's text, and its style weight where several are compared, or its character where casts are."""
    line = board.lines[row]
    if board.is_of_casts:
        role = board.columns[0].find_role(line.character)
        return line.text, role.name if role is not None else ""
    several = len({item.settings.style_weight for item in board.lines if item.id == line.id}) > 1
    strength = f"{line.settings.style_weight:g}"
    return line.text, localize(f"強さ {strength}", f"weight {strength}") if several else ""


def describe_cell_state(state: CellState) -> str:
    """Describe a cell's state for its tooltip and for screen readers."""
    sentences = [_describe_phase(state)]
    if state.take is not None:
        sentences.append(localize("スター付き。", "Starred. ") if state.take.starred else "")
        sentences.append(localize(f"評価 {state.take.rating}。", f"Rated {state.take.rating}. ") if state.take.rating else "")
        sentences.append(localize(f"メモ: {state.take.note}", f"Note: {state.take.note}") if state.take.note else "")
    return "".join(sentences).strip()


def describe_cell(board: Board, cell: BoardCell, column_label: TwoLines) -> str:
    """Describe a cell by its column's label and its row's style weight."""
    return " · ".join(part for part in (*column_label, describe_row(board, cell.row)[1]) if part)


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


Index = QModelIndex | QPersistentModelIndex
STATE_ROLE, SHOWN_ROLE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
NO_PARENT_INDEX = QModelIndex()


def convert_to_cell(index: Index) -> BoardCell:
    """Return the board's cell for an index of the transposed table."""
    # The table is transposed because there are more ways to speak than lines.
    return BoardCell(index.column(), index.row())


class BoardModel(QAbstractTableModel):
    """A table model that follows the cells."""

    def __init__(self, parent: QObject, cells: BoardCells, find_voice: FindVoice) -> None:
        super().__init__(parent)
        self._cells, self._find = cells, find_voice
        self.shown: frozenset[BoardCell] = frozenset()
        # Each short name depends on all columns, so they are built together, once for each board.
        self._column_labels: list[TwoLines] = []
        cells.about_to_be_replaced.connect(self.beginResetModel)
        cells.replaced.connect(self._finish_reset)
        cells.cell_changed.connect(self._update_cell)

    def find_index(self, cell: BoardCell) -> QModelIndex:
        return self.index(cell.column, cell.row)

    def show_matching(self, shown: frozenset[BoardCell]) -> None:
        """Show these cells as the ones that pass the filter."""
        if shown != self.shown:
            self.shown = shown
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def rowCount(self, parent: Index = NO_PARENT_INDEX) -> int:
        """Return the number of ways to speak."""
        return 0 if parent.isValid() else len(self._cells.board.columns)

    def columnCount(self, parent: Index = NO_PARENT_INDEX) -> int:
        """Return the number of lines, each counted once for each style weight."""
        return 0 if parent.isValid() else len(self._cells.board.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the state of a cell, or its description for screen readers and tooltips."""
        if not index.isValid() or index.row() >= self.rowCount() or index.column() >= self.columnCount():
            return None
        cell = convert_to_cell(index)
        if role == STATE_ROLE:
            return self._cells.build_state(cell)
        if role == SHOWN_ROLE:
            return cell in self.shown
        if role == Qt.ItemDataRole.AccessibleTextRole:
            board = self._cells.board
            return f"{describe_cell(board, cell, self._column_labels[cell.column])}: {describe_cell_state(self._cells.build_state(cell))} {board.lines[cell.row].text}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return escape_tip(describe_cell_state(self._cells.build_state(cell)))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a header of at most two lines; the tooltip of a way to speak has its full name."""
        board, across = self._cells.board, orientation == Qt.Orientation.Horizontal
        # Qt asks one header for sections while the other one is being reset.
        is_known = section < (len(board.lines) if across else len(board.columns))
        if not is_known or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        is_tip = role == Qt.ItemDataRole.ToolTipRole
        labels = (
            describe_row(board, section)
            if across
            else describe_column(board, section, self._find)
            if is_tip
            else self._column_labels[section]
        )
        text = "\n".join(part for part in labels if part)
        return escape_tip(text) if is_tip else text

    @Slot()
    def update_names(self) -> None:
        """Rebuild the column names after voices were renamed."""
        self._build_names()
        if self.rowCount():
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, self.rowCount() - 1)

    def _build_names(self) -> None:
        self._column_labels = shorten_columns(self._cells.board, self._find)

    @Slot()
    def _finish_reset(self) -> None:
        self.shown = frozenset(self._cells.board.cells)
        self._build_names()
        self.endResetModel()

    @Slot(object)
    def _update_cell(self, cell: BoardCell) -> None:
        index = self.find_index(cell)
        self.dataChanged.emit(index, index)
