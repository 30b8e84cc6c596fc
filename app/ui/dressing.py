"""Puts a look on everything in the window, in three pieces: together they would hold it up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from app.ui.theme import LIGHT, Theme, put_on, take_off

if TYPE_CHECKING:
    from app.ui.window import MainWindow

BREATH_MS = 5  # in which other things of the window have their turn


class Dressing(QObject):
    """The look of a window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._theme = window, LIGHT

    def show(self, theme: Theme) -> None:
        """Puts a theme on; what is seen keeps its look until all of the new one is there, a moment later."""
        self._theme = theme
        for window in QApplication.topLevelWidgets():
            window.setUpdatesEnabled(False)
        take_off(_application())
        self._go_on(self._dress)

    @Slot()
    def _dress(self) -> None:
        put_on(_application(), self._theme)
        self._go_on(self._draw)

    @Slot()
    def _draw(self) -> None:
        window = self._window
        window.latency.set_theme(self._theme)
        window.script.set_theme(self._theme)
        window.strip.panel.set_theme(self._theme)
        window.deeds.draw(QColor(self._theme.text))
        for shown in QApplication.topLevelWidgets():
            shown.setUpdatesEnabled(True)

    def _go_on(self, piece: Callable[[], None]) -> None:
        if self._window.isVisible():
            QTimer.singleShot(BREATH_MS, self, piece)
        else:
            piece()


def _application() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app
