"""Draws utterances as stacked bars.

Positions are milliseconds and rows; widths of lines, chips and letters are pixels.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.common.language import localize
from app.ui.display_names import format_ms
from app.ui.synthesis.utterance import Utterance
from app.ui.theme.theme import Theme
from app.ui.widgets.hatch_painting import paint_cache_mark
from app.ui.workarounds.lazy_pyqtgraph import pyqtgraph as pg

BAR_HEIGHT_ROWS = 0.62
# In pixels: the side of a chip, the gap between a bar and its figure, and how far the figure may move at most.
CHIP, BESIDE, FARTHEST = 9.0, 8.0, 48.0


class LatencyBars(pg.GraphicsObject):  # type: ignore[misc]
    """A graphics item with rows of stacked bars, the newest on top.

    Cached results are hatched chips behind the bar, because they take no visible time. A first run is drawn pale.
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
        """Use the colours of another theme."""
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
        """Draw these utterances, the first one on top, within `area` (ms, rows), with a line where each stage should have ended."""
        if area != self._area:
            self.prepareGeometryChange()
        self._rows, self._live, self._target_ms, self._area = list(rows), live, target_ms, area
        self._stage_targets_ms = stage_targets_ms
        self.update()

    def find_stage(self, point: QPointF) -> tuple[Utterance, str | None] | None:
        """Return the utterance at (ms, row), and its stage if there is one."""
        row = round(point.y())
        if not 0 <= row < len(self._rows) or abs(point.y() - row) > BAR_HEIGHT_ROWS / 2:
            return None
        end = 0.0
        for name, stage in self._rows[row].iterate_stages():
            end += stage.ms
            if 0 <= point.x() < end:
                return self._rows[row], name
        return self._rows[row], None

    def find_target(self, ms: float, reach_ms: float) -> tuple[str, float] | None:
        """Return the stage whose target ends within `reach_ms` of `ms`, and where it ends (ms)."""
        ends = zip(self._stage_targets_ms, itertools.accumulate(self._stage_targets_ms.values()), strict=True)
        return next(((stage, end_ms) for stage, end_ms in ends if abs(end_ms - ms) <= reach_ms), None)

    def boundingRect(self) -> QRectF:
        """Return the whole chart's area."""
        return self._area

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        """Draw everything in pixels."""
        place = painter.worldTransform()
        # In the chart's own units hatching and letters would be stretched with the scale.
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

    def _paint_row(self, painter: QPainter, transform: QTransform, row: int, utterance: Utterance) -> None:
        start = 0.0
        painter.setOpacity(0.45 if utterance.is_stopped else 1)
        for name, stage in utterance.iterate_stages():
            color = QColor(self._theme.stages[name])
            pale = QColor(color)
            pale.setAlpha(90)
            self._paint_bar_part(painter, transform, row, start, stage.cold_ms, pale)
            self._paint_bar_part(painter, transform, row, start + stage.cold_ms, stage.ms - stage.cold_ms, color)
            start += stage.ms
        if self._live is not None and self._live[0] is utterance:
            growing = QColor(self._theme.muted)
            growing.setAlpha(110)
            self._paint_bar_part(painter, transform, row, start, self._live[1], growing)
            start += self._live[1]
        if utterance.first_audio_ms is not None:
            self._paint_first_audio(painter, transform, row, utterance.first_audio_ms)
            start = max(start, utterance.first_audio_ms)
        painter.setOpacity(1)
        self._paint_total(painter, transform, transform.map(QPointF(start, row)), utterance)

    def _paint_bar_part(self, painter: QPainter, transform: QTransform, row: int, start: float, length: float, color: QColor) -> None:
        if length > 0:
            corners = QRectF(start, row - BAR_HEIGHT_ROWS / 2, length, BAR_HEIGHT_ROWS)
            painter.fillRect(transform.mapRect(corners), color)

    def _paint_first_audio(self, painter: QPainter, transform: QTransform, row: int, ms: float) -> None:
        bar = transform.mapRect(QRectF(ms, row - BAR_HEIGHT_ROWS / 2, 0, BAR_HEIGHT_ROWS))
        painter.setPen(QPen(QColor(self._theme.text), 2))
        painter.drawLine(QPointF(bar.x(), bar.top() - 3), QPointF(bar.x(), bar.bottom() + 3))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.text))
        top = bar.top() - 3
        painter.drawPolygon([QPointF(bar.x() - 4, top - 3), QPointF(bar.x() + 4, top - 3), QPointF(bar.x(), top + 3)])

    def _paint_total(self, painter: QPainter, transform: QTransform, end: QPointF, utterance: Utterance) -> None:
        """Draw the total, then a hatched chip for each stage that came from a cache."""
        metrics = QFontMetricsF(painter.font())
        words = f"{format_ms(utterance.total_ms)} ms" if not utterance.is_stopped else localize("停止", "stopped")
        painter.setPen(QColor(self._theme.muted if utterance.is_stopped else self._theme.text))
        left = self._shift_past_targets(transform, end.x() + BESIDE, metrics.horizontalAdvance(words))
        painter.drawText(QPointF(left, end.y() + metrics.capHeight() / 2), words)
        left += metrics.horizontalAdvance(words) + BESIDE
        for name, stage in utterance.iterate_stages():
            if stage.hits:
                color = QColor(self._theme.stages[name])
                chip = QRectF(left, end.y() - CHIP / 2, CHIP, CHIP)
                paint_cache_mark(painter, chip, color)
                left += CHIP + 4

    def _shift_past_targets(self, transform: QTransform, left: float, width: float) -> float:
        """Return a start (pixels) for text of this width, at `left` or a little after it, where no target line crosses the text."""
        begins = left
        for ms in sorted((*itertools.accumulate(self._stage_targets_ms.values()), self._target_ms)):
            x = transform.map(QPointF(ms, 0)).x()
            if begins - BESIDE / 2 < x < begins + width + BESIDE / 2:
                begins = x + BESIDE / 2
        # A figure too far from its bar would seem to belong to another; then the line may cross it.
        return begins if begins - left <= FARTHEST else left

    def _paint_stage_targets(self, painter: QPainter, transform: QTransform) -> None:
        area = transform.mapRect(self._area)
        for stage, end_ms in zip(self._stage_targets_ms, itertools.accumulate(self._stage_targets_ms.values()), strict=True):
            if end_ms <= self._area.right():
                # At half a pixel the line is one pixel wide instead of two pale ones.
                x = math.floor(transform.map(QPointF(end_ms, 0)).x()) + 0.5
                painter.setPen(QPen(QColor(self._theme.stages[stage]), 1, Qt.PenStyle.DotLine))
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _paint_target(self, painter: QPainter, transform: QTransform) -> None:
        area = transform.mapRect(self._area)
        words = localize(f"目標 {self._target_ms:.0f} ms", f"Target {self._target_ms:.0f} ms")
        color = QColor(self._theme.muted)
        metrics = QFontMetricsF(painter.font())
        inside = self._target_ms <= self._area.right()
        x = transform.map(QPointF(self._target_ms, 0)).x() if inside else area.right()
        if inside:
            painter.setPen(QPen(color, 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        else:
            words += " ▸"
        left = x - metrics.horizontalAdvance(words) - BESIDE
        painter.setPen(color)
        painter.drawText(QPointF(left if left >= area.left() else x + BESIDE, area.top() + metrics.ascent() + 1), words)
