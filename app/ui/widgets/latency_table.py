"""Last, median, 95th percentile and target of every stage; its colours are the legend of the bars."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QMargins, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.language import say
from app.ui.latency import PART_OF_STAGE, LatencyHistory, Row
from app.ui.names import milliseconds, stage_name
from app.ui.theme import Theme

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
WIDTH = 340


class LatencyModel(QAbstractTableModel):
    """First audio and the total, which people look for, then one row a stage."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._bold = QFont()
        self._rows: list[tuple[str, str, Row]] = []
        self._targets_ms: dict[str, float] = {}
        self._over: frozenset[str] = frozenset()

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self._theme = theme
        self._changed()

    def embolden(self, font: QFont) -> None:
        """Takes the font of the table for the rows that stand out."""
        self._bold = QFont(font)
        self._bold.setWeight(QFont.Weight.DemiBold)

    def show(self, history: LatencyHistory) -> None:
        """Reads the figures anew."""
        rows = [("", say("最初の音", "First audio"), history.first_audio()), ("total", say("合計", "Total"), history.total())]
        rows += [(stage, stage_name(stage), history.row(stage)) for stage in history.stages]
        last_of_part = {PART_OF_STAGE.get(stage, stage): stage for stage in history.stages}
        self._targets_ms = {last_of_part[part]: ms for part, ms in history.stage_targets_ms.items()} | {"total": history.target_ms}
        self._over = history.over_target()
        same = len(rows) == len(self._rows)
        if not same:
            self.beginResetModel()
        self._rows = rows
        self._changed() if same else self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        """Two, and one a stage."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        """Name, last, median, p95, target."""
        return 0 if parent.isValid() else 5

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return ("ms", say("直近", "last"), say("中央値", "median"), "p95", say("目標", "target"))[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignVCenter | (Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, alignment and colour chip."""
        stage, name, row = self._rows[index.row()]
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            last = say("再利用", "cached") if row.cached else milliseconds(row.last)
            target = f"{self._targets_ms[stage]:.0f}" if stage in self._targets_ms else ""
            return (name, last, milliseconds(row.median), milliseconds(row.p95), target)[column]
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._color(stage, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.FontRole and stage not in self._theme.stages:
            return self._bold
        if role == Qt.ItemDataRole.DecorationRole and not column:
            return _chip(QColor(self._theme.stages[stage]) if stage in self._theme.stages else QColor(0, 0, 0, 0))
        return None

    def _color(self, stage: str, column: int) -> QColor | None:
        if column == 4:
            return QColor(self._theme.muted)
        return QColor(self._theme.trouble_text) if column == 1 and stage in self._over else None

    def _changed(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, 4))


class LatencyTable(QTableView):
    """The figures, to be read only."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.figures = LatencyModel(theme)
        self.setModel(self.figures)
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)  # all rows shall be seen at once
        self.setFont(font)
        self.figures.embolden(font)
        self.setAccessibleName(say("段階ごとの時間の表", "Table of the time each stage takes"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setShowGrid(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(10)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 2)
        header = self.horizontalHeader()
        header.setFont(font)  # its own: a style sheet that comes and goes takes away what it has from us
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionsClickable(False)
        header.setHighlightSections(False)
        self.setFixedWidth(WIDTH)

    def sizeHint(self) -> QSize:
        """All rows, when there is room for them."""
        rows = self.verticalHeader().defaultSectionSize() * self.figures.rowCount()
        return QSize(WIDTH, rows + self.horizontalHeader().sizeHint().height() + 4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shows whole rows only."""
        super().resizeEvent(event)
        room = self.height() - self.horizontalHeader().height()
        spare = room % self.verticalHeader().defaultSectionSize() if room < self.sizeHint().height() else 0
        margins = QMargins(0, self.horizontalHeader().height(), 0, spare)
        if margins != self.viewportMargins():
            self.setViewportMargins(margins)


def _chip(color: QColor) -> QPixmap:
    chip = QPixmap(10, 10)
    chip.fill(color)
    return chip
