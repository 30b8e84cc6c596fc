"""A table of last, median, 95th percentile, cached runs and target of each stage, which shows whole rows and cuts no header."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QMargins, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFont, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.common.language import localize
from app.common.stages import find_stage_label
from app.ui.display_names import format_backends, format_ms
from app.ui.latency.latency_title import describe_targets
from app.ui.synthesis.latency_history import MAX_KEPT_UTTERANCES, PART_OF_STAGE, LatencyHistory, LatencyRow
from app.ui.theme.theme import Theme
from app.ui.widgets.controls import Index, RowTableModel, escape_tip


@dataclass(frozen=True, slots=True)
class LatencyFigures:
    """The figures of one row: a stage, the first audio or the total."""

    stage: str  # The stage's name in the program; empty for the first audio
    name: str
    row: LatencyRow
    target_ms: float | None  # The longest time it should take; None where there is no target
    is_over_target: bool
    # The measured times of copying to the device, computing there and copying back; None where they were not measured.
    copies_ms: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class LatencyColumn:
    """A column of the table; further ones are added to `list_columns`."""

    header: str
    format_text: Callable[[LatencyFigures], str]
    # Returns a cell's colour, or None for the table's own.
    choose_color: Callable[[LatencyFigures, Theme], str | None] = lambda _figures, _theme: None
    meaning: str = ""  # An explanation of its figures; empty where the header says enough


def list_columns(*, has_devices: bool = False) -> tuple[LatencyColumn, ...]:
    """Return the columns in their order, with the device's column only where a device other than the CPU was used."""
    computed = localize("キャッシュの結果を含みません。", "Without results from the cache.")
    cached = localize("キャッシュの結果を使った回数と、その中央値。", "How often the cache was used, and the median of those times.")
    where = (
        LatencyColumn(localize("実行先", "Runs on"), lambda item: format_backends(item.row.backends), lambda _item, theme: theme.muted),
    )
    return (
        LatencyColumn("ms", lambda item: item.name),
        LatencyColumn(localize("直近", "Last"), _format_last, lambda item, theme: theme.error_text if item.is_over_target else None),
        LatencyColumn(localize("中央値", "Median"), lambda item: format_ms(item.row.median), meaning=computed),
        LatencyColumn("p95", lambda item: format_ms(item.row.p95), meaning=computed),
        LatencyColumn(localize("キャッシュ", "Cached"), _format_cached, lambda _item, theme: theme.muted, cached),
        LatencyColumn(localize("目標", "Target"), _format_target, lambda _item, theme: theme.muted, describe_targets()),
        *(where if has_devices else ()),
    )


def list_widest_figures() -> tuple[str, ...]:
    """Return the figures that need the most space."""
    return localize("キャッシュ", "cached"), f"{MAX_KEPT_UTTERANCES}: {format_ms(1000.0)}"


def _format_last(item: LatencyFigures) -> str:
    return localize("キャッシュ", "cached") if item.row.is_cached else format_ms(item.row.last)


def _format_cached(item: LatencyFigures) -> str:
    """Format the number of cached runs and their median (ms)."""
    return f"{item.row.cached_runs}: {format_ms(item.row.cached_median)}" if item.row.cached_runs else ""


def _format_target(item: LatencyFigures) -> str:
    return "" if item.target_ms is None else f"{item.target_ms:.0f}"


def explain_figures(item: LatencyFigures) -> str:
    """Explain where a stage ran and which of its time was not computing; empty where there is nothing to explain."""
    if item.stage == "total":
        return localize("待ち時間を除く処理時間の合計", "Processing time without waiting")
    lines = [format_backends(item.row.backends)] if set(item.row.backends) - {"cpu"} else []
    if item.row.new_ms:
        lines.append(
            localize(
                f"新しい長さの準備を含む: {format_ms(item.row.new_ms)} ms（次に同じ長さのときは速くなります）",
                f"includes preparing for a new length: {format_ms(item.row.new_ms)} ms (the same length is faster next time)",
            )
        )
    if item.row.waited_ms:
        lines.append(
            localize(
                f"デバイスがこの長さをまだ計算できないため CPU で計算: {format_ms(item.row.waited_ms)} ms",
                f"computed on the CPU, as the device is not ready for this length: {format_ms(item.row.waited_ms)} ms",
            )
        )
    if item.copies_ms is not None and set(item.row.backends) - {"cpu"}:
        copied_in, run, back = map(format_ms, item.copies_ms)
        lines.append(
            localize(
                f"測定時: デバイスへの転送 {copied_in} ms、計算 {run} ms、デバイスからの転送 {back} ms",
                f"as measured: copying in {copied_in} ms, computing {run} ms, copying out {back} ms",
            )
        )
    return "\n".join(lines)


class LatencyModel(RowTableModel):
    """A model with the first audio and the total, then one row for each stage."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._bold = QFont()
        self.columns = list_columns()
        self.rows: list[LatencyFigures] = []

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
        slow_stages = history.find_slow_stages()
        devices = any(set(row.backends) - {"cpu"} or row.waited_ms for _, _, row in rows)
        columns = list_columns(has_devices=devices)
        # A reset makes the table measure its columns again; it is needed only when rows or columns change.
        is_same_shape = len(rows) == len(self.rows) and len(columns) == len(self.columns)
        if not is_same_shape:
            self.beginResetModel()
            self.columns = columns
        self.rows = [
            LatencyFigures(stage, name, row, targets_ms.get(stage), stage in slow_stages, history.copies_ms.get(stage))
            for stage, name, row in rows
        ]
        self._emit_all_changed() if is_same_shape else self.endResetModel()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title, explanation or alignment."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self.columns[section].header
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.WhatsThisRole) and orientation == Qt.Orientation.Horizontal:
            return escape_tip(self.columns[section].meaning) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignVCenter | (Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, tooltip, colour, alignment, font or colour chip."""
        item, column = self.rows[index.row()], self.columns[index.column()]
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
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self.columns) - 1))


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
        """Make the table wide enough for every header and figure; the columns after the name share the rest equally."""
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
