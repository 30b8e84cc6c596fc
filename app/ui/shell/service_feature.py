"""The local service and the chat reader of the window, each of which is created when it is first switched on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QMainWindow, QStatusBar

from app.ui.playback.play_commands import PlayCommands
from app.ui.script.script_document import ScriptDocument
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.voice_tasks import VoiceTasks
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.ui.service.chat_controller import ChatController
    from app.ui.service.service_controller import ServiceController
    from app.ui.settings.settings_dialog import SettingsDialog


class ServiceFeature(QObject):
    """Creates service and chat reader and their buttons in the status bar; afterwards they follow the settings by themselves.

    Signals:
        status_changed(str, str): name of a switch in the settings, and the new status of what it switches.
    """

    status_changed = Signal(str, str)

    def __init__(
        self,
        *,
        window: QMainWindow,
        settings: SettingsStore,
        speech: SpeechController,
        script: ScriptDocument,
        tasks: VoiceTasks,
        commands: PlayCommands,
        status: QStatusBar,
        banner: Banner,
        open_settings: Callable[[], object],
    ) -> None:
        super().__init__(window)
        self._window, self._settings, self._speech = window, settings, speech
        self._tasks, self._status, self._banner = tasks, status, banner
        self._commands, self._script = commands, script
        self._open_settings = open_settings
        settings.changed.connect(self.create_if_enabled)

    @cached_property
    def service(self) -> ServiceController:
        """Return the service."""
        from app.ui.service.service_controller import ServiceController

        made = ServiceController(self._window, self._settings, self._speech, self._banner)
        made.status_changed.connect(partial(self.status_changed.emit, "service"))
        self._status.insertPermanentWidget(1, made.button)
        self._tasks.disk_changed.connect(made.refresh_voices)
        return made

    @cached_property
    def chat(self) -> ChatController:
        """Return the chat reader."""
        from app.ui.service.chat_controller import ChatController

        made = ChatController(self._window, self._settings, self._speech, self._banner, script=self._script)
        made.status_changed.connect(partial(self.status_changed.emit, "chat_reader"))
        made.settings_requested.connect(self._open_settings)
        self._commands.stopping.connect(made.skip_comment)
        self._status.insertPermanentWidget(1, made.button)
        self._tasks.disk_changed.connect(made.refresh_voices)
        return made

    @Slot()
    def create_if_enabled(self, *_settings: object) -> None:
        """Create what the settings enable."""
        if self._settings.value.service:
            self.service  # noqa: B018  # made by being asked for
        if self._settings.value.chat_reader:
            self.chat  # noqa: B018  # made by being asked for

    @Slot(object)
    def show_statuses(self, dialog: SettingsDialog) -> None:
        """Show what listens now in the settings, and what changes while they are open."""
        from app.ui.service.listener_controller import describe_idle_listener

        for setting, name in (("service", "service"), ("chat_reader", "chat")):
            dialog.show_status(setting, getattr(self, name).status if name in self.__dict__ else describe_idle_listener())
        self.status_changed.connect(dialog.show_status)

    def close(self) -> None:
        """End what was created."""
        if "chat" in self.__dict__:
            self.chat.close()
        if "service" in self.__dict__:
            self.service.close()
