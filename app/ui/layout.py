"""Where everything in the window lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.settings import Settings
from app.ui.theme import chosen_theme

if TYPE_CHECKING:
    from app.ui.window import MainWindow

FIRST_SIZE = (1280, 800)
TALL = 800  # pixels above which there is more than enough for the lines
TALL_SHARE = 0.35
DOCK_SHARE = 0.2  # of the window at first; most of the room belongs to the lines
LOWEST_DOCK = 152


def lay_out(window: MainWindow, settings: Settings) -> None:
    """Puts the widgets in their places, and back to the sizes they had."""
    body = QWidget()
    row = QHBoxLayout(body)
    row.setContentsMargins(14, 4, 2, 8)  # the scroll bar at the right stands in the margin
    row.addWidget(window.columns)
    window.setCentralWidget(body)
    window.setMenuBar(window.menus)
    window.addToolBar(window.edit_bar)
    window.setStatusBar(window.status)
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, window.latency)
    window.menus.view.addAction(window.latency.toggleViewAction())
    if not window.restoreGeometry(QByteArray.fromBase64(settings.geometry.encode())):
        window.resize(QSize(*FIRST_SIZE).boundedTo(window.screen().availableSize()).expandedTo(window.minimumSize()))
    window.restoreState(QByteArray.fromBase64(settings.layout.encode()))
    window.deeds.draw(QColor(chosen_theme(settings.theme).text))
    window.script.setFocus()


def share_out(window: MainWindow, settings: Settings) -> None:
    """Gives dock and strip their room, once the window is shown: before, a dock takes no size."""
    window.strip.fold.fit(window.height())
    if not settings.layout:
        wanted = window.height() * DOCK_SHARE + max(0, window.height() - TALL) * TALL_SHARE
        room = min(window.latency.sizeHint().height(), max(LOWEST_DOCK, round(wanted)))
        window.resizeDocks([window.latency], [room], Qt.Orientation.Vertical)
