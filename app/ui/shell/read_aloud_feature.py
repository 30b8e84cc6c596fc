"""Speaking for other programs: reading aloud from anywhere, the local service and the chat reader, each created when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QApplication, QStatusBar

from app.common.language import localize
from app.core.script.script import LineSettings
from app.ui.playback.line_playback import PlayCommands
from app.ui.shell.close_guard import is_session_ending
from app.ui.shell.script_feature import ScriptFeature
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.voices.voice_tasks import VoiceTasks
from app.ui.widgets.banner import Banner
from app.ui.widgets.dialogs import show_in_front

if TYPE_CHECKING:
    from app.ui.read_aloud.read_aloud_controller import ReadAloudController
    from app.ui.service.chat_controller import ChatController
    from app.ui.service.service_controller import ServiceController
    from app.ui.settings.settings_dialog import SettingsDialog


class ReadAloudFeature(WindowFeature):
    """Creates the controller, which then follows the settings by itself; keeps the window on top or in the tray.

    Args:
        quit_program: closes the window for good.
    """

    def __init__(self, context: WindowContext, script: ScriptFeature, quit_program: Callable[[], object]) -> None:
        super().__init__(context)
        self._script, self._quit_program = script, quit_program
        self._is_in_tray = False
        context.settings.changed.connect(lambda _before, _after: self.create_if_enabled())
        context.actions.connect_handlers(
            {
                "read_clipboard": lambda: self.controller.read_clipboard(),
                "pause_reading": lambda: self.controller.player.pause_or_resume(),
                "show_mini_player": lambda: self.controller.mini_player.show_with_focus(),
            }
        )
        self._enable_pause(is_on=False)
        is_on_top = context.settings.value.always_on_top
        context.actions["always_on_top"].setChecked(is_on_top)
        context.actions["always_on_top"].toggled.connect(self._keep_on_top)
        if is_on_top:
            context.window.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)

    @cached_property
    def controller(self) -> ReadAloudController:
        from app.ui.read_aloud.read_aloud_controller import ReadAloudController

        context = self._context
        controller = ReadAloudController(
            context.window,
            speech=context.speech,
            settings=context.settings,
            catalog=context.catalog,
            banner=self._script.banner,
            find_settings=self._find_settings,
        )
        controller.window_requested.connect(self.show_window)
        controller.quit_requested.connect(self._quit_program)
        controller.player.changed.connect(lambda: self._enable_pause(is_on=controller.player.is_on))
        return controller

    @Slot()
    def create_if_enabled(self) -> None:
        """Create the controller if the settings ask for an icon, a key or the watched clipboard."""
        settings = self._context.settings.value
        if settings.read_tray or settings.read_hotkey or settings.read_watch:
            self.controller  # noqa: B018  # created by being asked for

    @Slot(object)
    def retry_hotkey(self, changes: Collection[str]) -> None:
        """Ask again for a key that could not be had, unless it is among the changed settings and was asked for just now."""
        if "read_hotkey" not in changes and self.is_created("controller"):
            self.controller.hotkey.retry_key()

    def hide_to_tray(self) -> bool:
        """Hide the window in place of closing it, if the user wants that; return False if it is to be closed."""
        may_hide = self._context.settings.value.read_close_to_tray and not is_session_ending()
        if not may_hide or not self.is_created("controller") or not self.controller.has_visible_tray:
            return False
        self._is_in_tray = True
        # A hidden window counts as closed, and the last one ends the program.
        QApplication.setQuitOnLastWindowClosed(False)
        self._context.window.hide()
        return True

    @Slot()
    def show_window(self) -> None:
        """Show the window again, in front."""
        self._is_in_tray = False
        QApplication.setQuitOnLastWindowClosed(True)
        window = self._context.window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        show_in_front(window)

    def close(self) -> None:
        """End what was created; a window that closes in the tray ends the program."""
        self.close_created("controller")
        if self._is_in_tray:
            QApplication.setQuitOnLastWindowClosed(True)
            QApplication.quit()

    def _find_settings(self) -> LineSettings:
        line, settings = self._script.selection.line, self._context.settings.value
        return line.settings if line is not None else LineSettings(voice=settings.voice, speaker=settings.speaker, style=settings.style)

    def _enable_pause(self, *, is_on: bool) -> None:
        why_not = "" if is_on else localize("読み上げ中ではありません", "nothing is being read")
        self._context.actions.disable_action("pause_reading", why_not)

    @Slot(bool)
    def _keep_on_top(self, is_on_top: bool) -> None:
        window = self._context.window
        self._context.settings.change_settings(always_on_top=is_on_top)
        was_visible = window.isVisible()
        # Qt hides a window whose flags change.
        window.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint, is_on_top)
        if was_visible:
            window.show()


class ServiceFeature(WindowFeature):
    """Creates service and chat reader and their buttons in the status bar; afterwards they follow the settings by themselves.

    Signals:
        status_changed(str, str): name of a switch in the settings, and the new status of what it switches.
    """

    status_changed = Signal(str, str)

    def __init__(
        self,
        context: WindowContext,
        tasks: VoiceTasks,
        commands: PlayCommands,
        status: QStatusBar,
        banner: Banner,
        open_settings: Callable[[], object],
    ) -> None:
        super().__init__(context)
        self._tasks, self._commands, self._status, self._banner = tasks, commands, status, banner
        self._open_settings = open_settings
        context.settings.changed.connect(self.create_if_enabled)

    @cached_property
    def service(self) -> ServiceController:
        from app.ui.service.service_controller import ServiceController

        service = ServiceController(self._context.window, self._context.settings, self._context.speech, self._banner)
        self._connect_listener("service", service)
        return service

    @cached_property
    def chat(self) -> ChatController:
        from app.ui.service.chat_controller import ChatController

        context = self._context
        chat = ChatController(context.window, context.settings, context.speech, self._banner, script=context.document)
        self._connect_listener("chat_reader", chat)
        chat.settings_requested.connect(self._open_settings)
        chat.introduction_requested.connect(context.catalog.introduction_requested)
        self._commands.stopping.connect(chat.skip_comment)
        return chat

    @Slot()
    def create_if_enabled(self, *_settings: object) -> None:
        """Create what the settings enable."""
        if self._context.settings.value.service:
            self.service  # noqa: B018  # created by being asked for
        if self._context.settings.value.chat_reader:
            self.chat  # noqa: B018

    @Slot(object)
    def show_statuses(self, dialog: SettingsDialog) -> None:
        """Show what listens now in the settings, and what changes while they are open."""
        from app.ui.service.service_controller import describe_idle_listener

        for setting, name in (("service", "service"), ("chat_reader", "chat")):
            dialog.show_status(setting, getattr(self, name).status if self.is_created(name) else describe_idle_listener())
        self.status_changed.connect(dialog.show_status)

    def close(self) -> None:
        """End what was created."""
        self.close_created("chat", "service")

    def _connect_listener(self, setting: str, listener: ServiceController | ChatController) -> None:
        listener.status_changed.connect(partial(self.status_changed.emit, setting))
        self._status.insertPermanentWidget(1, listener.button)
        self._tasks.disk_changed.connect(listener.refresh_voices)
