"""Speaking and saving lines, and what the window shows of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from app.common.language import localize
from app.engine.open_voices import OpenedVoice
from app.engine.synthesis_jobs import OpenVoiceJob
from app.engine.synthesis_results import JobFailure, MachineInfo
from app.engine.voice_terms import LicenceNotAcceptedError
from app.ui.actions.window_actions import WindowActions
from app.ui.error_texts import describe_failure
from app.ui.latency.latency_dock import LatencyDock
from app.ui.playback.line_playback import LinePlayback
from app.ui.playback.play_commands import LiveModeController, PlayCommands
from app.ui.playback.sound_saving import SavingController, SavingReport
from app.ui.playback.speech_settings import SpeechSettingsController
from app.ui.script.script_list import ScriptList
from app.ui.script.script_panel import TransportBar
from app.ui.settings.settings_store import SettingsStore
from app.ui.shell.script_feature import ScriptFeature, connect_actions
from app.ui.shell.status_line import StatusLine
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.banner import Banner
from app.voices.required_bert import MissingBertError


class PlaybackFeature(QObject):
    """Plays and saves lines at the user's commands.

    Attributes:
        queue: which lines play, and which comes next.
        speech_settings: opens the voice with the backend, device and precision of the settings.
    """

    def __init__(
        self,
        *,
        window: QWidget,
        script: ScriptFeature,
        speech: SpeechController,
        settings: SettingsStore,
        actions: WindowActions,
        catalog: VoiceCatalog,
        status: StatusLine,
        latency: LatencyDock,
    ) -> None:
        super().__init__(window)
        self._script, self._settings = script, settings
        document, banner, kept = script.document, script.banner, settings.value
        self.queue = LinePlayback(speech, document, script.model, script.seeds)
        self.live = LiveModeController(document)
        place = (kept.save_folder, kept.save_suffix)
        self.saving = SavingController(speech, document, script.seeds, place, window, name_speaker=catalog.describe_speaker)
        self.commands = PlayCommands(document, script.selection, speech, self.queue, self.saving)
        self.speech_settings = SpeechSettingsController(settings, speech, self.queue, banner)
        shown = (status, script.transport, script.view, latency, banner)
        SpeechViewUpdater(speech, self.queue, *shown, self.speech_settings.choose_backend)
        status.backend_selected.connect(self.speech_settings.choose_backend)
        self._connect_commands()
        self._connect_saving()
        self._connect_actions(actions)

    def stop_for_good(self) -> None:
        """Stop speaking, and begin nothing more by itself."""
        self.live.set_enabled(False)
        self.queue.stop_playing()

    def _connect_commands(self) -> None:
        script, commands = self._script, self.commands
        script.commands.stop_requested.connect(commands.stop_playing)
        script.transport.play_requested.connect(commands.play_or_stop)
        script.transport.save_requested.connect(commands.save_or_stop)
        script.banner.action_requested.connect(commands.save_or_stop)
        script.view.play_requested.connect(commands.play_or_stop_line)
        self.live.speak_requested.connect(commands.play_again)
        commands.began.connect(script.banner.hide)

    def _connect_saving(self) -> None:
        script, saving = self._script, self.saving
        for source in (self.commands.nothing_to_speak, saving.nothing_to_save):
            source.connect(script.panel.show_empty_message)
        saving.place_selected.connect(lambda folder, suffix: self._settings.change_settings(save_folder=folder, save_suffix=suffix))
        saving.reported.connect(self._show_saving_report)
        saving.incomplete.connect(lambda message, hint: script.banner.show_message("error", message, hint))

    def _connect_actions(self, actions: WindowActions) -> None:
        commands, kept = self.commands, self._settings.value
        called: dict[str, Callable[[], object]] = {
            "play": commands.play_or_stop,
            "play_through": commands.play_through,
            "stop": commands.stop_playing,
            "save_line": commands.save_or_stop,
            "save_all": commands.save_all_lines,
            "save_joined": commands.save_joined_lines,
        }
        connect_actions(actions, called)
        actions["loop"].toggled.connect(self.queue.set_loop)
        actions["live"].toggled.connect(self.live.set_enabled)
        for name, is_on in (("loop", kept.loop), ("live", kept.live), ("follow", kept.follow)):
            actions[name].setChecked(is_on)
            actions[name].toggled.connect(lambda is_on, name=name: self._settings.change_settings(**{name: is_on}))

    @Slot(object)
    def _show_saving_report(self, report: SavingReport) -> None:
        """Show the progress of saving, and offer the folder of the finished files."""
        action, tip = (
            localize("フォルダーを開く", "Open folder"),
            localize("保存先のフォルダーを開きます。", "Opens the folder with the files."),
        )
        show = partial(self._script.banner.show_message, "notice", report.message, report.hint)
        if report.folder:
            show(action=action, tip=tip, on_action=lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(report.folder)))
        else:
            show()


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
