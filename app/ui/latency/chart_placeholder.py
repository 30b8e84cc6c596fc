"""A placeholder for the latency chart.

The chart is made when the placeholder is seen and a voice is ready, so that neither the window nor the first sound waits for pyqtgraph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, QTimer, Signal, Slot
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.synthesis.latency_history import LatencyHistory
from app.ui.synthesis.utterance import Utterance
from app.ui.theme.theme import Theme

if TYPE_CHECKING:
    from app.ui.latency.latency_chart import LatencyChart

# The sizes of the chart itself, so that nothing moves when the chart takes the placeholder's room.
SMALLEST, USUAL = QSize(68, 72), QSize(600, 219)


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
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._make_chart)
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)

    @property
    def chart(self) -> LatencyChart:
        """Return the chart, making it now where it does not exist yet."""
        if self._chart is None:
            # In the GUI thread: pyqtgraph makes Qt's classes, and imported in another thread it crashed 3 of 25 starts.
            from app.ui.latency.latency_chart import LatencyChart

            self._chart = LatencyChart(self._theme)
            self._whole.addWidget(self._chart)
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
