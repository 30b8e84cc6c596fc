"""The title bar of the latency dock: says how fast the first sound was, explains the colours, pauses, exports, clears and closes."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QHelpEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QToolTip, QVBoxLayout, QWidget

from app.common.language import localize
from app.common.stages import find_stage_label
from app.ui.latency.latency_summary import MemoryLabel, describe_first_audio, describe_newest_figures, explain_figures
from app.ui.synthesis.latency_history import CPU_TARGET_MS, GPU_TARGET_MS, LatencyHistory
from app.ui.theme.theme import Theme, ThemedWidget, draw_icon
from app.ui.widgets.controls import ElidedLabel, PlainLabel, create_tool_button, describe_control, escape_tip, fill_box
from app.ui.widgets.painting import paint_cache_mark

TITLE_MARGIN_PX = 14  # between the edge of the dock and its content

CHIP, GAP, BETWEEN, CLOSEST = 9.0, 5.0, 13.0, 5.0
FIRST_AUDIO, CACHED, COLD, TARGET = "first_audio", "cached", "cold", "target"


def describe_targets() -> str:
    targets = f"{CPU_TARGET_MS:.0f} ms", f"{GPU_TARGET_MS:.0f} ms"
    return localize(
        "目標は、短い文を待たずに聞ける処理時間の目安です。\n"
        f"合計は CPU で {targets[0]}、デバイスで {targets[1]} です。\n"
        "長い文では超えることがあります。合成の動作は変わりません。",
        "How long processing may take if a short sentence is to be heard without a noticeable wait:\n"
        f"{targets[0]} in all on the CPU, {targets[1]} on a device.\n"
        "Long sentences may exceed it. It does not change the synthesis.",
    )


class LatencyLegend(QWidget):
    """One row of chips and names: first the marks, then the voice's stages."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._stages: tuple[str, ...] = ()
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)
        self.setFont(font)
        self.setWhatsThis(describe_targets())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._theme = theme
        self.update()

    def show_stages(self, stages: Sequence[str]) -> None:
        if tuple(stages) != self._stages:
            self._stages = tuple(stages)
            self.setAccessibleName(localize("凡例: ", "Legend: ") + localize("、", ", ").join(name for _, name in self._iterate_entries()))
            self.update()

    def event(self, event: QEvent) -> bool:
        """Explain the target in a tooltip over its name."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), escape_tip(self.describe_at(event.pos().x())), self)
            return True
        return super().event(event)

    def describe_at(self, x: float) -> str:
        """Return the tooltip at this pixel; only the target needs one."""
        reached = [key for key, _, left in self.list_fitting_entries() if left <= x]
        return describe_targets() if reached and reached[-1] == TARGET else ""

    def sizeHint(self) -> QSize:
        """Return no width of its own, so that the legend takes the space there is."""
        return QSize(0, self.fontMetrics().height() + 4)

    def list_fitting_entries(self) -> list[tuple[str, str, float]]:
        """Return a mark or stage, its name, and its left edge (pixels), for all that fit."""
        entries = [(key, name, CHIP + GAP + self.fontMetrics().horizontalAdvance(name)) for key, name in self._iterate_entries()]
        spare = self.width() - sum(width for _, _, width in entries)
        # Entries move closer together, so that more of them fit.
        between = min(BETWEEN, max(CLOSEST, spare / max(1, len(entries) - 1)))
        left, fitting = 0.0, []
        for key, name, width in entries:
            if left + width > self.width():
                break
            fitting.append((key, name, left))
            left += width + between
        return fitting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the chips and names."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for key, name, left in self.list_fitting_entries():
            self._paint_mark(painter, key, QRectF(left, (self.height() - CHIP) / 2, CHIP, CHIP))
            painter.setPen(QColor(self._theme.muted))
            room = QRectF(left + CHIP + GAP, 0, self.width(), self.height())
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
        painter.end()

    def _iterate_entries(self) -> Iterator[tuple[str, str]]:
        yield FIRST_AUDIO, localize("最初の音声まで", "To first audio")
        yield CACHED, localize("キャッシュ", "Cached")
        yield COLD, localize("初回", "First run")
        yield TARGET, localize("目標", "Target")
        yield from ((stage, find_stage_label(stage)) for stage in self._stages)

    def _paint_mark(self, painter: QPainter, key: str, chip: QRectF) -> None:
        color = QColor(self._theme.stages.get(key, self._theme.muted))
        painter.setPen(Qt.PenStyle.NoPen)
        if key == FIRST_AUDIO:
            painter.setBrush(QColor(self._theme.text))
            painter.drawPolygon(
                [chip.topLeft() + QPointF(0, 1), chip.topRight() + QPointF(0, 1), QPointF(chip.center().x(), chip.bottom() - 1)]
            )
        elif key == CACHED:
            paint_cache_mark(painter, chip, color)
        elif key == TARGET:
            painter.setPen(QPen(color, 1.4, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(chip.center().x(), chip.top() - 2), QPointF(chip.center().x(), chip.bottom() + 2))
        else:
            color.setAlpha(90 if key == COLD else 255)
            painter.fillRect(chip, color)


class LatencyTitle(ThemedWidget, QWidget):
    """The title bar: what there is to know in a sentence, with what can be done, and below it the legend and the newest figures.

    Signals:
        export_requested(str): A file of this suffix, "csv" or "png", is to be written.
        clear_requested(): The measurements are to be cleared.
        close_requested(): The dock is to be closed.
    """

    export_requested = Signal(str)
    clear_requested = Signal()
    close_requested = Signal()

    def __init__(self, legend: LatencyLegend) -> None:
        super().__init__()
        self.legend = legend
        self.sentence = ElidedLabel("")
        self.figures = PlainLabel("", "muted")
        self.memory = MemoryLabel()
        self.pause = _create_button(
            localize("一時停止", "Pause"), localize("グラフの更新を止めます。計測は続きます。", "Pauses the chart; measuring continues.")
        )
        self.pause.setCheckable(True)
        export = _create_button(
            localize("書き出す", "Export"),
            localize("計測値を CSV、グラフを PNG に書き出します。", "Exports the figures as CSV or the chart as PNG."),
        )
        menu = QMenu(export)
        for label, suffix in ((localize("表（CSV）…", "Table (CSV)…"), "csv"), (localize("画像（PNG）…", "Image (PNG)…"), "png")):
            menu.addAction(label).triggered.connect(lambda _checked, suffix=suffix: self.export_requested.emit(suffix))
        export.setMenu(menu)
        export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        clear = _create_button(localize("消去", "Clear"), localize("グラフと表を消去します。", "Clears the chart and the table."))
        clear.setAccessibleName(localize("処理時間の記録を消去", "Clear the measurements"))
        clear.clicked.connect(self.clear_requested)
        tip = localize("処理時間の表示を閉じます。", "Closes the latency graph.")
        self.close_button = create_tool_button(
            "", tip, self.close_requested.emit, name=localize("処理時間を閉じる", "Close latency"), style=""
        )
        self.close_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        upper = fill_box(QHBoxLayout(), (self.sentence, 1), self.pause, export, clear, self.close_button, spacing=6)
        lower = fill_box(QHBoxLayout(), (legend, 1), self.figures, self.memory, margins=(0, 0, 4, 0), spacing=14)
        fill_box(QVBoxLayout(self), upper, lower, margins=(TITLE_MARGIN_PX, 2, 10, 2), spacing=2)
        self.draw_in_theme()

    def draw_in_theme(self) -> None:
        """Draw the icon of the button that closes."""
        self.close_button.setIcon(draw_icon("close", self.palette().color(QPalette.ColorRole.WindowText)))

    def show_history(self, history: LatencyHistory) -> None:
        """Show the newest line in words and figures."""
        sentence = describe_first_audio(history)
        self.sentence.setText(sentence)
        self.sentence.setToolTip(sentence)
        self.figures.setText(describe_newest_figures(history))
        self.figures.setToolTip(explain_figures(history))


def _create_button(name: str, tip: str) -> QToolButton:
    button = describe_control(QToolButton(), name, tip)
    button.setText(name)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
