"""Switches the theme of the whole application in three pieces: together they would hold up the window."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from app.settings import Settings
from app.ui.settings.store import SettingsStore
from app.ui.theme.theme import apply_theme, chosen_theme, clear_theme

BREATH_MS = 5  # in which other things of the window have their turn


class ThemeSwitcher(QObject):
    """Applies the theme of the settings, or of the system, whenever it changes.

    Signals:
        applied(Theme): palette and style sheet are there; widgets that draw with the theme's own colours update now.
    """

    applied = Signal(object)

    def __init__(self, application: QApplication, settings: SettingsStore, parent: QObject) -> None:
        super().__init__(parent)
        self._application, self._settings = application, settings
        self._theme = chosen_theme(settings.value.theme)
        self._piece: Callable[[], None] = self._dress
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._put)
        settings.changed.connect(self._on_settings)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_color_scheme)

    @Slot()
    def show(self) -> None:
        """Applies the chosen theme; windows keep their look until all of the new one is there. One that is underway is given up."""
        self._theme = chosen_theme(self._settings.value.theme)
        for window in self._application.topLevelWidgets():
            window.setUpdatesEnabled(False)
        clear_theme(self._application)
        self._go_on(self._dress)

    def _dress(self) -> None:
        apply_theme(self._application, self._theme)
        self._go_on(self._draw)

    def _draw(self) -> None:
        self.applied.emit(self._theme)
        for widget in self._application.allWidgets():
            # Only listeners: Qt takes 0.1 ms for each of hundreds of widgets, and a listener may delete others.
            if isinstance(type(widget).changeEvent, FunctionType) and isValid(widget):
                QApplication.sendEvent(widget, QEvent(QEvent.Type.ThemeChange))
        for shown in self._application.topLevelWidgets():
            shown.setUpdatesEnabled(True)

    def _go_on(self, piece: Callable[[], None]) -> None:
        self._piece = piece
        if any(window.isVisible() for window in self._application.topLevelWidgets()):
            self._timer.start(BREATH_MS)
        else:
            self._put()

    @Slot()
    def _put(self) -> None:
        self._piece()

    @Slot(object, object)
    def _on_settings(self, before: Settings, after: Settings) -> None:
        if before.theme != after.theme:
            self.show()

    @Slot()
    def _on_color_scheme(self) -> None:
        if self._settings.value.theme == "system":
            self.show()
