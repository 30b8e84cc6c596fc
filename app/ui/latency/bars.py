"""Draws utterances as stacked bars. Positions are milliseconds and rows; widths of lines, chips and letters are pixels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.language import localized
from app.ui.labels import milliseconds
from app.ui.synthesis.utterance import Utterance
from app.ui.theme.theme import Theme
from app.ui.widgets.hatch import paint_cached
from app.ui.workarounds.lazy_pyqtgraph import pyqtgraph as pg

BAR = 0.62  # of a row
CHIP, BESIDE, FARTHEST = 9.0, 8.0, 48.0  # pixels; between a bar and its figure, and at most


class LatencyBars(pg.GraphicsObject):  # type: ignore[misc]
    """Rows of stacked bars, the newest on top.

    Cached results are hatched chips behind the bar: they take no time that could be seen. A first run is drawn pale.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: list[Utterance] = []
        self._live: tuple[Utterance, float] | None = None
        self._target_ms = 0.0
        self._stage_targets_ms: Mapping[str, float] = {}
        self._area = QRectF(0, 0, 1, 1)

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self._theme = theme
        self.update()

    def show_rows(
        self,
        rows: Sequence[Utterance],
        live: tuple[Utterance, float] | None,
        target_ms: float,
        area: QRectF,
        stage_targets_ms: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        """Draws these utterances, first one on top, within `area` (ms, rows); the parts' targets stand where each should have ended."""
        if area != self._area:
            self.prepareGeometryChange()
        self._rows, self._live, self._target_ms, self._area = list(rows), live, target_ms, area
        self._stage_targets_ms = stage_targets_ms
        self.update()

    def stage_at(self, point: QPointF) -> tuple[Utterance, str | None] | None:
        """The utterance, and the stage if any, at (ms, row)."""
        row = round(point.y())
        if not 0 <= row < len(self._rows) or abs(point.y() - row) > BAR / 2:
            return None
        end = 0.0
        for name, stage in self._rows[row].ordered():
            end += stage.ms
            if 0 <= point.x() < end:
                return self._rows[row], name
        return self._rows[row], None

    def target_near(self, ms: float, reach_ms: float) -> tuple[str, float] | None:
        """The stage whose target ends within reach of a moment, and where it ends."""
        ends = zip(self._stage_targets_ms, itertools.accumulate(self._stage_targets_ms.values()), strict=True)
        return next(((stage, end_ms) for stage, end_ms in ends if abs(end_ms - ms) <= reach_ms), None)

    def boundingRect(self) -> QRectF:
        """The whole chart."""
        return self._area

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        """Everything in pixels, so that hatching and letters keep their size."""
        place = painter.worldTransform()
        painter.setWorldTransform(QTransform())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(painter.font())
        font.setPointSizeF(8.5)
        painter.setFont(font)
        if self._rows:
            self._paint_stage_targets(painter, place)
            self._paint_target(painter, place)
        for row, utterance in enumerate(self._rows):
            self._paint_row(painter, place, row, utterance)

    def _paint_row(self, painter: QPainter, place: QTransform, row: int, utterance: Utterance) -> None:
        start = 0.0
        painter.setOpacity(0.45 if utterance.stopped else 1)
        for name, stage in utterance.ordered():
            color = QColor(self._theme.stages[name])
            pale = QColor(color)
            pale.setAlpha(90)
            self._paint_part(painter, place, row, start, stage.cold_ms, pale)
            self._paint_part(painter, place, row, start + stage.cold_ms, stage.ms - stage.cold_ms, color)
            start += stage.ms
        if self._live is not None and self._live[0] is utterance:
            growing = QColor(self._theme.muted)
            growing.setAlpha(110)
            self._paint_part(painter, place, row, start, self._live[1], growing)
            start += self._live[1]
        if utterance.first_audio_ms is not None:
            self._paint_first_audio(painter, place, row, utterance.first_audio_ms)
            start = max(start, utterance.first_audio_ms)
        painter.setOpacity(1)
        self._paint_end(painter, place, place.map(QPointF(start, row)), utterance)

    def _paint_part(self, painter: QPainter, place: QTransform, row: int, start: float, length: float, color: QColor) -> None:
        if length > 0:
            corners = QRectF(start, row - BAR / 2, length, BAR)
            painter.fillRect(place.mapRect(corners), color)

    def _paint_first_audio(self, painter: QPainter, place: QTransform, row: int, ms: float) -> None:
        bar = place.mapRect(QRectF(ms, row - BAR / 2, 0, BAR))
        painter.setPen(QPen(QColor(self._theme.text), 2))
        painter.drawLine(QPointF(bar.x(), bar.top() - 3), QPointF(bar.x(), bar.bottom() + 3))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.text))
        top = bar.top() - 3
        painter.drawPolygon([QPointF(bar.x() - 4, top - 3), QPointF(bar.x() + 4, top - 3), QPointF(bar.x(), top + 3)])

    def _paint_end(self, painter: QPainter, place: QTransform, end: QPointF, utterance: Utterance) -> None:
        """The total, then a hatched chip for each stage that came from a cache."""
        metrics = QFontMetricsF(painter.font())
        words = f"{milliseconds(utterance.total_ms)} ms" if not utterance.stopped else localized("停止", "stopped")
        painter.setPen(QColor(self._theme.muted if utterance.stopped else self._theme.text))
        left = self._beside_targets(place, end.x() + BESIDE, metrics.horizontalAdvance(words))
        painter.drawText(QPointF(left, end.y() + metrics.capHeight() / 2), words)
        left += metrics.horizontalAdvance(words) + BESIDE
        for name, stage in utterance.ordered():
            if stage.hits:
                color = QColor(self._theme.stages[name])
                chip = QRectF(left, end.y() - CHIP / 2, CHIP, CHIP)
                paint_cached(painter, chip, color)
                left += CHIP + 4

    def _beside_targets(self, place: QTransform, left: float, width: float) -> float:
        """Where words of this width may begin, at `left` or a little after it, that no target runs through."""
        begins = left
        for ms in sorted((*itertools.accumulate(self._stage_targets_ms.values()), self._target_ms)):
            x = place.map(QPointF(ms, 0)).x()
            if begins - BESIDE / 2 < x < begins + width + BESIDE / 2:
                begins = x + BESIDE / 2
        return begins if begins - left <= FARTHEST else left

    def _paint_stage_targets(self, painter: QPainter, place: QTransform) -> None:
        area = place.mapRect(self._area)
        for stage, end_ms in zip(self._stage_targets_ms, itertools.accumulate(self._stage_targets_ms.values()), strict=True):
            if end_ms <= self._area.right():
                x = math.floor(place.map(QPointF(end_ms, 0)).x()) + 0.5  # one pixel wide, not two pale ones
                painter.setPen(QPen(QColor(self._theme.stages[stage]), 1, Qt.PenStyle.DotLine))
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _paint_target(self, painter: QPainter, place: QTransform) -> None:
        area = place.mapRect(self._area)
        words = localized(f"目標 {self._target_ms:.0f} ms", f"Target {self._target_ms:.0f} ms")
        color = QColor(self._theme.muted)
        metrics = QFontMetricsF(painter.font())
        inside = self._target_ms <= self._area.right()
        x = place.map(QPointF(self._target_ms, 0)).x() if inside else area.right()
        if inside:
            painter.setPen(QPen(color, 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        else:
            words += " ▸"
        left = x - metrics.horizontalAdvance(words) - BESIDE
        painter.setPen(color)
        painter.drawText(QPointF(left if left >= area.left() else x + BESIDE, area.top() + metrics.ascent() + 1), words)
