"""Where everything in the window lies."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtWidgets import QDockWidget, QLayout, QMainWindow, QMenuBar, QStatusBar, QToolBar, QVBoxLayout, QWidget

from app.settings import Settings

FIRST_SIZE = (1280, 800)
NO_FRAME = QSize(0, 0)
TALL = 800  # pixels above which there is more than enough for the lines
TALL_SHARE = 0.35
DOCK_SHARE = 0.2  # of the window at first; most of the room belongs to the lines
LOWEST_DOCK = 152


def lay_out(
    window: QMainWindow,
    messages: QLayout,
    columns: QWidget,
    menus: QMenuBar,
    tools: QToolBar,
    status: QStatusBar,
    dock: QDockWidget,
    settings: Settings,
) -> None:
    """Puts the widgets in their places, and back to the sizes they had."""
    body = QWidget()
    column = QVBoxLayout(body)
    column.setContentsMargins(14, 4, 2, 8)  # the scroll bar at the right stands in the margin
    column.setSpacing(8)
    column.addLayout(messages)
    column.addWidget(columns, 1)
    window.setCentralWidget(body)  # first, for Tab goes through the parts in this order
    window.setMenuBar(menus)
    window.addToolBar(tools)
    window.setStatusBar(status)
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    if not window.restoreGeometry(QByteArray.fromBase64(settings.geometry.encode())):
        window.resize(first_size(window))
    window.resize(window.size().boundedTo(window.screen().availableSize()))  # it may have been left on a larger one
    window.restoreState(QByteArray.fromBase64(settings.layout.encode()))


def first_size(window: QMainWindow, frame: QSize = NO_FRAME) -> QSize:
    """As large as the screen allows beside what the window's frame takes."""
    return QSize(*FIRST_SIZE).boundedTo(window.screen().availableSize() - frame).expandedTo(window.minimumSizeHint())


def keep_on_screen(window: QMainWindow, settings: Settings) -> None:
    """Makes room for the window's frame at the first start; how much that takes is known once the window is seen."""
    if not settings.geometry and window.size() == first_size(window):
        window.resize(first_size(window, window.frameGeometry().size() - window.size()))


def share_out(window: QMainWindow, dock: QDockWidget, settings: Settings) -> None:
    """Gives the dock its room, once the window is shown: before, a dock takes no size."""
    if not settings.layout:
        give_share(window, dock)


def give_share(window: QMainWindow, dock: QDockWidget) -> None:
    """The height that suits a dock in this window."""
    if dock.maximumHeight() > LOWEST_DOCK:  # else it is folded
        wanted = window.height() * DOCK_SHARE + max(0, window.height() - TALL) * TALL_SHARE
        room = min(dock.sizeHint().height(), max(LOWEST_DOCK, round(wanted)))
        window.resizeDocks([dock], [room], Qt.Orientation.Vertical)
