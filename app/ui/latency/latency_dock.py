"""The latency dock: bars at the left, the trend in the middle, the table at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QDockWidget, QFrame, QHBoxLayout, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from app.common.errors import OutputFileError
from app.common.language import localize
from app.ui.display_names import format_ms
from app.ui.latency.latency_table import LatencyTable
from app.ui.latency.latency_title import TITLE_MARGIN_PX, LatencyLegend, LatencyTitle
from app.ui.synthesis.latency_history import LatencyHistory, Utterance
from app.ui.theme.theme import Theme
from app.ui.widgets.containers import ScrollFrame
from app.ui.widgets.controls import escape_tip, fill_box
from app.ui.widgets.dialogs import ask_for_new_file

if TYPE_CHECKING:
    from app.ui.latency.latency_chart import LatencyChart

# The chart is made when the placeholder is seen and a voice is ready, so that neither the window nor the first sound waits for pyqtgraph.

# The sizes of the chart itself, so that nothing moves when the chart takes the placeholder's room.
SMALLEST, USUAL = QSize(68, 72), QSize(600, 219)

MAX_TREND_UTTERANCES = 60
MEDIAN_SPAN = 5  # the number of utterances whose median is one point of the line
TREND_WIDTH_PX = 190
TREND_MARGIN_PX = 10.0


class ChartPlaceholder(QWidget):
    """A widget as large as the chart; it draws nothing until the chart is made.

    Signals:
        chart_made(): The chart is made, still empty.
    """

    chart_made = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setMinimumSize(SMALLEST)
        self._theme = theme
        self._chart: LatencyChart | None = None
        self._begun = False
        # A timer object, like that of `FirstPaintWatcher`, whose turn comes first: a single shot would overtake it.
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._make_chart)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    @property
    def chart(self) -> LatencyChart:
        """Return the chart, making it now where it does not exist yet."""
        if self._chart is None:
            # In the GUI thread: pyqtgraph makes Qt's classes, and imported in another thread it crashed 3 of 25 starts.
            from app.ui.latency.latency_chart import LatencyChart

            self._chart = LatencyChart(self._theme)
            self._column.addWidget(self._chart)
            self.chart_made.emit()
        return self._chart

    def allow_chart(self) -> None:
        """Allow the chart to be made once it is visible."""
        # Importing pyqtgraph earlier would take a tenth of the time in which the first voice gets ready.
        if not self._begun:
            self._begun = True
            self.update()

    def sizeHint(self) -> QSize:
        """Return the size hint of an empty chart."""
        return USUAL

    def paintEvent(self, event: QPaintEvent) -> None:
        """Make the chart after the paint that shows its placeholder."""
        if self._chart is None and self._begun:
            self._timer.start()
        super().paintEvent(event)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._theme = theme
        if self._chart is not None:
            self._chart.set_theme(theme)

    def refresh_bars(self, history: LatencyHistory, live: tuple[Utterance, float] | None) -> None:
        """Draw the bars as `LatencyChart.refresh_bars` does; do nothing before the chart is made."""
        if self._chart is not None:
            self._chart.refresh_bars(history, live)

    @Slot()
    def _make_chart(self) -> None:
        if self.isVisible() and self._chart is None:
            _ = self.chart


@dataclass(frozen=True, slots=True)
class TrendCurve:
    """A curve of one quantity."""

    name: str
    newest: str
    values: tuple[float, ...]
    cached_indices: frozenset[int]  # The indices of values that used a cache; the line leaves them out
    color: str  # The name of a stage, whose colour is used


class LatencyTrend(QWidget):
    """A chart of dots for spoken lines, hollow where a cache was used, and a line of the others' rolling median."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._utterances: list[Utterance] = []
        self.curves: tuple[TrendCurve, ...] = ()
        self.setAccessibleName(localize("RTF と最初の音声までの時間の推移", "RTF and time to first audio over time"))
        self.setFixedWidth(TREND_WIDTH_PX)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._theme = theme
        self.update()

    def show_history(self, history: LatencyHistory) -> None:
        """Draw the newest utterances."""
        self._utterances = history.list_trend(MAX_TREND_UTTERANCES)
        ratios = [(item.rtf, item.is_cached) for item in self._utterances if item.rtf is not None]
        waits = [(item.first_audio_ms, item.is_cached) for item in self._utterances if item.first_audio_ms is not None]
        wait = f"{format_ms(waits[-1][0] if waits else None)} ms"
        self.curves = (
            _build_curve("RTF", f"{ratios[-1][0]:.3f}" if ratios else "–", ratios, "prosody"),
            _build_curve(localize("最初の音声まで", "Time to first audio"), wait, waits, "g2p"),
        )
        self.update()

    def sizeHint(self) -> QSize:
        """Return a fixed width."""
        return QSize(TREND_WIDTH_PX, 72)

    def event(self, event: QEvent) -> bool:
        """Show the figures of the line under the mouse as a tooltip."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), escape_tip(self.describe_at(event.pos().x())), self)
            return True
        return super().event(event)

    def describe_at(self, x: float) -> str:
        """Describe the measurements of the line at this pixel."""
        if not self._utterances:
            return ""
        step = (self.width() - 2 * TREND_MARGIN_PX) / max(1, len(self._utterances) - 1)
        item = self._utterances[max(0, min(len(self._utterances) - 1, round((x - TREND_MARGIN_PX) / step)))]
        wait = localize("最初の音声まで", "Time to first audio")
        cached = localize("（キャッシュ）", " (cached)") if item.is_cached else ""
        return f"{item.label}{cached}\nRTF {item.rtf:.3f}\n{wait} {format_ms(item.first_audio_ms)} ms"

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw one curve above the other."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._theme.surface))
        font = QFont(self.font())
        font.setPointSizeF(8.5)
        painter.setFont(font)
        height = self.height() / max(1, len(self.curves))
        for number, curve in enumerate(self.curves):
            self._paint_curve(painter, curve, QRectF(TREND_MARGIN_PX, number * height + 4, self.width() - 2 * TREND_MARGIN_PX, height - 8))
        painter.end()

    def _paint_curve(self, painter: QPainter, curve: TrendCurve, area: QRectF) -> None:
        text_height = QFontMetricsF(painter.font()).height()
        head = QRectF(area.left(), area.top(), area.width(), text_height)
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(head, Qt.AlignmentFlag.AlignLeft, curve.name)
        painter.setPen(QColor(self._theme.text))
        painter.drawText(head, Qt.AlignmentFlag.AlignRight, curve.newest)
        plot = area.adjusted(0, text_height + 5, 0, -3)
        painter.setPen(QPen(QColor(self._theme.border), 1))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        if not curve.values:
            return
        color = QColor(self._theme.stages[curve.color])
        faint = QColor(color)
        faint.setAlpha(110)
        step = plot.width() / max(1, len(curve.values) - 1)
        heights = _compute_heights(curve.values, max(curve.values), plot)
        points = [QPointF(plot.left() + index * step, height) for index, height in enumerate(heights)]
        for index, point in enumerate(points):
            is_cached = index in curve.cached_indices
            painter.setPen(QPen(faint, 1) if is_cached else Qt.PenStyle.NoPen)
            painter.setBrush(Qt.BrushStyle.NoBrush if is_cached else faint)
            painter.drawEllipse(point, 2, 2)
        # Cached lines are fast for another reason; in the median they would look like progress.
        computed = [index for index in range(len(points)) if index not in curve.cached_indices]
        smooth = _compute_heights(compute_rolling_median([curve.values[index] for index in computed]), max(curve.values), plot)
        painter.setPen(QPen(color, 1.6))
        painter.drawPolyline(QPolygonF([QPointF(points[index].x(), height) for index, height in zip(computed, smooth, strict=True)]))


def compute_rolling_median(values: Sequence[float]) -> list[float]:
    """Return for each value the median of it and the `MEDIAN_SPAN` - 1 values before it."""
    # Imported here, because it is first needed after a line was spoken: the window starts sooner.
    from statistics import median

    return [median(values[max(0, end - MEDIAN_SPAN) : end]) for end in range(1, len(values) + 1)]


def _compute_heights(values: Sequence[float], highest: float, plot: QRectF) -> list[float]:
    scale = plot.height() / (highest or 1.0)
    return [plot.bottom() - value * scale for value in values]


def _build_curve(name: str, newest: str, values: Sequence[tuple[float, bool]], color: str) -> TrendCurve:
    """Build a curve from values and whether each came from a cache."""
    cached = frozenset(index for index, (_, is_cached) in enumerate(values) if is_cached)
    return TrendCurve(name, newest, tuple(value for value, _ in values), cached, color)


class LatencyDock(QDockWidget):
    """A dock with chart, trend and table of a latency history.

    Signals:
        failed(AppError): The measurements could not be written.
        toggled(bool): The dock was opened or closed.
    """

    failed = Signal(object)
    toggled = Signal(bool)

    def __init__(self, history: LatencyHistory, theme: Theme) -> None:
        super().__init__(localize("処理時間", "Latency"))
        self.setObjectName("latency")
        self.setAllowedAreas(Qt.DockWidgetArea.BottomDockWidgetArea | Qt.DockWidgetArea.TopDockWidgetArea)
        self._history = history
        self._was_live = False
        self.place = ChartPlaceholder(theme)  # The chart's placeholder; it must be closed with the window
        self.trend = LatencyTrend(theme)
        self.table = LatencyTable(theme)
        self.legend = LatencyLegend(theme)
        self.title = LatencyTitle(self.legend)
        self.setTitleBarWidget(self.title)
        card = QFrame()
        card.setObjectName("card")
        row = fill_box(QHBoxLayout(card), (self.place, 1), margins=(8, 4, 4, 4), spacing=4)
        for widget in (self.trend, self.table):
            edge = QFrame()
            edge.setObjectName("edge")
            row.addWidget(edge)
            row.addWidget(widget)
        body = QWidget()
        fill_box(QHBoxLayout(body), card, margins=(TITLE_MARGIN_PX, 0, TITLE_MARGIN_PX, 8))
        self.setWidget(ScrollFrame(body))
        self.show_figures()
        self.place.chart_made.connect(self.show_figures)
        self.title.pause.toggled.connect(self.show_figures)
        self.title.export_requested.connect(self._ask_and_export)
        self.title.clear_requested.connect(self.clear_history)
        self.title.close_requested.connect(self.close)

    def event(self, event: QEvent) -> bool:
        """Emit `toggled` when the dock is opened or closed."""
        # These come when the dock itself is shown or hidden, and not when its window is.
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.toggled.emit(self.is_open)
        return super().event(event)

    @property
    def chart(self) -> LatencyChart:
        return self.place.chart

    @property
    def is_open(self) -> bool:
        """Return whether the dock is shown in the window."""
        return not self.isHidden()

    def set_open(self, is_open: bool) -> None:
        """Open or close the dock."""
        self.setVisible(is_open)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self.place.set_theme(theme)
        self.legend.set_theme(theme)
        self.trend.set_theme(theme)
        self.table.figures.set_theme(theme)

    def show_live(self, live: tuple[Utterance, float] | None) -> None:
        """Draw the bars while a line is being computed, and once more after it."""
        if self.isVisible() and not self.title.pause.isChecked() and (live is not None or self._was_live):
            self.place.refresh_bars(self._history, live)
        self._was_live = live is not None

    def allow_chart(self) -> None:
        """Allow the chart to be made, because a voice is ready or there is none."""
        self.place.allow_chart()

    @Slot()
    def show_figures(self) -> None:
        """Show all figures again, unless the dock is paused."""
        if self.title.pause.isChecked():
            return
        self.place.refresh_bars(self._history, None)
        self.title.show_history(self._history)
        self.legend.show_stages(self._history.stages)
        self.trend.show_history(self._history)
        self.table.figures.show_history(self._history)

    @Slot()
    def clear_history(self) -> None:
        """Forget the finished utterances and end a pause."""
        self._history.clear_finished()
        self.title.pause.setChecked(False)
        self.show_figures()

    @Slot(str)
    def _ask_and_export(self, suffix: str) -> None:
        if (file := ask_for_new_file(self, localize("書き出す", "Export"), f"koebako-latency.{suffix}")) is not None:
            self.write_file(file, suffix)

    def write_file(self, file: Path, suffix: str) -> None:
        """Write all measurements ("csv") or a picture of the dock ("png"); emit `failed` where that fails."""
        from app.ui.latency.latency_files import write_csv, write_picture

        try:
            if suffix == "csv":
                write_csv(self._history, file)
            else:
                write_picture(self.widget(), self.legend, file)
        except OutputFileError as error:
            self.failed.emit(error)
