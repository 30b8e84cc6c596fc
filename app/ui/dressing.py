"""Puts a look on everything in the window, in two pieces: together they would hold it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from app.ui.theme import LIGHT, Theme, apply_theme

if TYPE_CHECKING:
    from app.ui.window import MainWindow

BREATH_MS = 5  # in which other things of the window have their turn


class Dressing(QObject):
    """The look of a window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._theme = window, LIGHT

    def show(self, theme: Theme) -> None:
        """Sets all colours now; a window that is seen is drawn with them a moment later."""
        app, window, self._theme = QApplication.instance(), self._window, theme
        assert isinstance(app, QApplication)
        window.setUpdatesEnabled(False)
        apply_theme(app, theme)
        window.latency.set_theme(theme)
        window.script.set_theme(theme)
        window.strip.panel.set_theme(theme)
        if window.isVisible():
            QTimer.singleShot(BREATH_MS, self, self._draw)
        else:
            self._draw()

    @Slot()
    def _draw(self) -> None:
        self._window.deeds.draw(QColor(self._theme.text))
        self._window.setUpdatesEnabled(True)
