"""Last, median, 95th percentile and target of every stage; its colours are the legend of the bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QMargins, QModelIndex, QPersistentModelIndex, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFont, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.language import localized
from app.ui.labels import backends_shown, milliseconds, stage_name
from app.ui.plain_text import plain_tip
from app.ui.synthesis.measurements import PART_OF_STAGE, LatencyHistory, Row
from app.ui.theme.theme import Theme

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
WIDTH = 340  # pixels at least; headers that need more get it


@dataclass(frozen=True, slots=True)
class Figures:
    """One row: a stage, the first audio or the total.

    Attributes:
        stage: its name in the program; empty for the first audio.
        target_ms: what it should take at most; None where that is not said.
        over: it took longer the last time.
        copies_ms: into the device, computing there and out of it, as measured; None where it was not.
    """

    stage: str
    name: str
    row: Row
    target_ms: float | None
    over: bool
    copies_ms: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """One column; to add one, add it to `columns`.

    Attributes:
        text: of a row.
        color: of a row, None for the table's own.
    """

    header: str
    text: Callable[[Figures], str]
    color: Callable[[Figures, Theme], str | None] = lambda _figures, _theme: None


def columns(*, devices: bool = False) -> tuple[Column, ...]:
    """All columns in their order, the name of the stage first; what computed it only where that is not the CPU alone."""
    where = (Column(localized("実行先", "Runs on"), lambda item: backends_shown(item.row.backends), lambda _item, theme: theme.muted),)
    return (
        Column("ms", lambda item: item.name),
        Column(localized("直近", "Last"), _last, lambda item, theme: theme.error_text if item.over else None),
        Column(localized("中央値", "Median"), lambda item: milliseconds(item.row.median)),
        Column("p95", lambda item: milliseconds(item.row.p95)),
        Column(localized("目標", "Target"), _target, lambda _item, theme: theme.muted),
        *(where if devices else ()),
    )


def _last(item: Figures) -> str:
    return localized("キャッシュ", "cached") if item.row.cached else milliseconds(item.row.last)


def _target(item: Figures) -> str:
    return "" if item.target_ms is None else f"{item.target_ms:.0f}"


def explained(item: Figures) -> str:
    """Where a stage was computed, and what of that was not computing; empty where there is nothing to say."""
    if item.stage == "total":
        return localized("待ち時間を除く処理時間の合計", "Processing time without waiting")
    lines = [backends_shown(item.row.backends)] if set(item.row.backends) - {"cpu"} else []
    if item.row.new_ms:
        lines.append(
            localized(
                f"新しい長さの準備を含む: {milliseconds(item.row.new_ms)} ms（次に同じ長さのときは速くなります）",
                f"includes preparing for a new length: {milliseconds(item.row.new_ms)} ms (the same length is faster next time)",
            )
        )
    if item.row.waited_ms:
        lines.append(
            localized(
                f"デバイスがこの長さをまだ計算できないため CPU で計算: {milliseconds(item.row.waited_ms)} ms",
                f"computed on the CPU, as the device is not ready for this length: {milliseconds(item.row.waited_ms)} ms",
            )
        )
    if item.copies_ms is not None and set(item.row.backends) - {"cpu"}:
        there, run, back = map(milliseconds, item.copies_ms)
        lines.append(
            localized(
                f"測定時: デバイスへの転送 {there} ms、計算 {run} ms、デバイスからの転送 {back} ms",
                f"as measured: copying in {there} ms, computing {run} ms, copying out {back} ms",
            )
        )
    return "\n".join(lines)


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
            return plain_tip(explained(item)) or None
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


class LatencyTable(QTableView):
    """The figures, to be read only."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.figures = LatencyModel(theme)
        self.setModel(self.figures)
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)  # all rows are to be seen at once
        self.setFont(font)
        self.figures.embolden(font)
        self.setAccessibleName(localized("処理時間の表", "Latency table"))
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
        self.figures.modelReset.connect(self._fit)

    def showEvent(self, event: QShowEvent) -> None:
        """Only now the style sheet has its say in how wide headers are."""
        super().showEvent(event)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        """So that no header is cut: those beside the name share what it leaves in equal parts."""
        header = self.horizontalHeader()
        widths = [header.sectionSizeHint(column) for column in range(self.figures.columnCount())]
        names = max(widths[0], self.sizeHintForColumn(0), header.sectionSize(0)) + self.verticalScrollBar().sizeHint().width()
        self.setFixedWidth(max(WIDTH, names + (len(widths) - 1) * max(widths[1:]) + 2 * self.frameWidth()))

    def sizeHint(self) -> QSize:
        """All rows, when there is room for them."""
        rows = self.verticalHeader().defaultSectionSize() * self.figures.rowCount()
        return QSize(self.width(), rows + self.horizontalHeader().sizeHint().height() + 4)

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
