"""How speed has gone over the last lines: RTF and first audio, one curve each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.language import localized
from app.ui.labels import milliseconds
from app.ui.plain_text import plain_tip
from app.ui.synthesis.measurements import LatencyHistory
from app.ui.synthesis.utterance import Utterance
from app.ui.theme.theme import Theme

SHOWN = 60
SMOOTH = 5  # utterances under one point of the line
WIDTH = 190
MARGIN = 10.0


@dataclass(frozen=True, slots=True)
class Curve:
    """One quantity.

    Attributes:
        newest: the newest value in words.
        cached: the places of values for which something came from a cache; they are no part of the line.
        color: by name of a stage.
    """

    name: str
    newest: str
    values: tuple[float, ...]
    cached: frozenset[int]
    color: str


class LatencyTrend(QWidget):
    """Dots are lines that were spoken, hollow where something came from a cache; the line is the median of the last few others."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shown: list[Utterance] = []
        self.curves: tuple[Curve, ...] = ()
        self.setAccessibleName(localized("RTF と最初の音声までの時間の推移", "RTF and time to first audio over time"))
        self.setFixedWidth(WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self._theme = theme
        self.update()

    def show_history(self, history: LatencyHistory) -> None:
        """Draws the newest utterances."""
        self._shown = history.trend(SHOWN)
        ratios = [(item.rtf, item.is_cached) for item in self._shown if item.rtf is not None]
        waits = [(item.first_audio_ms, item.is_cached) for item in self._shown if item.first_audio_ms is not None]
        wait = f"{milliseconds(waits[-1][0] if waits else None)} ms"
        self.curves = (
            _curve("RTF", f"{ratios[-1][0]:.3f}" if ratios else "–", ratios, "prosody"),
            _curve(localized("最初の音声まで", "Time to first audio"), wait, waits, "g2p"),
        )
        self.update()

    def sizeHint(self) -> QSize:
        """Narrow."""
        return QSize(WIDTH, 72)

    def event(self, event: QEvent) -> bool:
        """Shows the figures of the line under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tip(self.describe(event.pos().x())), self)
            return True
        return super().event(event)

    def describe(self, x: float) -> str:
        """What was measured of the line at this pixel."""
        if not self._shown:
            return ""
        step = (self.width() - 2 * MARGIN) / max(1, len(self._shown) - 1)
        item = self._shown[max(0, min(len(self._shown) - 1, round((x - MARGIN) / step)))]
        wait = localized("最初の音声まで", "Time to first audio")
        cached = localized("（キャッシュ）", " (cached)") if item.is_cached else ""
        return f"{item.label}{cached}\nRTF {item.rtf:.3f}\n{wait} {milliseconds(item.first_audio_ms)} ms"

    def paintEvent(self, _event: QPaintEvent) -> None:
        """One curve above the other."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._theme.surface))
        font = QFont(self.font())
        font.setPointSizeF(8.5)
        painter.setFont(font)
        height = self.height() / max(1, len(self.curves))
        for place, curve in enumerate(self.curves):
            self._paint(painter, curve, QRectF(MARGIN, place * height + 4, self.width() - 2 * MARGIN, height - 8))
        painter.end()

    def _paint(self, painter: QPainter, curve: Curve, area: QRectF) -> None:
        words = QFontMetricsF(painter.font()).height()
        head = QRectF(area.left(), area.top(), area.width(), words)
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(head, Qt.AlignmentFlag.AlignLeft, curve.name)
        painter.setPen(QColor(self._theme.text))
        painter.drawText(head, Qt.AlignmentFlag.AlignRight, curve.newest)
        plot = area.adjusted(0, words + 5, 0, -3)
        painter.setPen(QPen(QColor(self._theme.border), 1))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        if not curve.values:
            return
        color = QColor(self._theme.stages[curve.color])
        faint = QColor(color)
        faint.setAlpha(110)
        points = _points(curve.values, max(curve.values), plot)
        for place, point in enumerate(points):
            is_cached = place in curve.cached
            painter.setPen(QPen(faint, 1) if is_cached else Qt.PenStyle.NoPen)
            painter.setBrush(Qt.BrushStyle.NoBrush if is_cached else faint)
            painter.drawEllipse(point, 2, 2)
        computed = [place for place in range(len(points)) if place not in curve.cached]
        smooth = _heights(rolling([curve.values[place] for place in computed]), max(curve.values), plot)
        painter.setPen(QPen(color, 1.6))
        painter.drawPolyline(QPolygonF([QPointF(points[place].x(), height) for place, height in zip(computed, smooth, strict=True)]))


def rolling(values: Sequence[float]) -> list[float]:
    """The median of each value and the few before it."""
    from statistics import median  # which nobody needs before a line was spoken

    return [median(values[max(0, end - SMOOTH) : end]) for end in range(1, len(values) + 1)]


def _points(values: Sequence[float], highest: float, plot: QRectF) -> list[QPointF]:
    step = plot.width() / max(1, len(values) - 1)
    return [QPointF(plot.left() + place * step, height) for place, height in enumerate(_heights(values, highest, plot))]


def _heights(values: Sequence[float], highest: float, plot: QRectF) -> list[float]:
    scale = plot.height() / (highest or 1.0)
    return [plot.bottom() - value * scale for value in values]


def _curve(name: str, newest: str, values: Sequence[tuple[float, bool]], color: str) -> Curve:
    """Of values, each with whether it is from a cache."""
    cached = frozenset(place for place, (_, is_cached) in enumerate(values) if is_cached)
    return Curve(name, newest, tuple(value for value, _ in values), cached, color)
