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
DOCK_SHARE = 0.2  # of the window at first; most of the room belongs to the lines
LOWEST_DOCK = 140


def lay_out(window: MainWindow, settings: Settings) -> None:
    """Puts the widgets in their places, and back to the sizes they had."""
    body = QWidget()
    row = QHBoxLayout(body)
    row.setContentsMargins(14, 4, 14, 8)
    row.setSpacing(16)
    row.addWidget(window.left, 1)
    row.addWidget(window.side)
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
        room = min(window.latency.sizeHint().height(), max(LOWEST_DOCK, round(window.height() * DOCK_SHARE)))
        window.resizeDocks([window.latency], [room], Qt.Orientation.Vertical)
