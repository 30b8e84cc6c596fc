"""Shows the reports of the speech controller in the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Slot

from app.common.language import localize
from app.ui.error_texts import JobFailure, describe_failure
from app.ui.latency.latency_dock import LatencyDock
from app.ui.playback.line_playback import LinePlayback
from app.ui.script.script_list import ScriptList
from app.ui.script.transport_bar import TransportBar
from app.ui.shell.status_line import StatusLine
from app.ui.synthesis.licence_error import LicenceNotAcceptedError
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.synthesis.synthesis_jobs import OpenVoiceJob, RenderTakeJob
from app.ui.synthesis.synthesis_results import MachineInfo, OpenedVoice
from app.ui.widgets.banner import Banner
from app.voices.required_bert import MissingBertError


class SpeechViewUpdater(QObject):
    """Updates the widgets that show state, voices, failures and measurements.

    Args:
        choose_backend: opens the voice on a backend, even on one that failed.
    """

    def __init__(
        self,
        speech: SpeechController,
        playback: LinePlayback,
        status: StatusLine,
        transport: TransportBar,
        lines: ScriptList,
        latency: LatencyDock,
        banner: Banner,
        choose_backend: Callable[[str], object],
    ) -> None:
        super().__init__(status)
        self._speech, self._playback, self._choose_backend = speech, playback, choose_backend
        self._status, self._transport, self._lines, self._latency, self._banner = status, transport, lines, latency, banner
        speech.state_changed.connect(self._show_state)
        speech.voice_opened.connect(self._show_voice)
        speech.machine_info_found.connect(self._show_machine_info)
        speech.failed.connect(self._show_failure)
        speech.measured.connect(self._show_measurements)
        speech.ticked.connect(self._show_playback)
        playback.changed.connect(self._show_state)

    @Slot(object)
    def _show_state(self, *_state: object) -> None:
        self._status.show_state(self._speech.state)
        self._transport.show_state(self._speech.state, self._playback.waiting)
        if self._speech.state.is_ready and not self._speech.state.is_loading:
            self._latency.allow_chart()

    @Slot(object)
    def _show_voice(self, voice: OpenedVoice) -> None:
        self._status.show_voice(voice)
        if voice.measurements:
            self._status.show_probe_results(voice.measurements)
        if not voice.id:
            self._lines.show_voice(voice)
        self._latency.show_figures()
        if voice.fallback:
            message, hint = self._status.describe_fallback(voice)
            self._banner.show_message(
                "error" if voice.is_fallback_failure else "notice",
                message,
                hint,
                action=localize("もう一度試す", "Try again") if voice.is_device_lost else "",
                on_action=partial(self._choose_backend, voice.requested_backend),
                details=f"{voice.fallback}\n{self._status.places}",
                help_page="backends",
            )

    @Slot(object)
    def _show_machine_info(self, found: MachineInfo) -> None:
        self._status.list_backends(found)

    @Slot(object)
    def _show_failure(self, failed: JobFailure) -> None:
        self._latency.allow_chart()
        if isinstance(failed.job, RenderTakeJob) and failed.job.is_quiet:
            # The feature that started a quiet job shows the failure itself.
            return
        # The voice that was open before stays in use.
        if isinstance(failed.job, OpenVoiceJob) and self._speech.voice is not None:
            self._status.show_voice(self._speech.voice)
        if isinstance(failed.error, MissingBertError | LicenceNotAcceptedError):
            # The voice card shows these errors with their remedies.
            self._banner.hide()
        else:
            shown = describe_failure(failed)
            self._banner.show_message("error", shown.message, shown.hint, action=shown.action, details=shown.details, help_page=shown.page)
        self._show_state()

    @Slot()
    def _show_measurements(self) -> None:
        self._latency.show_figures()
        self._status.show_figures(self._speech.history)

    @Slot()
    def _show_playback(self) -> None:
        self._latency.show_live(self._speech.find_live_utterance())
        if self._speech.state.is_speaking:
            self._status.level.show_level(*self._speech.measure_level())
