"""A trend of speed over the newest lines: one curve for the RTF, one for the first audio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.common.language import localize
from app.ui.display_names import format_ms
from app.ui.plain_text import escape_tip
from app.ui.synthesis.latency_history import LatencyHistory, Utterance
from app.ui.theme.theme import Theme

MAX_TREND_UTTERANCES = 60
MEDIAN_SPAN = 5  # the number of utterances whose median is one point of the line
TREND_WIDTH_PX = 190
TREND_MARGIN_PX = 10.0


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
        points = _compute_points(curve.values, max(curve.values), plot)
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


def _compute_points(values: Sequence[float], highest: float, plot: QRectF) -> list[QPointF]:
    step = plot.width() / max(1, len(values) - 1)
    return [QPointF(plot.left() + index * step, height) for index, height in enumerate(_compute_heights(values, highest, plot))]


def _compute_heights(values: Sequence[float], highest: float, plot: QRectF) -> list[float]:
    scale = plot.height() / (highest or 1.0)
    return [plot.bottom() - value * scale for value in values]


def _build_curve(name: str, newest: str, values: Sequence[tuple[float, bool]], color: str) -> TrendCurve:
    """Build a curve from values and whether each came from a cache."""
    cached = frozenset(index for index, (_, is_cached) in enumerate(values) if is_cached)
    return TrendCurve(name, newest, tuple(value for value, _ in values), cached, color)
