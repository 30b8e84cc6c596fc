"""Takes of one line as rows: those that are kept, and below them what was heard and may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from app.core.takes import Take
from app.language import localized
from app.ui.plain_text import plain_tip

_ROOT = QModelIndex()
Index = QModelIndex | QPersistentModelIndex
STAR, NUMBER, LENGTH, SEED, DIFFERS, NOTE = range(6)


@dataclass(frozen=True, slots=True)
class Row:
    """One take.

    Attributes:
        number: within its line, from 1; 0 for one that is not kept.
        differs: what of it is not as the line is now, in words.
    """

    take: Take
    number: int = 0
    differs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As people call it."""
        return localized(f"テイク {self.number}", f"Take {self.number}") if self.number else localized("未保存のテイク", "Unsaved take")

    @property
    def difference(self) -> str:
        """In one line."""
        words = localized("、", ", ").join(self.differs)
        return words[:1].upper() + words[1:] or localized("現在の設定と同じ", "Same settings as now")


class TakeModel(QAbstractTableModel):
    """Takes of a line as rows of a table.

    Signals:
        noted(str, str): the note of this take was edited.
    """

    noted = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[Row] = ()
        self._playing = ""

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Shows others."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def show_playing(self, take_id: str) -> None:
        """Marks the take that is heard; empty for none."""
        if take_id != self._playing:
            self._playing = take_id
            if self.rows:
                self.dataChanged.emit(self.index(0, NUMBER), self.index(len(self.rows) - 1, NUMBER))

    def rowCount(self, parent: Index = _ROOT) -> int:
        """One for each take."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Star, number, length, seed, differences, note."""
        return 0 if parent.isValid() else NOTE + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            names = ("★", localized("番号", "No."), localized("長さ", "Length"), localized("シード", "Seed"))
            return (*names, localized("現在の設定との違い", "Differs from now"), localized("メモ", "Note"))[section]
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """A note can be written on what is kept."""
        flags = super().flags(index)
        editable = index.column() == NOTE and self.rows[index.row()].number
        return flags | Qt.ItemFlag.ItemIsEditable if editable else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell; screen readers hear the whole row with the first."""
        row, column = self.rows[index.row()], index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self._words(row)[column]
        if role == Qt.ItemDataRole.AccessibleTextRole and column == STAR:
            star = localized("スター付き、", "starred, ") if row.take.starred else ""
            return f"{row.name}: {star}{self._words(row)[LENGTH]}, {row.difference} {row.take.note}".strip()
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip("\n".join(part for part in (row.name, row.difference, row.take.text, row.take.note) if part))
        return _alignment(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Takes a note."""
        if role != Qt.ItemDataRole.EditRole or index.column() != NOTE:
            return False
        self.noted.emit(self.rows[index.row()].take.id, str(value).strip())
        return True

    def _words(self, row: Row) -> tuple[str, ...]:
        take = row.take
        number = str(row.number) if row.number else localized("未保存", "not saved")
        playing = "▶ " if take.id == self._playing else ""
        length = localized(f"{take.length_s:.2f} 秒", f"{take.length_s:.2f} s")
        return (
            "★" if take.starred else "☆" if row.number else "",
            playing + number,
            length,
            str(take.settings.seed),
            row.difference,
            take.note,
        )


def _alignment(column: int) -> Qt.AlignmentFlag:
    if column == STAR:
        return Qt.AlignmentFlag.AlignCenter
    across = Qt.AlignmentFlag.AlignRight if column in (NUMBER, LENGTH, SEED) else Qt.AlignmentFlag.AlignLeft
    return across | Qt.AlignmentFlag.AlignVCenter
