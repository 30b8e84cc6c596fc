"""The plot around the bars: axes, scale, the text of an empty chart, and tooltips."""

import itertools
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QPainter, QPen, QResizeEvent, QTransform
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem, QStyleOptionGraphicsItem, QToolTip, QVBoxLayout, QWidget

from app.common.language import localize
from app.common.stages import find_stage_label
from app.ui.display_names import format_backends, format_ms
from app.ui.latency.latency_title import describe_targets
from app.ui.synthesis.latency_history import SUMMED_SIZES, LatencyHistory, StageTotal, Utterance
from app.ui.theme.theme import Theme
from app.ui.widgets.controls import PlainLabel, escape_tip
from app.ui.widgets.painting import paint_cache_mark
from app.ui.workarounds.lazy_pyqtgraph import pyqtgraph as pg

# Positions are milliseconds and rows; widths of lines, chips and letters are pixels.

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
        self.rows: list[Utterance] = []
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
        self.rows, self._live, self._target_ms, self._area = list(rows), live, target_ms, area
        self._stage_targets_ms = stage_targets_ms
        self.update()

    def find_stage(self, point: QPointF) -> tuple[Utterance, str | None] | None:
        """Return the utterance at (ms, row), and its stage if there is one."""
        row = round(point.y())
        if not 0 <= row < len(self.rows) or abs(point.y() - row) > BAR_HEIGHT_ROWS / 2:
            return None
        end = 0.0
        for name, stage in self.rows[row].iterate_stages():
            end += stage.ms
            if 0 <= point.x() < end:
                return self.rows[row], name
        return self.rows[row], None

    def find_target(self, ms: float, reach_ms: float) -> tuple[str, float] | None:
        """Return the stage whose target ends within `reach_ms` of `ms`, and where it ends (ms)."""
        ends = zip(self._stage_targets_ms, itertools.accumulate(self._stage_targets_ms.values()), strict=True)
        return next(((stage, end_ms) for stage, end_ms in ends if abs(end_ms - ms) <= reach_ms), None)

    def boundingRect(self) -> QRectF:
        """Return the whole chart's area."""
        return self._area

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        """Draw everything in pixels."""
        transform = painter.worldTransform()
        # In the chart's own units hatching and letters would be stretched with the scale.
        painter.setWorldTransform(QTransform())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(painter.font())
        font.setPointSizeF(8.5)
        painter.setFont(font)
        if self.rows:
            self._paint_stage_targets(painter, transform)
            self._paint_target(painter, transform)
        for row, utterance in enumerate(self.rows):
            self._paint_row(painter, transform, row, utterance)

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
            bar = transform.mapRect(QRectF(utterance.first_audio_ms, row - BAR_HEIGHT_ROWS / 2, 0, BAR_HEIGHT_ROWS))
            painter.setPen(QPen(QColor(self._theme.text), 2))
            painter.drawLine(QPointF(bar.x(), bar.top() - 3), QPointF(bar.x(), bar.bottom() + 3))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.text))
            top = bar.top() - 3
            painter.drawPolygon([QPointF(bar.x() - 4, top - 3), QPointF(bar.x() + 4, top - 3), QPointF(bar.x(), top + 3)])
            start = max(start, utterance.first_audio_ms)
        painter.setOpacity(1)
        self._paint_total(painter, transform, transform.map(QPointF(start, row)), utterance)

    def _paint_bar_part(self, painter: QPainter, transform: QTransform, row: int, start: float, length: float, color: QColor) -> None:
        if length > 0:
            corners = QRectF(start, row - BAR_HEIGHT_ROWS / 2, length, BAR_HEIGHT_ROWS)
            painter.fillRect(transform.mapRect(corners), color)

    def _paint_total(self, painter: QPainter, transform: QTransform, end: QPointF, utterance: Utterance) -> None:
        """Draw the total, then a hatched chip for each stage that came from a cache."""
        metrics = QFontMetricsF(painter.font())
        words = f"{format_ms(utterance.total_ms)} ms" if not utterance.is_stopped else localize("停止", "stopped")
        painter.setPen(QColor(self._theme.muted if utterance.is_stopped else self._theme.text))
        left = self.shift_past_targets(transform, end.x() + BESIDE, metrics.horizontalAdvance(words))
        painter.drawText(QPointF(left, end.y() + metrics.capHeight() / 2), words)
        left += metrics.horizontalAdvance(words) + BESIDE
        for name, stage in utterance.iterate_stages():
            if stage.hits:
                color = QColor(self._theme.stages[name])
                chip = QRectF(left, end.y() - CHIP / 2, CHIP, CHIP)
                paint_cache_mark(painter, chip, color)
                left += CHIP + 4

    def shift_past_targets(self, transform: QTransform, left: float, width: float) -> float:
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


MAX_CHART_ROWS = 7
ROW_HEIGHT_PX = 17.0  # the least height of a row: its label must fit
TARGET_ROW_HEIGHT_PX = 17.0  # free space above the first row, for the label of the target
SCALE_HEADROOM = 1.25  # free space behind the longest bar, for its figures
LABEL_WIDTH_PX = 112
MIN_SCALE_MS = 50.0
HOVER_REACH_PX = 4.0  # the mouse need not hit a thin line exactly
TICK_DENSITY = 0.5  # pyqtgraph's own density of ticks looks like a ruler


class LatencyChart(pg.GraphicsView):  # type: ignore[misc]
    """A chart of the newest utterances as bars, which grow while they are computed.

    It uses single parts of pyqtgraph: the whole plot first makes fifty menu controls, which takes three times as long.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setAccessibleName(localize("処理時間のグラフ", "Latency chart"))
        self.setWhatsThis(describe_targets())
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMinimumHeight(72)
        self.box = pg.ViewBox(enableMouse=False, invertY=True, enableMenu=False, defaultPadding=0)  # The view box, in milliseconds and rows
        self.names, self.times = pg.AxisItem("left"), pg.AxisItem("bottom")
        self._lay_out_plot()
        # The axis omits a label that does not fit, so it is wider than any label.
        self.names.setWidth(LABEL_WIDTH_PX + 14)
        self.names.setStyle(tickLength=0)
        self.times.enableAutoSIPrefix(False)
        self.times.setHeight(24)
        self.times.setTickDensity(TICK_DENSITY)
        # The axis draws the grid, which belongs behind the bars.
        self.times.setZValue(-1)
        self.bars = LatencyBars(theme)
        self.box.addItem(self.bars, ignoreBounds=True)
        self._labels: list[str] = []
        self._shown: tuple[list[Utterance], tuple[Utterance, float] | None, float, Mapping[str, float]] = ([], None, 0.0, {})
        self.names.setTicks([[]])
        text = localize("再生すると、処理ごとの時間がここに表示されます。", "Play a line to see how long each stage takes.")
        self.empty_hint = PlainLabel(text, "muted")
        self.empty_hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty_hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        QVBoxLayout(self).addWidget(self.empty_hint)
        self.scale_ms = 0.0
        self._range_area = QRectF()
        self.set_theme(theme)
        self._set_scale(200.0)

    def _lay_out_plot(self) -> None:
        plot = pg.GraphicsWidget()
        grid = QGraphicsGridLayout(plot)
        grid.setContentsMargins(1, 1, 1, 1)
        grid.setSpacing(0)
        grid.addItem(self.box, 0, 1)
        for axis, cell in ((self.names, (0, 0)), (self.times, (1, 1))):
            axis.linkToView(self.box)
            axis.setFlag(QGraphicsItem.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
            grid.addItem(axis, *cell)
        self.setCentralItem(plot)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self.setBackground(theme.surface)
        for axis, color in ((self.names, theme.text), (self.times, theme.muted)):
            axis.setTextPen(color)
            axis.setPen(theme.border)
        self.names.setPen(theme.surface)
        grid = QColor(theme.border)
        self.times.setTickPen(grid)
        self.times.setGrid(70)
        self.bars.set_theme(theme)

    def refresh_bars(self, history: LatencyHistory, live: tuple[Utterance, float] | None) -> None:
        """Draw the newest utterances; `live` is the one being computed, with the milliseconds of its unfinished stage."""
        rows = list(itertools.islice(reversed(history.utterances), MAX_CHART_ROWS))
        self._shown = (rows, live, history.target_ms, history.stage_targets_ms)
        self._draw_bars()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw as many rows as the new height allows."""
        super().resizeEvent(event)
        # pyqtgraph resizes the view in its constructor, before `_shown` exists.
        if hasattr(self, "_shown"):
            self._draw_bars()

    def _draw_bars(self) -> None:
        everything, live, target_ms, stage_targets_ms = self._shown
        rows = everything[: self._row_capacity]
        self.empty_hint.setVisible(not rows)
        for axis in (self.names, self.times):
            # The scale of an empty chart is hidden but keeps its space, so that nothing moves with the first bar.
            axis.setOpacity(1 if rows else 0)
        longest = max((max(row.total_ms, row.first_audio_ms or 0) for row in rows), default=0.0)
        if live is not None:
            longest = max(longest, live[0].total_ms + live[1])
        self._set_scale(round_scale_up(longest * SCALE_HEADROOM))
        labels = [row.label for row in rows]
        if labels != self._labels:
            self._labels = labels
            short = [self.fontMetrics().elidedText(label, Qt.TextElideMode.ElideRight, LABEL_WIDTH_PX - 6) for label in labels]
            self.names.setTicks([list(enumerate(short))])
        self.bars.show_rows(rows, live, target_ms, self.compute_area(), stage_targets_ms)

    def close(self) -> bool:
        """Close the widget without pyqtgraph's own `close`."""
        # pyqtgraph's method dismantles the scene while its viewport still uses it.
        return QWidget.close(self)

    def sizeHint(self) -> QSize:
        """Return a height of text rows; the plot itself would ask for half a screen."""
        return QSize(600, round(self.fontMetrics().height() * (MAX_CHART_ROWS + 4) * 1.05))

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the figures under the mouse as a tooltip."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            point = self.box.mapSceneToView(self.mapToScene(event.pos()))
            QToolTip.showText(event.globalPos(), escape_tip(self.describe_point(QPointF(point))), self)
            return True
        return bool(super().viewportEvent(event))

    def describe_point(self, point: QPointF) -> str:
        """Return the figures at a place (ms, row), or what the target line there means; empty where there is neither."""
        hovered = self.bars.find_stage(point)
        if (hovered is None or hovered[1] is None) and (words := self._describe_target(point.x())):
            return f"{words}\n{describe_targets()}"
        if hovered is None:
            return ""
        utterance, name = hovered
        lines = [utterance.label]
        for stage_key, stage in utterance.iterate_stages():
            words = f"{find_stage_label(stage_key)}: {format_ms(stage.ms)} ms"
            words += localize("（キャッシュ）", " (cached)") if stage.hits and not stage.runs else ""
            words += localize("（初回）", " (first run)") if stage.cold_ms else ""
            words += localize("（新しい長さ）", " (new length)") if stage.new_ms and not stage.cold_ms else ""
            words += f"  {format_backends(stage.backends)}" if set(stage.backends) - {"cpu"} else ""
            words += f"  {sizes}" if (sizes := describe_sizes(stage)) else ""
            lines.append(f"▸ {words}" if stage_key == name else words)
        lines.append(localize("最初の音声まで", "Time to first audio") + f": {format_ms(utterance.first_audio_ms)} ms")
        if utterance.rtf is not None:
            lines.append(localize("音声の長さ", "Audio length") + f": {utterance.audio_s:.2f} s   RTF {utterance.rtf:.3f}")
        return "\n".join(lines)

    def _describe_target(self, ms: float) -> str:
        """Describe the target line at this position, of a line or of a stage; empty where there is none."""
        rows, _, target_ms, _ = self._shown
        reach_ms = HOVER_REACH_PX * self.scale_ms / max(1.0, float(self.box.width()))
        if not rows:
            return ""
        if abs(target_ms - ms) <= reach_ms:
            return localize(f"目標: 合計 {target_ms:.0f} ms", f"Target: {target_ms:.0f} ms in all")
        if (near := self.bars.find_target(ms, reach_ms)) is None:
            return ""
        words = f"{find_stage_label(near[0])}: {near[1]:.0f} ms"
        return localize(f"目標（ここまでに完了）\n{words}", f"Target: finished by here\n{words}")

    def _set_scale(self, scale_ms: float) -> None:
        self.scale_ms = scale_ms
        area = self.compute_area()
        if area != self._range_area:
            self._range_area = area
            self.box.setRange(area, padding=0)

    @property
    def _plot_px(self) -> float:
        return max(1.0, float(self.box.height()))

    @property
    def _row_capacity(self) -> int:
        """Return the number of rows that fit."""
        return max(1, min(MAX_CHART_ROWS, int((self._plot_px - TARGET_ROW_HEIGHT_PX) / ROW_HEIGHT_PX)))

    def compute_area(self) -> QRectF:
        """Return the visible area (ms, rows): the rows that fit, below the space for the target's label."""
        head = self._row_capacity * TARGET_ROW_HEIGHT_PX / max(ROW_HEIGHT_PX, self._plot_px - TARGET_ROW_HEIGHT_PX)  # in rows
        return QRectF(0, -0.5 - head, self.scale_ms, self._row_capacity + head)


def describe_sizes(stage: StageTotal) -> str:
    """Describe the amount of input that a stage worked on."""
    units = {
        "tokens": localize("トークン", "tokens"),
        "phones": localize("音素", "phones"),
        "frames": localize("フレーム", "frames"),
        "samples": localize("サンプル", "samples"),
    }
    return ", ".join(f"{getattr(stage, size):,} {units[size]}" for size in SUMMED_SIZES if getattr(stage, size))


def round_scale_up(longest_ms: float) -> float:
    """Round up to the next scale (ms) of 1, 1.5, 2, 3, 5 or 7.5 times a power of ten."""
    # The scale moves in steps, so that the bars do not jump with every utterance.
    scale_ms = max(longest_ms, MIN_SCALE_MS)
    power = 10.0 ** math.floor(math.log10(scale_ms))
    return next(step * power for step in (1, 1.5, 2, 3, 5, 7.5, 10) if step * power >= scale_ms)
