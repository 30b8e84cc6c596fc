"""The table model of a line's takes: kept takes first, then recent renderings that are not kept; in words, how each differs from its line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal

from app.common.language import localize
from app.core.request_limits import BOUNDS
from app.core.script.project import LineTake
from app.core.script.script import CAST_FIELDS, Character, Line, LineSettings
from app.ui.display_names import format_speaker, format_style
from app.ui.widgets.controls import escape_tip
from app.ui.widgets.row_table_setup import Index, RowTableModel

COLUMNS = STAR, NUMBER, LENGTH, SEED, DIFFERS, NOTE = range(6)


@dataclass(frozen=True, slots=True)
class TakeRow:
    """A row of the table: a take and its number."""

    take: LineTake
    number: int = 0  # number within the line, from 1; 0 for a take that is not kept
    differs: tuple[str, ...] = ()  # the differences from the line as it is now, in words

    @property
    def name(self) -> str:
        """Return the displayed name of the take."""
        return localize(f"テイク {self.number}", f"Take {self.number}") if self.number else localize("未保存のテイク", "Unsaved take")

    @property
    def difference(self) -> str:
        """Return the differences in one line."""
        text = localize("、", ", ").join(self.differs)
        return text[:1].upper() + text[1:] or localize("現在の設定と同じ", "Same settings as now")


class TakeModel(RowTableModel):
    """A table model with a row for each take of a line.

    Signals:
        noted(str, str): the note of this take was edited.
    """

    columns = COLUMNS
    rows: Sequence[TakeRow] = ()
    noted = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self._playing_id = ""

    def show_rows(self, rows: Sequence[TakeRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def show_playing(self, take_id: str) -> None:
        """Mark the take that plays; an empty id marks none."""
        if take_id != self._playing_id:
            self._playing_id = take_id
            if self.rows:
                self.dataChanged.emit(self.index(0, NUMBER), self.index(len(self.rows) - 1, NUMBER))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the titles of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            names = ("★", localize("番号", "No."), localize("長さ", "Length"), localize("シード", "Seed"))
            return (*names, localize("現在の設定との違い", "Differs from now"), localize("メモ", "Note"))[section]
        return _choose_alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return the flags of a cell; only notes of kept takes are editable."""
        flags = super().flags(index)
        editable = index.column() == NOTE and self.rows[index.row()].number
        return flags | Qt.ItemFlag.ItemIsEditable if editable else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the data of a cell.

        The accessible text of the first cell is that of the whole row, for screen readers.
        """
        row, column = self.rows[index.row()], index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self._format_cells(row)[column]
        if role == Qt.ItemDataRole.AccessibleTextRole and column == STAR:
            star = localize("スター付き、", "starred, ") if row.take.starred else ""
            return f"{row.name}: {star}{self._format_cells(row)[LENGTH]}, {row.difference} {row.take.note}".strip()
        if role == Qt.ItemDataRole.ToolTipRole:
            return escape_tip("\n".join(part for part in (row.name, row.difference, row.take.text, row.take.note) if part))
        return _choose_alignment(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Emit an edited note."""
        if role != Qt.ItemDataRole.EditRole or index.column() != NOTE:
            return False
        self.noted.emit(self.rows[index.row()].take.id, str(value).strip())
        return True

    def _format_cells(self, row: TakeRow) -> tuple[str, ...]:
        take = row.take
        number = str(row.number) if row.number else localize("未保存", "not saved")
        playing = "▶ " if take.id == self._playing_id else ""
        length = localize(f"{take.length_s:.2f} 秒", f"{take.length_s:.2f} s")
        return (
            "★" if take.starred else "☆" if row.number else "",
            playing + number,
            length,
            str(take.settings.seed),
            row.difference,
            take.note,
        )


def _choose_alignment(column: int) -> Qt.AlignmentFlag:
    if column == STAR:
        return Qt.AlignmentFlag.AlignCenter
    across = Qt.AlignmentFlag.AlignRight if column in (NUMBER, LENGTH, SEED) else Qt.AlignmentFlag.AlignLeft
    return across | Qt.AlignmentFlag.AlignVCenter


def list_differences(
    take: LineTake, line: Line, find_voice_name: Callable[[str], str], character: Character | None = None
) -> tuple[str, ...]:
    """List the differences with the take's values; the seed is left out, as it has a column of its own.

    Nothing says whether a take with another voice, speaker or style comes from before its character was recast or from a deviation of the line
    that is gone, so it is only said that neither the line nor its character is spoken so.

    Args:
        find_voice_name: returns the displayed name of a voice id.
    """
    then, now = take.settings, line.settings
    differences: list[str] = []
    if character is not None and not _is_same_cast(then, now) and not _is_same_cast(then, character.settings):
        differences.append(localize("今の配役と異なる", "not the present cast"))
    if take.text != line.text:
        differences.append(localize("テキスト", "text"))
    if take.overrides != line.overrides:
        differences.append(localize("読みとアクセント", "reading and accent"))
    if then.voice != now.voice:
        differences.append(localize(f"声 {find_voice_name(then.voice)}", f"voice {find_voice_name(then.voice)}"))
    first = localize("（先頭）", "(first)")
    if then.speaker != now.speaker:
        differences.append(localize("話者", "speaker") + f" {format_speaker(then.speaker) or first}")
    if then.style != now.style:
        differences.append(localize("スタイル", "style") + f" {format_style(then.style) or first}")
    differences += [f"{BOUNDS[name].label} {value:g}" for name in BOUNDS if (value := getattr(then, name)) != getattr(now, name)]
    if then.pauses != now.pauses:
        differences.append(localize("間の長さ", "pauses"))
    if then.assist_text != now.assist_text:
        differences.append(localize("アシストテキスト", "assist text"))
    if then.memos != now.memos:
        differences.append(localize("メモの扱い", "memos"))
    return tuple(differences)


def _is_same_cast(one: LineSettings, other: LineSettings) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in CAST_FIELDS)
