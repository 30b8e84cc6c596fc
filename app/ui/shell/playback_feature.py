"""Speaking and saving lines, and what the window shows of it."""

from functools import partial

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QDesktopServices

from app.common.errors import AudioDeviceError
from app.common.language import localize
from app.engine.open_voices import OpenedVoice
from app.engine.synthesis_jobs import JobFailure, OpenVoiceJob
from app.engine.voice_terms import LicenceNotAcceptedError
from app.ui.latency.latency_dock import LatencyDock
from app.ui.playback.line_playback import LinePlayback, LiveModeController, PlayCommands
from app.ui.playback.sound_saving import SavingController, SavingReport
from app.ui.playback.speech_settings import SpeechSettingsController
from app.ui.shell.script_feature import ScriptFeature
from app.ui.shell.status_line import StatusLine
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.voices.required_bert import MissingBertError


class PlaybackFeature(WindowFeature):
    """Plays and saves lines at the user's commands."""

    def __init__(self, context: WindowContext, script: ScriptFeature, status: StatusLine, latency: LatencyDock) -> None:
        super().__init__(context)
        self._script, self._status, self._latency = script, status, latency
        document, speech, settings = context.document, context.speech, context.settings
        self.queue = LinePlayback(speech, document, script.model, script.seeds)  # which lines play, and which comes next
        self.live = LiveModeController(document)
        save_place = (settings.value.save_folder, settings.value.save_suffix)
        self.saving = SavingController(
            speech,
            document,
            script.seeds,
            save_place,
            context.window,
            name_speaker=context.catalog.describe_speaker,
            name_project=lambda: context.project.name,
        )
        self.commands = PlayCommands(document, script.selection, speech, self.queue, self.saving)
        # Opens the voice with the backend, device and precision of the settings.
        self.speech_settings = SpeechSettingsController(settings, speech, self.queue, script.banner)
        self._connect_views()
        status.backend_selected.connect(self.speech_settings.choose_backend)
        self._connect_commands()
        self._connect_saving()
        self._connect_actions()

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
        saving.place_selected.connect(lambda folder, suffix: self._context.settings.change_settings(save_folder=folder, save_suffix=suffix))
        saving.reported.connect(self._show_saving_report)
        saving.incomplete.connect(lambda message, hint: script.banner.show_message("error", message, hint))

    def _connect_actions(self) -> None:
        commands, actions, settings = self.commands, self._context.actions, self._context.settings
        actions.connect_handlers(
            {
                "play": commands.play_or_stop,
                "play_through": commands.play_through,
                "stop": commands.stop_playing,
                "save_line": commands.save_or_stop,
                "save_all": commands.save_all_lines,
                "save_joined": commands.save_joined_lines,
            }
        )
        actions["loop"].toggled.connect(self.queue.set_loop)
        actions["live"].toggled.connect(self.live.set_enabled)
        for name in ("loop", "live", "follow"):
            actions[name].setChecked(getattr(settings.value, name))
            actions[name].toggled.connect(lambda is_on, name=name: settings.change_settings(**{name: is_on}))

    @Slot(object)
    def _show_saving_report(self, report: SavingReport) -> None:
        """Show the progress of saving, and offer the folder of the finished files."""
        self._script.banner.show_message(
            "notice" if report.is_over else "progress",
            report.message,
            report.hint,
            action=localize("フォルダーを開く", "Open folder") if report.folder else "",
            tip=localize("保存先のフォルダーを開きます。", "Opens the folder with the files."),
            on_action=lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(report.folder)),
        )

    def _connect_views(self) -> None:
        """Show state, voices, failures and measurements."""
        speech = self._context.speech
        speech.state_changed.connect(self._show_state)
        speech.voice_opened.connect(self._show_voice)
        speech.machine_info_found.connect(self._status.list_backends)
        speech.failed.connect(self._show_failure)
        speech.measured.connect(self._latency.show_figures)
        speech.ticked.connect(self._show_playback)
        self.queue.changed.connect(self._show_state)

    @Slot(object)
    def _show_state(self, *_state: object) -> None:
        self._status.show_state(self._context.speech.state)
        self._script.transport.show_state(self._context.speech.state, self.queue.waiting)
        if self._context.speech.state.is_ready and not self._context.speech.state.is_loading:
            self._latency.allow_chart()

    @Slot(object)
    def _show_voice(self, voice: OpenedVoice) -> None:
        self._status.show_voice(voice)
        if voice.measurements:
            self._status.show_probe_results(voice.measurements)
        if not voice.id:
            self._script.view.show_voice(voice)
        self._latency.show_figures()
        if voice.fallback:
            message, hint = self._status.describe_fallback(voice)
            self._script.banner.show_message(
                "error" if voice.is_fallback_failure else "notice",
                message,
                hint,
                action=localize("もう一度試す", "Try again") if voice.is_device_lost else "",
                on_action=partial(self.speech_settings.choose_backend, voice.requested_backend),
                details=f"{voice.fallback}\n{self._status.places}",
                help_page="backends",
            )

    @Slot(object)
    def _show_failure(self, failed: JobFailure) -> None:
        self._latency.allow_chart()
        # The voice that was open before stays in use.
        if isinstance(failed.job, OpenVoiceJob) and self._context.speech.voice is not None:
            self._status.show_voice(self._context.speech.voice)
        if isinstance(failed.error, MissingBertError | LicenceNotAcceptedError):
            # The voice card shows these errors with their remedies.
            self._script.banner.hide()
        elif isinstance(failed.error, AudioDeviceError):
            # The sound can still be saved.
            self._script.banner.show_error(
                failed.error,
                localize(
                    "接続を確認するか、「再生」メニューで再生デバイスを選んでください。音声ファイルへの書き出しもできます。",
                    "Check the connection, or choose another output device in the Play menu. You can also export audio to a file.",
                ),
                action=localize("音声を書き出す…", "Export audio…"),
            )
        else:
            self._script.banner.show_error(failed.error)
        self._show_state()

    @Slot()
    def _show_playback(self) -> None:
        self._latency.show_live(self._context.speech.find_live_utterance())
        if self._context.speech.state.is_speaking:
            self._status.level.show_level(*self._context.speech.measure_level())
