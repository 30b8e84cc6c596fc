"""Where every millisecond goes: bars at the left, how it has gone in the middle, figures at the right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QDockWidget, QFileDialog, QFrame, QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from app.data_file import write_whole
from app.errors import OutputFileError
from app.language import localized
from app.system_errors import reason_of
from app.ui.latency.chart import LatencyChart
from app.ui.latency.export import as_csv
from app.ui.latency.legend import LatencyLegend
from app.ui.latency.table import LatencyTable
from app.ui.latency.trend import LatencyTrend
from app.ui.synthesis.measurements import LatencyHistory, Utterance
from app.ui.theme.theme import Theme

MARGIN, ABOVE = 14, 6  # pixels beside everything, and over the legend of a picture
SHARP = 2  # pixels of a picture for each of the screen


class LatencyDock(QDockWidget):
    """Chart, trend and table of a history.

    Signals:
        failed(AppError): the measurements could not be written.
    """

    failed = Signal(object)

    def __init__(self, history: LatencyHistory, theme: Theme) -> None:
        super().__init__(localized("処理時間", "Latency"))
        self.setObjectName("latency")
        self.setAllowedAreas(Qt.DockWidgetArea.BottomDockWidgetArea | Qt.DockWidgetArea.TopDockWidgetArea)
        self._history = history
        self._was_live = False
        self.chart = LatencyChart(theme)
        self.trend = LatencyTrend(theme)
        self.table = LatencyTable(theme)
        self.legend = LatencyLegend(theme)
        self.setTitleBarWidget(self._title())
        self.setWidget(self._body())
        self.show_figures()

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self.chart.set_theme(theme)
        self.legend.set_theme(theme)
        self.trend.set_theme(theme)
        self.table.figures.set_theme(theme)

    def show_live(self, live: tuple[Utterance, float] | None) -> None:
        """Draws the bars as they are now; while nothing is computed there is nothing to draw."""
        if self.isVisible() and not self.pause.isChecked() and (live is not None or self._was_live):
            self.chart.refresh(self._history, live)
        self._was_live = live is not None

    @Slot()
    def show_figures(self) -> None:
        """Reads everything again, unless it is paused."""
        if self.pause.isChecked():
            return
        self.chart.refresh(self._history, None)
        self.legend.show_stages(self._history.stages)
        self.trend.show_history(self._history)
        self.table.figures.show(self._history)

    @Slot()
    def clear(self) -> None:
        """Forgets what is finished."""
        self._history.clear()
        self.pause.setChecked(False)
        self.show_figures()

    def write_csv(self, file: Path) -> None:
        """Writes all measurements; `failed` says where that is not possible."""
        self._write(file, as_csv(self._history).encode("utf-8", "surrogatepass"))

    def write_picture(self, file: Path) -> None:
        """Writes what is shown as a PNG, legend and all, in fine pixels; `failed` says where that is not possible."""
        body, legend = self.widget(), self.legend
        head = legend.height() + 2 * ABOVE
        picture = QPixmap(QSize(body.width(), head + body.height()) * SHARP)
        picture.setDevicePixelRatio(SHARP)
        picture.fill(body.palette().color(body.backgroundRole()))
        legend.render(picture, QPoint(MARGIN, ABOVE))
        body.render(picture, QPoint(0, head))
        if not picture.save(str(file), "PNG"):
            self.failed.emit(_unwritable(file, ""))

    def _write(self, file: Path, content: bytes) -> None:
        try:
            write_whole(file, content)
        except OSError as exc:
            self.failed.emit(_unwritable(file, reason_of(exc)))

    def _body(self) -> QWidget:
        """One card with three parts."""
        card = QFrame()
        card.setObjectName("card")
        row = QHBoxLayout(card)
        row.setContentsMargins(8, 4, 4, 4)
        row.setSpacing(4)
        row.addWidget(self.chart, 1)
        for part in (self.trend, self.table):
            edge = QFrame()
            edge.setObjectName("edge")
            row.addWidget(edge)
            row.addWidget(part)
        body = QWidget()
        whole = QHBoxLayout(body)
        whole.setContentsMargins(MARGIN, 0, MARGIN, 8)
        whole.addWidget(card)
        return body

    def _title(self) -> QWidget:
        bar = QWidget()
        name = QLabel(self.windowTitle())
        name.setObjectName("heading")
        self.pause = _button(
            localized("一時停止", "Pause"), localized("グラフの更新を止めます。計測は続きます。", "Pauses the chart; measuring continues.")
        )
        self.pause.setCheckable(True)
        self.pause.toggled.connect(self.show_figures)
        self.export = _button(
            localized("書き出す", "Export"),
            localized("計測値を CSV、グラフを PNG に書き出します。", "Exports the figures as CSV or the chart as PNG."),
        )
        menu = QMenu(self.export)
        menu.addAction(localized("表（CSV）…", "Table (CSV)…")).triggered.connect(self._ask_csv)
        menu.addAction(localized("画像（PNG）…", "Image (PNG)…")).triggered.connect(self._ask_picture)
        self.export.setMenu(menu)
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        clear = _button(localized("消去", "Clear"), localized("グラフと表を消去します。", "Clears the chart and the table."))
        clear.setAccessibleName(localized("処理時間の記録を消去", "Clear the measurements"))
        clear.clicked.connect(self.clear)
        row = QHBoxLayout(bar)
        row.setContentsMargins(MARGIN, 2, 10, 2)
        row.setSpacing(6)
        row.addWidget(name)
        row.addSpacing(10)
        row.addWidget(self.legend, 1)
        for button in (self.pause, self.export, clear):
            row.addWidget(button)
        return bar

    @Slot()
    def _ask_csv(self) -> None:
        self._ask("csv", self.write_csv)

    @Slot()
    def _ask_picture(self) -> None:
        self._ask("png", self.write_picture)

    def _ask(self, suffix: str, write: Callable[[Path], None]) -> None:
        start = Path.home() / f"koebako-latency.{suffix}"
        name, _ = QFileDialog.getSaveFileName(self, self.export.text(), str(start), f"{suffix.upper()} (*.{suffix})")
        if name:
            write(Path(name) if Path(name).suffix else Path(f"{name}.{suffix}"))


def _button(name: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(name)
    button.setAccessibleName(name)
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def _unwritable(file: Path, reason: str) -> OutputFileError:
    why = localized(f"：{reason}", f": {reason}") if reason else ""
    return OutputFileError(
        localized(f"「{file}」に書き出せません{why}。", f"“{file}” could not be written{why}."),
        localized("フォルダーに書き込めるか確認してください。", "Check that the folder is writable."),
    )
