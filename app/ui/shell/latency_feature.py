"""The latency dock below the lines: folded by its header, and as high as the window has room for."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.ui.latency.latency_dock import LatencyDock
from app.ui.settings.settings_store import RememberedFold
from app.ui.shell.window_context import WindowContext, WindowFeature

TALL_WINDOW_HEIGHT = 800  # window height in pixels; above it the lines have more than enough room
TALL_DOCK_SHARE = 0.35
DOCK_SHARE = 0.2  # share of the window's height at first, as most of the room belongs to the lines
MIN_DOCK_HEIGHT = 152
LOW_WINDOW_HEIGHT = 780  # window height in pixels below which the lines need the room, above all under a banner
LAYOUT_EVENTS = (QEvent.Type.Resize, QEvent.Type.LayoutRequest)


class LatencyFeature(WindowFeature):
    """Keeps the dock as high and as open as the user left it.

    Args:
        dock: the dock, already in the window.
        above: the widget above the dock, which gives up its height to the dock.
    """

    def __init__(self, context: WindowContext, dock: LatencyDock, above: QWidget) -> None:
        super().__init__(context)
        self.dock, self._above, self._window = dock, above, context.window
        self.fold = RememberedFold(dock, dock, context.settings, "latency", LOW_WINDOW_HEIGHT)
        self.fold.folded.connect(lambda is_open: self._choose_height() if is_open else None)
        # Pixels to which the user drags it; 0 until the dock was visible.
        self._chosen_height = 0
        # A timer of 0 ms, as the heights are final only after everything was laid out.
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._restore_chosen_height)
        for widget in (dock, above):
            widget.installEventFilter(self)

    def restore_height(self) -> None:
        """Set the height of the dock at the first start."""
        # Qt ignores the size of a dock before the window is shown.
        if not self._context.settings.value.layout:
            self._choose_height()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Check the height after every layout."""
        if event.type() in LAYOUT_EVENTS and self._window.isVisible():
            self._timer.start()
        return super().eventFilter(watched, event)

    @Slot()
    def _restore_chosen_height(self) -> None:
        dock = self.dock
        if dock.isFloating() or not dock.isVisible() or not dock.is_open:
            return
        is_dragging = QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton
        if is_dragging or not self._chosen_height:
            self._chosen_height = dock.height()
            return
        spare = self._above.height() - self._above.minimumSizeHint().height()
        if dock.height() < self._chosen_height and spare > 0:
            self._set_height(min(self._chosen_height, dock.height() + spare))

    def _choose_height(self) -> None:
        """Set the height that suits the dock in this window."""
        # A lower maximum means that the dock is folded.
        if self.dock.maximumHeight() > MIN_DOCK_HEIGHT:
            height = self._window.height()
            share = height * DOCK_SHARE + max(0, height - TALL_WINDOW_HEIGHT) * TALL_DOCK_SHARE
            self._set_height(min(self.dock.sizeHint().height(), max(MIN_DOCK_HEIGHT, round(share))))

    def _set_height(self, height: int) -> None:
        self._window.resizeDocks([self.dock], [height], Qt.Orientation.Vertical)
