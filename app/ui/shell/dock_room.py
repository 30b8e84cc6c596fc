"""The dock has its height back as soon as what took it is gone: Qt only ever takes room from a dock."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow, QWidget

from app.ui.latency.dock import LatencyDock

LAID_OUT = (QEvent.Type.Resize, QEvent.Type.LayoutRequest)


class DockRoom(QObject):
    """Watches a dock; what the user drags it to is what is wanted from then on.

    Attributes:
        wanted: height in pixels; 0 until the dock was seen.

    Args:
        above: what fills the window beside the dock, and gives it its room.
    """

    def __init__(self, window: QMainWindow, dock: LatencyDock, above: QWidget) -> None:
        super().__init__(window)
        self._window, self._dock, self._above = window, dock, above
        self.wanted = 0
        self._timer = QTimer(self)  # heights count once everything was laid out
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._give)
        for widget in (dock, above):
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Looks again whenever something was laid out."""
        if event.type() in LAID_OUT and self._window.isVisible():
            self._timer.start()
        return super().eventFilter(watched, event)

    @Slot()
    def _give(self) -> None:
        dock = self._dock
        if dock.isFloating() or not dock.isVisible() or not dock.is_open:
            return
        dragged = QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton
        if dragged or not self.wanted:
            self.wanted = dock.height()
            return
        spare = self._above.height() - self._above.minimumSizeHint().height()
        if dock.height() < self.wanted and spare > 0:
            self._window.resizeDocks([dock], [min(self.wanted, dock.height() + spare)], Qt.Orientation.Vertical)
