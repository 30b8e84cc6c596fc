"""Gives the dock its height back once the widget that took it is gone: Qt only ever shrinks a dock."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow, QWidget

from app.ui.latency.latency_dock import LatencyDock

LAYOUT_EVENTS = (QEvent.Type.Resize, QEvent.Type.LayoutRequest)


class DockHeightKeeper(QObject):
    """Watches a dock and remembers the height that the user drags it to.

    Attributes:
        wanted: height in pixels; 0 until the dock was visible.

    Args:
        above: the widget above the dock, which gives up its height to the dock.
    """

    def __init__(self, window: QMainWindow, dock: LatencyDock, above: QWidget) -> None:
        super().__init__(window)
        self._window, self._dock, self._above = window, dock, above
        self.wanted = 0
        # A timer of 0 ms, as the heights are final only after everything was laid out.
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._restore_height)
        for widget in (dock, above):
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Check the height after every layout."""
        if event.type() in LAYOUT_EVENTS and self._window.isVisible():
            self._timer.start()
        return super().eventFilter(watched, event)

    @Slot()
    def _restore_height(self) -> None:
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
