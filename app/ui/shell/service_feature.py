"""The local service of the window, which is created when it is first switched on."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow, QStatusBar

from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.voice_tasks import VoiceTasks
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.ui.service.service_controller import ServiceController


class ServiceFeature(QObject):
    """Creates the service and its button in the status bar; afterwards the service follows the settings by itself."""

    def __init__(
        self,
        *,
        window: QMainWindow,
        settings: SettingsStore,
        speech: SpeechController,
        tasks: VoiceTasks,
        status: QStatusBar,
        banner: Banner,
    ) -> None:
        super().__init__(window)
        self._window, self._settings, self._speech = window, settings, speech
        self._tasks, self._status, self._banner = tasks, status, banner
        settings.changed.connect(self.create_if_enabled)

    @cached_property
    def service(self) -> ServiceController:
        """Return the service."""
        from app.ui.service.service_controller import ServiceController

        made = ServiceController(self._window, self._settings, self._speech, self._banner)
        self._status.insertPermanentWidget(1, made.button)
        self._tasks.disk_changed.connect(made.refresh_voices)
        return made

    @Slot()
    def create_if_enabled(self, *_settings: object) -> None:
        """Create the service if the settings enable it."""
        if self._settings.value.service:
            self.service  # noqa: B018  # made by being asked for

    def close(self) -> None:
        """End the service if it was created."""
        if "service" in self.__dict__:
            self.service.close()
