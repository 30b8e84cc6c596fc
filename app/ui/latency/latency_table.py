"""A table of last, median, 95th percentile, cached runs and target of each stage, which shows whole rows and cuts no header."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QMargins, QModelIndex, QPersistentModelIndex, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFont, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.common.language import localize
from app.common.stage_labels import find_stage_label
from app.ui.latency.latency_columns import LatencyFigures, explain_figures, list_columns, list_widest_figures
from app.ui.plain_text import escape_tip
from app.ui.synthesis.latency_history import PART_OF_STAGE, LatencyHistory
from app.ui.theme.theme import Theme

Index = QModelIndex | QPersistentModelIndex
ROOT_INDEX = QModelIndex()


class LatencyModel(QAbstractTableModel):
    """A model with the first audio and the total, then one row for each stage."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._bold = QFont()
        self._columns = list_columns()
        self._rows: list[LatencyFigures] = []

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._theme = theme
        self._emit_all_changed()

    def set_bold_font(self, font: QFont) -> None:
        """Use the table's font, in bold, for the rows of the first audio and the total."""
        self._bold = QFont(font)
        self._bold.setWeight(QFont.Weight.DemiBold)

    def show_history(self, history: LatencyHistory) -> None:
        """Read the figures from the history."""
        rows = [
            ("", localize("最初の音声まで", "Time to first audio"), history.compute_first_audio_row()),
            ("total", localize("合計", "Total"), history.compute_total_row()),
        ]
        rows += [(stage, find_stage_label(stage), history.compute_stage_row(stage)) for stage in history.stages]
        last_of_part = {PART_OF_STAGE.get(stage, stage): stage for stage in history.stages}
        targets_ms = {last_of_part[part]: ms for part, ms in history.stage_targets_ms.items()} | {"total": history.target_ms}
        over = history.find_slow_stages()
        devices = any(set(row.backends) - {"cpu"} or row.waited_ms for _, _, row in rows)
        wanted = list_columns(has_devices=devices)
        # A reset makes the table measure its columns again; it is needed only when rows or columns change.
        same = len(rows) == len(self._rows) and len(wanted) == len(self._columns)
        if not same:
            self.beginResetModel()
            self._columns = wanted
        self._rows = [
            LatencyFigures(stage, name, row, targets_ms.get(stage), stage in over, history.copies_ms.get(stage))
            for stage, name, row in rows
        ]
        self._emit_all_changed() if same else self.endResetModel()

    def rowCount(self, parent: Index = ROOT_INDEX) -> int:
        """Return the number of rows: two, and one for each stage."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT_INDEX) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title, explanation or alignment."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._columns[section].header
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.WhatsThisRole) and orientation == Qt.Orientation.Horizontal:
            return escape_tip(self._columns[section].meaning) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignVCenter | (Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, tooltip, colour, alignment, font or colour chip."""
        item, column = self._rows[index.row()], self._columns[index.column()]
        is_name = index.column() == 0
        if role == Qt.ItemDataRole.DisplayRole:
            return column.format_text(item)
        if role == Qt.ItemDataRole.ToolTipRole:
            return escape_tip("\n".join(filter(None, (explain_figures(item), column.meaning if column.format_text(item) else "")))) or None
        if role == Qt.ItemDataRole.ForegroundRole:
            color = column.choose_color(item, self._theme)
            return None if color is None else QColor(color)
        if role == Qt.ItemDataRole.TextAlignmentRole and not is_name:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.FontRole and item.stage not in self._theme.stages:
            return self._bold
        if role == Qt.ItemDataRole.DecorationRole and is_name:
            return _draw_chip(QColor(self._theme.stages[item.stage]) if item.stage in self._theme.stages else QColor(0, 0, 0, 0))
        return None

    def _emit_all_changed(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self._columns) - 1))


def _draw_chip(color: QColor) -> QPixmap:
    chip = QPixmap(10, 10)
    chip.fill(color)
    return chip


TABLE_WIDTH_PX = 340  # at least
FIGURE_CELL_MARGINS_PX = 16  # both sides together


class LatencyTable(QTableView):
    """A read-only table of the figures."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.figures = LatencyModel(theme)
        self.setModel(self.figures)
        font = QFont(self.font())
        # A smaller font, so that all rows are visible at once.
        font.setPointSizeF(font.pointSizeF() * 0.9)
        self.setFont(font)
        self.figures.set_bold_font(font)
        self.setAccessibleName(localize("処理時間の表", "Latency table"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setShowGrid(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(10)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 2)
        header = self.horizontalHeader()
        # The header gets the font itself: a style sheet that is removed takes an inherited font away.
        header.setFont(font)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionsClickable(False)
        header.setHighlightSections(False)
        self.setFixedWidth(TABLE_WIDTH_PX)
        self.figures.modelReset.connect(self._fit_columns)

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the columns when the table is shown."""
        super().showEvent(event)
        # The style sheet sets the width of the headers only now.
        self._fit_columns()

    @Slot()
    def _fit_columns(self) -> None:
        """Make the table wide enough for every header and figure; the columns beside the name share the rest equally."""
        header = self.horizontalHeader()
        widths = [header.sectionSizeHint(column) for column in range(self.figures.columnCount())]
        figures = max(map(self.fontMetrics().horizontalAdvance, list_widest_figures())) + FIGURE_CELL_MARGINS_PX
        names = max(widths[0], self.sizeHintForColumn(0), header.sectionSize(0)) + self.verticalScrollBar().sizeHint().width()
        self.setFixedWidth(max(TABLE_WIDTH_PX, names + (len(widths) - 1) * max(figures, *widths[1:]) + 2 * self.frameWidth()))

    def sizeHint(self) -> QSize:
        """Return the height of all rows."""
        rows = self.verticalHeader().defaultSectionSize() * self.figures.rowCount()
        return QSize(self.width(), rows + self.horizontalHeader().sizeHint().height() + 4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show whole rows only."""
        super().resizeEvent(event)
        room = self.height() - self.horizontalHeader().height()
        spare = room % self.verticalHeader().defaultSectionSize() if room < self.sizeHint().height() else 0
        margins = QMargins(0, self.horizontalHeader().height(), 0, spare)
        if margins != self.viewportMargins():
            self.setViewportMargins(margins)
