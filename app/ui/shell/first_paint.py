"""When a window is seen for the first time: what nobody sees waits until then, so that it delays no pixel."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

LONGEST_MS = 1000  # a window that starts minimised, or behind a locked screen, is not painted at all


class FirstPaint(QObject):
    """Watches a window that is not shown yet.

    Attributes:
        is_over: the window has been painted, or has had long enough.

    Signals:
        over(): once, when that has come about.
    """

    over = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.is_over = False
        self._window = window
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._end)
        window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """The window itself is painted first, then all that is in it; the timer comes after both."""
        if event.type() == QEvent.Type.Paint:
            self._timer.start(0)
        elif event.type() == QEvent.Type.Show:
            self._timer.start(LONGEST_MS)
        elif event.type() == QEvent.Type.Close:
            self._timer.stop()
        return False

    @Slot()
    def _end(self) -> None:
        self.is_over = True
        self._window.removeEventFilter(self)
        self.over.emit()
