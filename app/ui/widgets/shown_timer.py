"""Widgets that look at something again and again need to do so only while somebody sees them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget


class ShownTimer(QTimer):
    """Calls `look` when its widget is shown, and again and again until it is hidden."""

    def __init__(self, widget: QWidget, every_ms: int, look: Callable[[], None]) -> None:
        super().__init__(widget)
        self.setInterval(every_ms)
        self.timeout.connect(look)
        self._look = look
        widget.installEventFilter(self)

    def eventFilter(self, _widget: QObject, event: QEvent) -> bool:
        """Watches the widget come and go."""
        if event.type() == QEvent.Type.Show:
            self._look()
            self.start()
        elif event.type() == QEvent.Type.Hide:
            self.stop()
        return False
