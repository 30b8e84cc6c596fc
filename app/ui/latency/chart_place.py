"""Where the chart stands: it is made when this is seen and a voice is ready, so that neither the window nor the first sound waits for pyqtgraph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, QTimer, Signal, Slot
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.synthesis.measurements import LatencyHistory
from app.ui.synthesis.utterance import Utterance
from app.ui.theme.theme import Theme

if TYPE_CHECKING:
    from app.ui.latency.chart import LatencyChart

SMALLEST, USUAL = QSize(68, 72), QSize(600, 219)  # as the chart's


class ChartPlace(QWidget):
    """As large as the chart will be; a chart that is not there yet draws nothing.

    Signals:
        filled(): the chart is there, still empty.
    """

    filled = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setMinimumSize(SMALLEST)
        self._theme = theme
        self._chart: LatencyChart | None = None
        self._begun = False
        self._timer = QTimer(self)  # as `FirstPaint` has one, whose turn comes before: a single shot would overtake it
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._fill)
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)

    @property
    def chart(self) -> LatencyChart:
        """The chart, made now if it is not there yet."""
        if self._chart is None:
            from app.ui.latency.chart import LatencyChart  # in this thread: pyqtgraph makes Qt's classes, in another one they crash

            self._chart = LatencyChart(self._theme)
            self._whole.addWidget(self._chart)
            self.filled.emit()
        return self._chart

    def begin(self) -> None:
        """Makes the chart from now on, when this is seen. Before, its import would take a tenth of the time in which the first voice gets ready."""
        if not self._begun:
            self._begun = True
            self.update()

    def sizeHint(self) -> QSize:
        """That of an empty chart."""
        return USUAL

    def paintEvent(self, event: QPaintEvent) -> None:
        """Makes the chart after the paint that shows its place."""
        if self._chart is None and self._begun:
            self._timer.start()
        super().paintEvent(event)

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self._theme = theme
        if self._chart is not None:
            self._chart.set_theme(theme)

    def refresh(self, history: LatencyHistory, live: tuple[Utterance, float] | None) -> None:
        """As `LatencyChart.refresh`."""
        if self._chart is not None:
            self._chart.refresh(history, live)

    @Slot()
    def _fill(self) -> None:
        if self.isVisible() and self._chart is None:
            _ = self.chart
