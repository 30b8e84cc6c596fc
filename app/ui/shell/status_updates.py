"""Shows in the window what the speech controller reports."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Slot

from app.language import localized
from app.ui.error_text import Failed, report_failure
from app.ui.latency.dock import LatencyDock
from app.ui.playback.playback import Playback
from app.ui.script.list import ScriptList
from app.ui.script.transport import Transport
from app.ui.shell.status_line import StatusLine
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import OpenVoice, RenderTake
from app.ui.synthesis.licence_open import LicenceOpenError
from app.ui.synthesis.results import MachineInfo, OpenedVoice
from app.ui.widgets.banner import Banner
from app.voices.wanted_bert import MissingBertError


class StatusUpdates(QObject):
    """Brings state, voices, failures and measurements to where they are shown.

    Args:
        choose_backend: opens the voice on a backend, also on one that failed.
    """

    def __init__(
        self,
        speech: SpeechController,
        playback: Playback,
        status: StatusLine,
        transport: Transport,
        lines: ScriptList,
        latency: LatencyDock,
        banner: Banner,
        choose_backend: Callable[[str], object],
    ) -> None:
        super().__init__(status)
        self._speech, self._playback, self._choose_backend = speech, playback, choose_backend
        self._status, self._transport, self._lines, self._latency, self._banner = status, transport, lines, latency, banner
        speech.state_changed.connect(self._on_state)
        speech.voice_opened.connect(self._on_voice)
        speech.machine_info_found.connect(self._on_machine_info)
        speech.failed.connect(self._on_failed)
        speech.measured.connect(self._on_measured)
        speech.ticked.connect(self._on_tick)
        playback.changed.connect(self._on_state)

    @Slot(object)
    def _on_state(self, *_state: object) -> None:
        self._status.show_state(self._speech.state)
        self._transport.show_state(self._speech.state, self._playback.waiting)
        if self._speech.state.ready and not self._speech.state.loading:
            self._latency.begin()

    @Slot(object)
    def _on_voice(self, voice: OpenedVoice) -> None:
        self._status.show_voice(voice)
        if voice.measured:
            self._status.show_measured(voice.measured)
        if not voice.id:
            self._lines.show_voice(voice)
        self._latency.show_figures()
        if voice.fallback:
            message, hint = self._status.fallback_words(voice)
            self._banner.show_message(
                "error" if voice.failed else "notice",
                message,
                hint,
                action=localized("もう一度試す", "Try again") if voice.lost else "",
                then=partial(self._choose_backend, voice.requested),
                details=f"{voice.fallback}\n{self._status.places}",
                page="backends",
            )

    @Slot(object)
    def _on_machine_info(self, found: MachineInfo) -> None:
        self._status.offer(found)

    @Slot(object)
    def _on_failed(self, failed: Failed) -> None:
        self._latency.begin()
        if isinstance(failed.job, RenderTake) and failed.job.quiet:
            return  # who asked for it shows what failed
        if isinstance(failed.job, OpenVoice) and self._speech.voice is not None:  # the voice that was open before stays
            self._status.show_voice(self._speech.voice)
        if isinstance(failed.error, MissingBertError | LicenceOpenError):
            self._banner.hide()  # what can be done about these is shown with the voices
        else:
            shown = report_failure(failed)
            self._banner.show_message("error", shown.message, shown.hint, action=shown.action, details=shown.details, page=shown.page)
        self._on_state()

    @Slot()
    def _on_measured(self) -> None:
        self._latency.show_figures()
        self._status.show_figures(self._speech.history)

    @Slot()
    def _on_tick(self) -> None:
        self._latency.show_live(self._speech.live())
        if self._speech.state.speaking:
            self._status.level.show_level(*self._speech.level())
