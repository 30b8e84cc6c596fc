"""The local service and the chat reader of the window, each of which is created when it is first switched on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QStatusBar

from app.ui.playback.line_playback import PlayCommands
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.voices.voice_tasks import VoiceTasks
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.ui.service.chat_controller import ChatController
    from app.ui.service.service_controller import ServiceController
    from app.ui.settings.settings_dialog import SettingsDialog


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
        """Return the service."""
        from app.ui.service.service_controller import ServiceController

        service = ServiceController(self._context.window, self._context.settings, self._context.speech, self._banner)
        self._connect_listener("service", service)
        return service

    @cached_property
    def chat(self) -> ChatController:
        """Return the chat reader."""
        from app.ui.service.chat_controller import ChatController

        context = self._context
        chat = ChatController(context.window, context.settings, context.speech, self._banner, script=context.document)
        self._connect_listener("chat_reader", chat)
        chat.settings_requested.connect(self._open_settings)
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
