"""The figures of every stage as a model; its colours are the legend of the bars."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont, QPixmap

from app.language import localized
from app.stage_words import stage_name
from app.ui.latency.columns import Figures, columns, explained
from app.ui.plain_text import plain_tip
from app.ui.synthesis.measurements import PART_OF_STAGE, LatencyHistory
from app.ui.theme.theme import Theme

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class LatencyModel(QAbstractTableModel):
    """First audio and the total, which people look for, then one row a stage."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._bold = QFont()
        self._columns = columns()
        self._rows: list[Figures] = []

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self._theme = theme
        self._changed()

    def embolden(self, font: QFont) -> None:
        """Takes the font of the table for the rows that stand out."""
        self._bold = QFont(font)
        self._bold.setWeight(QFont.Weight.DemiBold)

    def show(self, history: LatencyHistory) -> None:
        """Reads the figures again."""
        rows = [
            ("", localized("最初の音声まで", "Time to first audio"), history.first_audio()),
            ("total", localized("合計", "Total"), history.total()),
        ]
        rows += [(stage, stage_name(stage), history.row(stage)) for stage in history.stages]
        last_of_part = {PART_OF_STAGE.get(stage, stage): stage for stage in history.stages}
        targets_ms = {last_of_part[part]: ms for part, ms in history.stage_targets_ms.items()} | {"total": history.target_ms}
        over = history.over_target()
        devices = any(set(row.backends) - {"cpu"} or row.waited_ms for _, _, row in rows)
        wanted = columns(devices=devices)
        same = len(rows) == len(self._rows) and len(wanted) == len(self._columns)
        if not same:
            self.beginResetModel()
            self._columns = wanted
        self._rows = [
            Figures(stage, name, row, targets_ms.get(stage), stage in over, history.copies_ms.get(stage)) for stage, name, row in rows
        ]
        self._changed() if same else self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        """Two, and one a stage."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        """As `columns` has them."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._columns[section].header
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.WhatsThisRole) and orientation == Qt.Orientation.Horizontal:
            return plain_tip(self._columns[section].meaning) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignVCenter | (Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, alignment and colour chip."""
        item, column = self._rows[index.row()], self._columns[index.column()]
        is_name = index.column() == 0
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(item)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip("\n".join(filter(None, (explained(item), column.meaning if column.text(item) else "")))) or None
        if role == Qt.ItemDataRole.ForegroundRole:
            color = column.color(item, self._theme)
            return None if color is None else QColor(color)
        if role == Qt.ItemDataRole.TextAlignmentRole and not is_name:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.FontRole and item.stage not in self._theme.stages:
            return self._bold
        if role == Qt.ItemDataRole.DecorationRole and is_name:
            return _chip(QColor(self._theme.stages[item.stage]) if item.stage in self._theme.stages else QColor(0, 0, 0, 0))
        return None

    def _changed(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self._columns) - 1))


def _chip(color: QColor) -> QPixmap:
    chip = QPixmap(10, 10)
    chip.fill(color)
    return chip
