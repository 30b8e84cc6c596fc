"""Where every millisecond goes: bars at the left, figures at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget

from app.language import say
from app.ui.latency import LatencyHistory, Utterance
from app.ui.theme import Theme
from app.ui.widgets.latency_chart import LatencyChart
from app.ui.widgets.latency_table import LatencyTable


class LatencyDock(QDockWidget):
    """Chart and table of a history."""

    def __init__(self, history: LatencyHistory, theme: Theme) -> None:
        super().__init__(say("レイテンシー", "Latency"))
        self.setObjectName("latency")
        self.setAllowedAreas(Qt.DockWidgetArea.BottomDockWidgetArea | Qt.DockWidgetArea.TopDockWidgetArea)
        self._history = history
        self._was_live = False
        self.chart = LatencyChart(theme)
        self.table = LatencyTable(theme)
        self.setTitleBarWidget(self._title())
        body = QWidget()
        row = QHBoxLayout(body)
        row.setContentsMargins(14, 0, 14, 8)
        row.setSpacing(8)
        row.addWidget(self.chart, 1)
        row.addWidget(self.table)
        self.setWidget(body)
        self.show_figures()

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self.chart.set_theme(theme)
        self.table.figures.set_theme(theme)

    def show_live(self, live: tuple[Utterance, float] | None) -> None:
        """Draws the bars as they are now; while nothing is computed there is nothing to draw."""
        if self.isVisible() and (live is not None or self._was_live):
            self.chart.refresh(self._history, live)
        self._was_live = live is not None

    @Slot()
    def show_figures(self) -> None:
        """Reads bars and table anew."""
        self.chart.refresh(self._history, None)
        self.table.figures.show(self._history)

    @Slot()
    def clear(self) -> None:
        """Forgets what is finished."""
        self._history.clear()
        self.show_figures()

    def _title(self) -> QWidget:
        bar = QWidget()
        name = QLabel(self.windowTitle())
        name.setObjectName("heading")
        legend = QLabel(say("▾ 最初の音　▨ キャッシュから再利用　淡色は初回", "▾ first audio   ▨ from the cache   pale: first run"))
        legend.setObjectName("muted")
        clear = QToolButton()
        clear.setText(say("消去", "Clear"))
        clear.setToolTip(say("グラフと表を空にします。", "Empties the chart and the table."))
        clear.setAccessibleName(say("レイテンシーの記録を消去", "Clear the measurements"))
        clear.clicked.connect(self.clear)
        row = QHBoxLayout(bar)
        row.setContentsMargins(14, 2, 10, 2)
        row.setSpacing(16)
        row.addWidget(name)
        row.addWidget(legend)
        row.addStretch(1)
        row.addWidget(clear)
        return bar
