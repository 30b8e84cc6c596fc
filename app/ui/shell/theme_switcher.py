"""Switches the theme of the application in three pieces, which together would block the window for too long."""

from collections.abc import Callable
from types import FunctionType

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from app.settings.user_settings import Settings
from app.ui.settings.settings_store import SettingsStore
from app.ui.theme.theme import apply_theme, clear_theme, resolve_theme

THEME_PIECE_PAUSE_MS = 5  # milliseconds between pieces, in which the window handles other events


class ThemeSwitcher(QObject):
    """Applies the theme of the settings or of the system whenever it changes.

    Signals:
        applied(Theme): palette and style sheet are set; widgets that draw in the theme's colours update now.
    """

    applied = Signal(object)

    def __init__(self, application: QApplication, settings: SettingsStore, parent: QObject) -> None:
        super().__init__(parent)
        self._application, self._settings = application, settings
        self._theme = resolve_theme(settings.value.theme)
        self._next_step: Callable[[], None] = self._apply_style_sheet
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._apply_palette)
        settings.changed.connect(self._follow_settings)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)

    @Slot()
    def show_theme(self) -> None:
        """Apply the chosen theme; a switch in progress is abandoned.

        Windows are not repainted until the last piece is done.
        """
        self._theme = resolve_theme(self._settings.value.theme)
        for window in self._application.topLevelWidgets():
            window.setUpdatesEnabled(False)
        clear_theme(self._application)
        self._schedule_piece(self._apply_style_sheet)

    def _apply_style_sheet(self) -> None:
        apply_theme(self._application, self._theme)
        self._schedule_piece(self._draw_icons)

    def _draw_icons(self) -> None:
        self.applied.emit(self._theme)
        for widget in self._application.allWidgets():
            # Only listeners: Qt takes 0.1 ms for each of hundreds of widgets, and a listener may delete others.
            if isinstance(type(widget).changeEvent, FunctionType) and isValid(widget):
                QApplication.sendEvent(widget, QEvent(QEvent.Type.ThemeChange))
        for window in self._application.topLevelWidgets():
            window.setUpdatesEnabled(True)

    def _schedule_piece(self, step: Callable[[], None]) -> None:
        self._next_step = step
        if any(window.isVisible() for window in self._application.topLevelWidgets()):
            self._timer.start(THEME_PIECE_PAUSE_MS)
        else:
            self._apply_palette()

    @Slot()
    def _apply_palette(self) -> None:
        self._next_step()

    @Slot(object, object)
    def _follow_settings(self, before: Settings, after: Settings) -> None:
        if before.theme != after.theme:
            self.show_theme()

    @Slot()
    def _follow_system(self) -> None:
        if self._settings.value.theme == "system":
            self.show_theme()
