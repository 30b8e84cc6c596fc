"""A timer for widgets that poll a value only while they are visible."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget


class VisibilityTimer(QTimer):
    """Calls `callback` when its widget is shown, and every `interval_ms` ms until it is hidden."""

    def __init__(self, widget: QWidget, interval_ms: int, callback: Callable[[], None]) -> None:
        super().__init__(widget)
        self.setInterval(interval_ms)
        self.timeout.connect(callback)
        self._look = callback
        widget.installEventFilter(self)

    def eventFilter(self, _widget: QObject, event: QEvent) -> bool:
        """Start and stop with the visibility of the widget."""
        if event.type() == QEvent.Type.Show:
            self._look()
            self.start()
        elif event.type() == QEvent.Type.Hide:
            self.stop()
        return False
