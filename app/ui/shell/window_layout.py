"""Positions and sizes of the parts of the window."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtWidgets import QDockWidget, QLayout, QMainWindow, QMenuBar, QStatusBar, QToolBar, QVBoxLayout, QWidget

from app.settings.user_settings import Settings

DEFAULT_WINDOW_SIZE = (1280, 800)
NO_FRAME = QSize(0, 0)
# Window height in pixels; above it the lines have more than enough room.
TALL_WINDOW_HEIGHT = 800
TALL_DOCK_SHARE = 0.35
# Share of the window's height at first, as most of the room belongs to the lines.
DOCK_SHARE = 0.2
MIN_DOCK_HEIGHT = 152


def lay_out_window(
    window: QMainWindow,
    messages: QLayout,
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
    # The scroll bar at the right lies in the margin.
    column.setContentsMargins(14, 4, 2, 8)
    column.setSpacing(8)
    column.addLayout(messages)
    column.addWidget(columns, 1)
    # The central widget is set first, as the tab order follows the order of these calls.
    window.setCentralWidget(body)
    window.setMenuBar(menus)
    window.addToolBar(tools)
    window.setStatusBar(status)
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    if not window.restoreGeometry(QByteArray.fromBase64(settings.geometry.encode())):
        window.resize(choose_first_size(window))
    # The window may have been closed on a larger screen.
    window.resize(window.size().boundedTo(window.screen().availableSize()))
    window.restoreState(QByteArray.fromBase64(settings.layout.encode()))


def choose_first_size(window: QMainWindow, frame: QSize = NO_FRAME) -> QSize:
    """Return the largest size that the screen allows beside the window's frame."""
    return QSize(*DEFAULT_WINDOW_SIZE).boundedTo(window.screen().availableSize() - frame).expandedTo(window.minimumSizeHint())


def keep_window_on_screen(window: QMainWindow, settings: Settings) -> None:
    """Shrink a first window so that its frame fits the screen as well."""
    # The size of the frame is known only once the window is shown.
    if not settings.geometry and window.size() == choose_first_size(window):
        window.resize(choose_first_size(window, window.frameGeometry().size() - window.size()))


def restore_dock_height(window: QMainWindow, dock: QDockWidget, settings: Settings) -> None:
    """Set the height of the dock at the first start."""
    # Qt ignores the size of a dock before the window is shown.
    if not settings.layout:
        resize_dock(window, dock)


def resize_dock(window: QMainWindow, dock: QDockWidget) -> None:
    """Set the height that suits a dock in this window."""
    # A lower maximum means that the dock is folded.
    if dock.maximumHeight() > MIN_DOCK_HEIGHT:
        wanted = window.height() * DOCK_SHARE + max(0, window.height() - TALL_WINDOW_HEIGHT) * TALL_DOCK_SHARE
        room = min(dock.sizeHint().height(), max(MIN_DOCK_HEIGHT, round(wanted)))
        window.resizeDocks([dock], [room], Qt.Orientation.Vertical)
