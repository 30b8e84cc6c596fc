"""Puts a look on everything in the window, in three pieces: together they would hold it up."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from app.ui.theme import LIGHT, Theme, put_on, take_off

if TYPE_CHECKING:
    from app.ui.window import MainWindow

BREATH_MS = 5  # in which other things of the window have their turn


class Dressing(QObject):
    """The look of a window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._theme = window, LIGHT
        self._piece: Callable[[], None] = self._dress
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._put)

    def show(self, theme: Theme) -> None:
        """Puts a theme on; what is seen keeps its look until all of the new one is there, a moment later. One that is underway is given up."""
        self._theme = theme
        for window in QApplication.topLevelWidgets():
            window.setUpdatesEnabled(False)
        take_off(_application())
        self._go_on(self._dress)

    def _dress(self) -> None:
        put_on(_application(), self._theme)
        self._go_on(self._draw)

    def _draw(self) -> None:
        window = self._window
        window.latency.set_theme(self._theme)
        window.script.set_theme(self._theme)
        window.strip.panel.set_theme(self._theme)
        window.deeds.draw(QColor(self._theme.text))
        for widget in QApplication.allWidgets():
            # Only whoever listens, for Qt itself takes 0.1 ms for each of hundreds; and who is told may take others away.
            if isinstance(type(widget).changeEvent, FunctionType) and isValid(widget):
                QApplication.sendEvent(widget, QEvent(QEvent.Type.ThemeChange))
        for shown in QApplication.topLevelWidgets():
            shown.setUpdatesEnabled(True)

    def _go_on(self, piece: Callable[[], None]) -> None:
        self._piece = piece
        if self._window.isVisible():
            self._timer.start(BREATH_MS)
        else:
            self._put()

    @Slot()
    def _put(self) -> None:
        self._piece()


def _application() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app
