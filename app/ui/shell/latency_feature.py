"""The latency dock below the lines: folded by its header, and as high as the window has room for."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from app.ui.latency.latency_dock import LatencyDock
from app.ui.settings.remembered_fold import RememberedFold
from app.ui.settings.settings_store import SettingsStore

# Window height in pixels; above it the lines have more than enough room.
TALL_WINDOW_HEIGHT = 800
TALL_DOCK_SHARE = 0.35
# Share of the window's height at first, as most of the room belongs to the lines.
DOCK_SHARE = 0.2
MIN_DOCK_HEIGHT = 152
# Window height in pixels below which the lines need the room, above all under a banner.
LOW_WINDOW_HEIGHT = 780
LAYOUT_EVENTS = (QEvent.Type.Resize, QEvent.Type.LayoutRequest)


class LatencyFeature(QObject):
    """Keeps the dock as high and as open as the user left it.

    Attributes:
        dock: the measurements.

    Args:
        dock: the dock, already in the window.
        above: the widget above the dock, which gives up its height to the dock.
    """

    def __init__(self, *, window: QMainWindow, dock: LatencyDock, above: QWidget, settings: SettingsStore) -> None:
        super().__init__(window)
        self._window, self._settings = window, settings
        self.dock = dock
        self.height_keeper = DockHeightKeeper(window, dock, above)
        self.fold = LatencyFold(window, dock, settings)

    def restore_height(self) -> None:
        """Set the height of the dock at the first start."""
        # Qt ignores the size of a dock before the window is shown.
        if not self._settings.value.layout:
            resize_dock(self._window, self.dock)


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


class LatencyFold(RememberedFold):
    """Keeps dock and settings in step, and resizes a dock that the user opens."""

    def __init__(self, window: QMainWindow, dock: LatencyDock, settings: SettingsStore) -> None:
        super().__init__(dock, dock, settings, "latency", LOW_WINDOW_HEIGHT)
        self._window, self._dock = window, dock
        self.folded.connect(self._apply_dock_share)

    @Slot(bool)
    def _apply_dock_share(self, is_open: bool) -> None:
        if is_open:
            resize_dock(self._window, self._dock)


def resize_dock(window: QMainWindow, dock: QDockWidget) -> None:
    """Set the height that suits a dock in this window."""
    # A lower maximum means that the dock is folded.
    if dock.maximumHeight() > MIN_DOCK_HEIGHT:
        wanted = window.height() * DOCK_SHARE + max(0, window.height() - TALL_WINDOW_HEIGHT) * TALL_DOCK_SHARE
        room = min(dock.sizeHint().height(), max(MIN_DOCK_HEIGHT, round(wanted)))
        window.resizeDocks([dock], [room], Qt.Orientation.Vertical)
