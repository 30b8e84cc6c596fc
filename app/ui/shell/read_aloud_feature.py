"""Reading aloud from anywhere, which is created when the settings or the user ask for it; and the window that stays on top or in the tray."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QApplication, QMainWindow

from app.common.language import localize
from app.core.script.script import LineSettings
from app.settings.user_settings import Settings
from app.ui.actions.window_actions import WindowActions
from app.ui.settings.settings_store import SettingsStore
from app.ui.shell.close_guard import is_session_ending
from app.ui.shell.script_feature import ScriptFeature
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.voice_catalog import VoiceCatalog

if TYPE_CHECKING:
    from app.adapters.window_requests import ReadRequest
    from app.ui.read_aloud.read_aloud_controller import ReadAloudController


class ReadAloudFeature(QObject):
    """Creates the controller; afterwards that one follows the settings by itself.

    Args:
        quit_program: closes the window for good.
    """

    def __init__(
        self,
        *,
        window: QMainWindow,
        script: ScriptFeature,
        speech: SpeechController,
        settings: SettingsStore,
        catalog: VoiceCatalog,
        actions: WindowActions,
        quit_program: Callable[[], object],
    ) -> None:
        super().__init__(window)
        self._window, self._script, self._speech = window, script, speech
        self._settings, self._catalog, self._actions, self._close_for_good = settings, catalog, actions, quit_program
        self._is_in_tray = False
        settings.changed.connect(lambda _before, _after: self.create_if_enabled())
        actions["read_clipboard"].triggered.connect(lambda: self.controller.read_clipboard())
        actions["pause_reading"].triggered.connect(lambda: self.controller.player.pause_or_resume())
        actions["show_mini_player"].triggered.connect(lambda: self.controller.mini_player.show_with_focus())
        self._enable_pause(is_on=False)
        actions["always_on_top"].setChecked(settings.value.always_on_top)
        actions["always_on_top"].toggled.connect(self._keep_on_top)
        if settings.value.always_on_top:
            window.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)

    @cached_property
    def controller(self) -> ReadAloudController:
        """Return the controller."""
        from app.ui.read_aloud.read_aloud_controller import ReadAloudController

        made = ReadAloudController(
            self._window,
            speech=self._speech,
            settings=self._settings,
            catalog=self._catalog,
            banner=self._script.banner,
            find_settings=self._find_settings,
        )
        made.window_requested.connect(self.show_window)
        made.quit_requested.connect(self._close_for_good)
        made.player.changed.connect(lambda: self._enable_pause(is_on=made.player.is_on))
        return made

    @Slot()
    def create_if_enabled(self) -> None:
        """Create the controller if the settings ask for an icon, a key or the watched clipboard."""
        if _is_wanted(self._settings.value):
            self.controller  # noqa: B018  # made by being asked for

    @Slot(object)
    def retry_hotkey(self, changes: Collection[str]) -> None:
        """Ask again for a key that could not be had, unless it is among the changed settings and was asked for just now."""
        if "read_hotkey" not in changes and "controller" in self.__dict__:
            self.controller.hotkey.retry_key()

    def handle_request(self, request: ReadRequest) -> None:
        """Read what another process asks for; raise InputError if that is impossible."""
        self.controller.handle_request(request)

    def hide_to_tray(self) -> bool:
        """Hide the window in place of closing it, if the user wants that; return False if it is to be closed."""
        wanted = self._settings.value.read_close_to_tray and not is_session_ending()
        if not wanted or "controller" not in self.__dict__ or not self.controller.has_visible_tray:
            return False
        self._is_in_tray = True
        # A hidden window counts as closed, and the last one ends the program.
        _set_quit_on_close(False)
        self._window.hide()
        return True

    @Slot()
    def show_window(self) -> None:
        """Show the window again, in front."""
        self._is_in_tray = False
        _set_quit_on_close(True)
        self._window.setWindowState(self._window.windowState() & ~Qt.WindowState.WindowMinimized)
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()

    def close(self) -> None:
        """End what was created; a window that closes in the tray ends the program."""
        if "controller" in self.__dict__:
            self.controller.close()
        if self._is_in_tray:
            _set_quit_on_close(True)
            QApplication.quit()

    def _find_settings(self) -> LineSettings:
        line = self._script.selection.line
        kept = self._settings.value
        return line.settings if line is not None else LineSettings(voice=kept.voice, speaker=kept.speaker, style=kept.style)

    def _enable_pause(self, *, is_on: bool) -> None:
        self._actions.disable_action("pause_reading", "" if is_on else localize("読み上げ中ではありません", "nothing is being read"))

    @Slot(bool)
    def _keep_on_top(self, is_on_top: bool) -> None:
        self._settings.change_settings(always_on_top=is_on_top)
        was_visible = self._window.isVisible()
        # Qt hides a window whose flags change.
        self._window.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint, is_on_top)
        if was_visible:
            self._window.show()


def _is_wanted(settings: Settings) -> bool:
    return bool(settings.read_tray or settings.read_hotkey or settings.read_watch)


def _set_quit_on_close(is_on: bool) -> None:
    QApplication.setQuitOnLastWindowClosed(is_on)
