"""Shows in the window what the controller tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.language import say
from app.ui.failures import tell_failure
from app.ui.jobs import Failed, OpenedVoice, OpenVoice, Surroundings

if TYPE_CHECKING:
    from app.ui.window import MainWindow


class Reports(QObject):
    """Brings state, voices, failures and measurements to where they are shown."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        controller = self._controller = window.controller
        controller.state_changed.connect(self._on_state)
        controller.voice_opened.connect(self._on_voice)
        controller.surroundings_found.connect(self._on_surroundings)
        controller.failed.connect(self._on_failed)
        controller.measured.connect(self._on_measured)
        controller.ticked.connect(self._on_tick)
        window.playback.changed.connect(self._on_state)

    @Slot(object)
    def _on_state(self, *_state: object) -> None:
        self._window.status.show_state(self._controller.state)
        self._window.transport.show_state(self._controller.state, self._window.playback.waiting)

    @Slot(object)
    def _on_voice(self, voice: OpenedVoice) -> None:
        window = self._window
        window.status.show_voice(voice)
        if voice.measured:
            window.status.show_measured(voice.measured)
        if not voice.id:
            window.script.show_voice(voice)
        window.latency.show_figures()
        if voice.fallback:
            hint = say("音は CPU で作られます。", "The sound is made on the CPU.")
            window.banner.tell("trouble", voice.fallback, hint, details=f"{voice.fallback}\n{window.status.places}")

    @Slot(object)
    def _on_surroundings(self, found: Surroundings) -> None:
        self._window.status.offer(found)

    @Slot(object)
    def _on_failed(self, failed: Failed) -> None:
        if isinstance(failed.job, OpenVoice) and self._controller.voice is not None:  # the voice that was open before goes on
            self._window.status.show_voice(self._controller.voice)
        told = tell_failure(failed)
        self._window.banner.tell("trouble", told.message, told.hint, action=told.action, details=told.details)
        self._on_state()

    @Slot()
    def _on_measured(self) -> None:
        self._window.latency.show_figures()
        self._window.status.show_figures(self._controller.history)

    @Slot()
    def _on_tick(self) -> None:
        self._window.latency.show_live(self._controller.live())
        if self._controller.state.speaking:
            self._window.status.level.show_level(*self._controller.level())
