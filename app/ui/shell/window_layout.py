"""Positions and sizes of the parts of the window, and the height of the latency dock below the lines."""

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QDockWidget,
    QMainWindow,
    QMenuBar,
    QSplitter,
    QStatusBar,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from app.common.language import localize
from app.settings.user_settings import Settings
from app.ui.latency.latency_dock import LatencyDock
from app.ui.settings.settings_store import RememberedFold
from app.ui.shell.window_context import WindowContext, WindowFeature

DEFAULT_WINDOW_SIZE = (1280, 800)
SPLITTER_GAP = 9  # pixels between the columns; the gap is also where the mouse can take hold of the edge


class ColumnSplitter(QSplitter):
    """Gives a larger window's extra width to the left column; the right one keeps the width it was dragged to.

    Signals:
        dragged(): the width was changed.

    Args:
        default_width: width in pixels of the right column without a dragged width.
    """

    dragged = Signal()

    def __init__(self, left: QWidget, right: QWidget, default_width: int, side_width: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        # side_width: width in pixels of the right column as dragged; 0 for the default.
        self.side_width, self._usual = side_width, default_width
        self.setHandleWidth(SPLITTER_GAP)
        self.setChildrenCollapsible(False)
        self.addWidget(left)
        self.addWidget(right)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        edge = self.handle(1)
        edge.setToolTip(localize("ドラッグで幅を変更します。ダブルクリックでリセットします。", "Drag to resize, double-click to reset."))
        edge.installEventFilter(self)
        self.splitterMoved.connect(self._store_width)

    def showEvent(self, event: QShowEvent) -> None:
        """Divide the width."""
        # The width of the splitter is known only once it is shown.
        super().showEvent(event)
        self._divide_width(self.side_width or self._usual)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Restore the default width on a double click."""
        if event.type() == QEvent.Type.MouseButtonDblClick:
            self._divide_width(self._usual)
            self.side_width = 0
            self.dragged.emit()
            return True
        return super().eventFilter(watched, event)

    def _divide_width(self, width: int) -> None:
        self.setSizes([max(1, self.width() - width - SPLITTER_GAP), width])

    @Slot()
    def _store_width(self) -> None:
        self.side_width = self.sizes()[1]
        self.dragged.emit()


def lay_out_window(
    window: QMainWindow,
    columns: QWidget,
    menus: QMenuBar,
    tools: QToolBar,
    status: QStatusBar,
    dock: QDockWidget,
    settings: Settings,
) -> None:
    """Put the widgets in their places and restore their sizes."""
    body = QWidget()
    column = QVBoxLayout(body)
    # The right margin is narrow because the scroll bar takes the rest of it.
    column.setContentsMargins(14, 4, 2, 8)
    column.setSpacing(8)
    column.addWidget(columns, 1)
    # The central widget is set first, as the tab order follows the order of these calls.
    window.setCentralWidget(body)
    window.setMenuBar(menus)
    window.addToolBar(tools)
    window.setStatusBar(status)
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    if not window.restoreGeometry(QByteArray.fromBase64(settings.geometry.encode())):
        window.resize(*DEFAULT_WINDOW_SIZE)
    # A maximised window keeps the size to which it returns; the system makes it as large as the screen.
    if not window.isMaximized():
        window.resize(window.size().boundedTo(window.screen().availableSize()).expandedTo(window.minimumSizeHint()))
    window.restoreState(QByteArray.fromBase64(settings.layout.encode()))


def keep_window_on_screen(window: QMainWindow, opened_size: QSize) -> None:
    """Shrink and move a window that has the size it opened with, so that its frame is on the screen; it may have been closed on a larger one."""
    # The size of the frame is known only once the window is shown.
    room, frame = window.screen().availableGeometry(), window.frameGeometry()
    if window.size() != opened_size or window.isMaximized() or window.isFullScreen() or room.contains(frame):
        return
    edges = frame.size() - window.size()
    window.resize(window.size().boundedTo(room.size() - edges))
    free = room.size() - window.size() - edges
    window.move(
        room.left() + max(0, min(frame.left() - room.left(), free.width())),
        room.top() + max(0, min(frame.top() - room.top(), free.height())),
    )


TALL_WINDOW_HEIGHT = 800  # window height in pixels; above it the lines have more than enough room
TALL_DOCK_SHARE = 0.35
DOCK_SHARE = 0.2  # share of the window's height at first, as most of the room belongs to the lines
MIN_DOCK_HEIGHT = 180
LOW_WINDOW_HEIGHT = 780  # window height in pixels below which the lines need the room
LAYOUT_EVENTS = (QEvent.Type.Resize, QEvent.Type.LayoutRequest)


class LatencyFeature(WindowFeature):
    """Keeps the dock as high and as open as the user left it.

    Args:
        dock: the dock, already in the window.
        above: the widget above the dock, which gives up its height to the dock.
        button: the button that opens and closes the dock; it is checked while the dock is open.
    """

    def __init__(self, context: WindowContext, dock: LatencyDock, above: QWidget, button: QAbstractButton) -> None:
        super().__init__(context)
        self.dock, self._above, self._window = dock, above, context.window
        self._chosen_height = 0  # pixels to which the user drags it; 0 until the dock was visible
        self.fold = RememberedFold(dock, dock, context.settings, "latency", LOW_WINDOW_HEIGHT)
        self.fold.folded.connect(lambda is_open: self._choose_height() if is_open and not self._chosen_height else None)
        button.setChecked(dock.is_open)
        button.clicked.connect(dock.set_open)
        dock.toggled.connect(button.setChecked)
        # A timer of 0 ms, as the heights are final only after everything was laid out.
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._restore_chosen_height)
        for widget in (dock, above):
            widget.installEventFilter(self)

    def restore_height(self) -> None:
        """Set the height of the dock at the first start."""
        # Qt ignores the size of a dock before the window is shown.
        if self.dock.is_open and not self._context.settings.value.layout:
            self._choose_height()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Check the height after every layout."""
        if event.type() in LAYOUT_EVENTS and self._window.isVisible():
            self._timer.start()
        return super().eventFilter(watched, event)

    @Slot()
    def _restore_chosen_height(self) -> None:
        dock = self.dock
        if dock.isFloating() or not dock.isVisible():
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
        height = self._window.height()
        share = height * DOCK_SHARE + max(0, height - TALL_WINDOW_HEIGHT) * TALL_DOCK_SHARE
        self._set_height(min(self.dock.sizeHint().height(), max(MIN_DOCK_HEIGHT, round(share))))

    def _set_height(self, height: int) -> None:
        self._window.resizeDocks([self.dock], [height], Qt.Orientation.Vertical)
