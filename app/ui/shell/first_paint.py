"""Reports when a window was first painted; work that is not visible waits until then, so that it delays no pixel."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

MAX_FIRST_PAINT_MS = 1000  # milliseconds; a window that starts minimised or behind a locked screen is never painted


class FirstPaintWatcher(QObject):
    """Watches a window before it is shown.

    Signals:
        painted(): emitted once, when `is_over` becomes true.
    """

    painted = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.is_over = False  # the window was painted, or the time limit has passed
        self._window = window
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._report_painted)
        window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Start the timer at the first paint."""
        if event.type() == QEvent.Type.Paint:
            # The window's own paint event comes before those of its children; a timer of 0 ms fires after all of them.
            self._timer.start(0)
        elif event.type() == QEvent.Type.Show:
            self._timer.start(MAX_FIRST_PAINT_MS)
        elif event.type() == QEvent.Type.Close:
            self._timer.stop()
        return False

    @Slot()
    def _report_painted(self) -> None:
        self.is_over = True
        self._window.removeEventFilter(self)
        self.painted.emit()
