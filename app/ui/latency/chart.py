"""The plot around the bars: axes, scale, words while it is empty, and what the mouse finds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QResizeEvent
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem, QLabel, QToolTip, QVBoxLayout, QWidget

from app.language import localized
from app.stage_words import stage_name
from app.ui.labels import backends_shown, milliseconds
from app.ui.latency.bars import LatencyBars
from app.ui.latency.target_words import target_words
from app.ui.plain_text import plain_tip
from app.ui.synthesis.measurements import LatencyHistory
from app.ui.synthesis.utterance import SIZES, StageTotal, Utterance
from app.ui.theme.theme import Theme
from app.ui.workarounds.lazy_pyqtgraph import pyqtgraph as pg

ROWS = 7
ROW_PX = 17.0  # the least height of a row: its label has to fit
HEAD_PX = 17.0  # over the first row, for the target
ROOM = 1.25  # free space behind the longest bar, for its figures
LABEL_WIDTH = 112
SHORTEST_SCALE_MS = 50.0
REACH_PX = 4.0  # the mouse need not meet a thin line
TICK_DENSITY = 0.5  # of what pyqtgraph would draw, which is a ruler


class LatencyChart(pg.GraphicsView):  # type: ignore[misc]
    """The last utterances as bars that grow while they are computed.

    Of pyqtgraph's plots it has the parts that it shows: the whole one makes its menus' fifty controls first, which takes three times as long.

    Attributes:
        box: bars in milliseconds and rows.
        names, times: the axes.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setAccessibleName(localized("処理時間のグラフ", "Latency chart"))
        self.setWhatsThis(target_words())
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMinimumHeight(72)
        self.box = pg.ViewBox(enableMouse=False, invertY=True, enableMenu=False, defaultPadding=0)
        self.names, self.times = pg.AxisItem("left"), pg.AxisItem("bottom")
        self._lay_out()
        self.names.setWidth(LABEL_WIDTH + 14)  # the axis leaves out a label that does not fit
        self.names.setStyle(tickLength=0)
        self.times.enableAutoSIPrefix(False)
        self.times.setHeight(24)
        self.times.setTickDensity(TICK_DENSITY)
        self.times.setZValue(-1)  # its grid belongs behind the bars
        self.bars = LatencyBars(theme)
        self.box.addItem(self.bars, ignoreBounds=True)
        self._labels: list[str] = []
        self._shown: tuple[list[Utterance], tuple[Utterance, float] | None, float, Mapping[str, float]] = ([], None, 0.0, {})
        self.names.setTicks([[]])
        self._empty = QLabel(localized("再生すると、処理ごとの時間がここに表示されます。", "Play a line to see how long each stage takes."))
        self._empty.setObjectName("muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        QVBoxLayout(self).addWidget(self._empty)
        self.scale_ms = 0.0
        self._ranged = QRectF()
        self.set_theme(theme)
        self._set_scale(200.0)

    def _lay_out(self) -> None:
        plot = pg.GraphicsWidget()
        grid = QGraphicsGridLayout(plot)
        grid.setContentsMargins(1, 1, 1, 1)
        grid.setSpacing(0)
        grid.addItem(self.box, 0, 1)
        for axis, place in ((self.names, (0, 0)), (self.times, (1, 1))):
            axis.linkToView(self.box)
            axis.setFlag(QGraphicsItem.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
            grid.addItem(axis, *place)
        self.setCentralItem(plot)

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self.setBackground(theme.surface)
        for axis, color in ((self.names, theme.text), (self.times, theme.muted)):
            axis.setTextPen(color)
            axis.setPen(theme.border)
        self.names.setPen(theme.surface)
        grid = QColor(theme.border)
        self.times.setTickPen(grid)
        self.times.setGrid(70)
        self.bars.set_theme(theme)

    def refresh(self, history: LatencyHistory, live: tuple[Utterance, float] | None) -> None:
        """Draws the newest utterances; `live` is the one that is computed now and the milliseconds of its unfinished stage."""
        rows = list(itertools.islice(reversed(history.utterances), ROWS))
        self._shown = (rows, live, history.target_ms, history.stage_targets_ms)
        self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More rows, or fewer."""
        super().resizeEvent(event)
        if hasattr(self, "_shown"):  # it is resized while it is made, too
            self._draw()

    def _draw(self) -> None:
        everything, live, target_ms, stage_targets_ms = self._shown
        rows = everything[: self._fitting]
        self._empty.setVisible(not rows)
        for axis in (self.names, self.times):
            axis.setOpacity(1 if rows else 0)  # a scale of nothing; it keeps its room
        longest = max((max(row.total_ms, row.first_audio_ms or 0) for row in rows), default=0.0)
        if live is not None:
            longest = max(longest, live[0].total_ms + live[1])
        self._set_scale(nice_scale(longest * ROOM))
        self._name_rows([row.label for row in rows])
        self.bars.show_rows(rows, live, target_ms, self._area(), stage_targets_ms)

    def close(self) -> bool:
        """Qt's own: pyqtgraph's takes the scene apart under a viewport that still asks it."""
        return QWidget.close(self)

    def sizeHint(self) -> QSize:
        """Rows of the height of a line of text; the plot itself would ask for half a screen."""
        return QSize(600, round(self.fontMetrics().height() * (ROWS + 4) * 1.05))

    def viewportEvent(self, event: QEvent) -> bool:
        """Shows the figures under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            point = self.box.mapSceneToView(self.mapToScene(event.pos()))
            QToolTip.showText(event.globalPos(), plain_tip(self._describe(QPointF(point))), self)
            return True
        return bool(super().viewportEvent(event))

    def _describe(self, point: QPointF) -> str:
        found = self.bars.stage_at(point)
        if (found is None or found[1] is None) and (words := self._describe_target(point.x())):
            return f"{words}\n{target_words()}"
        if found is None:
            return ""
        utterance, name = found
        lines = [utterance.label]
        for stage_key, stage in utterance.ordered():
            words = f"{stage_name(stage_key)}: {milliseconds(stage.ms)} ms"
            words += localized("（キャッシュ）", " (cached)") if stage.hits and not stage.runs else ""
            words += localized("（初回）", " (first run)") if stage.cold_ms else ""
            words += localized("（新しい長さ）", " (new length)") if stage.new_ms and not stage.cold_ms else ""
            words += f"  {backends_shown(stage.backends)}" if set(stage.backends) - {"cpu"} else ""
            words += f"  {sizes}" if (sizes := describe_sizes(stage)) else ""
            lines.append(f"▸ {words}" if stage_key == name else words)
        lines.append(localized("最初の音声まで", "Time to first audio") + f": {milliseconds(utterance.first_audio_ms)} ms")
        if utterance.rtf is not None:
            lines.append(localized("音声の長さ", "Audio length") + f": {utterance.audio_s:.2f} s   RTF {utterance.rtf:.3f}")
        return "\n".join(lines)

    def _describe_target(self, ms: float) -> str:
        """The target that is drawn here, for all of a line or for a part; empty where there is none."""
        rows, _, target_ms, _ = self._shown
        reach_ms = REACH_PX * self.scale_ms / max(1.0, float(self.box.width()))
        if not rows:
            return ""
        if abs(target_ms - ms) <= reach_ms:
            return localized(f"目標: 合計 {target_ms:.0f} ms", f"Target: {target_ms:.0f} ms in all")
        if (near := self.bars.target_near(ms, reach_ms)) is None:
            return ""
        words = f"{stage_name(near[0])}: {near[1]:.0f} ms"
        return localized(f"目標（ここまでに完了）\n{words}", f"Target: finished by here\n{words}")

    def _set_scale(self, scale_ms: float) -> None:
        self.scale_ms = scale_ms
        area = self._area()
        if area != self._ranged:
            self._ranged = area
            self.box.setRange(area, padding=0)

    @property
    def _plot_px(self) -> float:
        return max(1.0, float(self.box.height()))

    @property
    def _fitting(self) -> int:
        """Rows there is room for."""
        return max(1, min(ROWS, int((self._plot_px - HEAD_PX) / ROW_PX)))

    def _area(self) -> QRectF:
        """As many rows as fit, under the room for the target."""
        head = self._fitting * HEAD_PX / max(ROW_PX, self._plot_px - HEAD_PX)  # in rows
        return QRectF(0, -0.5 - head, self.scale_ms, self._fitting + head)

    def _name_rows(self, labels: list[str]) -> None:
        if labels != self._labels:
            self._labels = labels
            metrics = self.fontMetrics()
            short = [metrics.elidedText(label, Qt.TextElideMode.ElideRight, LABEL_WIDTH - 6) for label in labels]
            self.names.setTicks([list(enumerate(short))])


def describe_sizes(stage: StageTotal) -> str:
    """How much a stage worked on."""
    named = {
        "tokens": localized("トークン", "tokens"),
        "phones": localized("音素", "phones"),
        "frames": localized("フレーム", "frames"),
        "samples": localized("サンプル", "samples"),
    }
    return ", ".join(f"{getattr(stage, size):,} {named[size]}" for size in SIZES if getattr(stage, size))


def nice_scale(longest_ms: float) -> float:
    """The next round number of milliseconds: the scale moves in steps, not with every bar."""
    wanted = max(longest_ms, SHORTEST_SCALE_MS)
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(step * power for step in (1, 1.5, 2, 3, 5, 7.5, 10) if step * power >= wanted)
