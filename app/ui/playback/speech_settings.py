"""Settings that decide how and where speech is computed and heard, and take effect at once; the outputs, and what helps a busy computer."""

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal, Slot

from app.common.files.untrusted_json import parse_object
from app.common.language import localize
from app.common.processes.launch import build_cli_command
from app.engine.open_voices import VoicePrecisions
from app.engine.synthesis_jobs import SpeechJob
from app.settings.user_settings import Settings
from app.ui.playback.line_playback import LinePlayback
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.pending_jobs import SpeechState
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.banner import Banner, BannerButton

DEVICE_REFRESH_INTERVAL_S = 5.0  # each look starts a whole process, and the menu asks whenever it opens
DEVICE_SCAN_TIMEOUT_MS = 3000
SLOW_WAIT_S = 1.0
SLOW_LINES = 2  # so many lines one after the other that waited longer than that in silence are no accident
LONG_WAIT_MS = 3000  # after this nobody should have to guess why nothing is heard


class SpeechSettingsController(QObject):
    """Brings changed settings to the speech controller; what is spoken stops where it must."""

    def __init__(self, settings: SettingsStore, speech: SpeechController, playback: LinePlayback, banner: Banner) -> None:
        super().__init__(settings)
        self._settings, self._speech, self._playback, self._banner = settings, speech, playback, banner
        settings.changed.connect(self._apply_changes)

    def open_first_voice(self) -> None:
        """Request the device and the first voice as they were chosen last."""
        chosen = self._settings.value
        self._speech.engine.unload_after_min = chosen.unload_after_min
        self._speech.engine.set_prepares_first(chosen.prepare_first)
        # Before the voice, whose opening opens the output as well; the system's would be opened for nothing.
        if chosen.device:
            self._speech.choose_device(chosen.device)
        self._request_voice()

    @Slot(str)
    def choose_backend(self, backend: str) -> None:
        """Open the voice on a backend, even if it is the present one."""
        # The opening reads the setting. It is not left to `changed`, which the same backend would not cause.
        self._settings.change_settings(backend=backend)
        self.open_voice(retry=True)

    @Slot()
    def apply_measured_backend(self) -> None:
        """Reopen the voice if "auto" takes another backend after a measurement."""
        if self._settings.value.backend == "auto":
            self._playback.stop_playing()
            self._request_voice()

    @Slot()
    def open_voice(self, *, retry: bool = False) -> None:
        """Stop the present sound and open the voice with the present settings; `retry` tries devices again that failed."""
        self._banner.hide()
        self._playback.stop_playing()
        self._request_voice(retry=retry)

    def _request_voice(self, *, retry: bool = False) -> None:
        chosen = self._settings.value
        self._speech.open_voice(chosen.backend, read_precisions(chosen), keep_open=chosen.load_voice == "at_start", retry=retry)

    @Slot(object, object)
    def _apply_changes(self, before: Settings, after: Settings) -> None:
        if before.bert_precision != after.bert_precision:
            self.open_voice()
        elif before.precision_preference != after.precision_preference:
            self._speech.choose_precisions(read_precisions(after))
        if before.unload_after_min != after.unload_after_min:
            self._speech.engine.unload_after_min = after.unload_after_min
        if before.prepare_first != after.prepare_first:
            self._speech.engine.set_prepares_first(after.prepare_first)
        reading = ("built_in_words", "links", "memos_everywhere")
        if any(getattr(before, name) != getattr(after, name) for name in reading):
            self._apply_reading_settings(after)
        if before.device != after.device:
            self._banner.hide()
            self._playback.stop_playing()
            self._speech.choose_device(after.device)

    def _apply_reading_settings(self, settings: Settings) -> None:
        """Pass the new choices to the front end at once, for the file with the settings is written later."""
        from app.adapters.openjtalk.reading_choices import READING_CHOICES  # the window starts without the front end

        READING_CHOICES.built_in_words, READING_CHOICES.links = settings.built_in_words, settings.links
        READING_CHOICES.memos_everywhere = settings.memos_everywhere
        self._speech.reload_dictionary()


def read_precisions(settings: Settings) -> VoicePrecisions:
    """Return the precisions that lines speak in."""
    return VoicePrecisions(settings.bert_precision, settings.precision_preference)


class OutputDeviceWatcher(QObject):
    """Looks for outputs when asked, at most every few seconds.

    PortAudio reads its list once, when it starts, and restarting it ends what sounds; another process always has a fresh list.

    Signals:
        changed(tuple): labels, when they are not what they were.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.labels: tuple[str, ...] = ()
        self._looked_at = float("-inf")
        self._scan_process = QProcess(self)
        self._scan_process.setProcessEnvironment(QProcessEnvironment.systemEnvironment())
        self._scan_process.finished.connect(self._take_devices)

    @property
    def is_looking(self) -> bool:
        """Return whether devices are being looked for."""
        return self._scan_process.state() != QProcess.ProcessState.NotRunning

    def set_devices(self, labels: tuple[str, ...]) -> None:
        """Take over a list of devices."""
        if labels != self.labels:
            self.labels = labels
            self.changed.emit(labels)

    @Slot()
    def refresh_devices(self) -> None:
        """Look for devices in the background, without disturbing a sound."""
        if self.is_looking or time.monotonic() - self._looked_at < DEVICE_REFRESH_INTERVAL_S:
            return
        program, *arguments = build_cli_command()
        self._looked_at = time.monotonic()
        self._scan_process.start(program, [*arguments, "doctor", "--json", "--only", "audio"])

    def close(self) -> None:
        """End the search for devices."""
        # Killing the process makes Qt emit `finished`, and its slot could still change a window that closes.
        self._scan_process.blockSignals(True)
        if self.is_looking:
            self._scan_process.kill()
            self._scan_process.waitForFinished(DEVICE_SCAN_TIMEOUT_MS)

    @Slot()
    def _take_devices(self) -> None:
        try:
            devices = parse_object(bytes(self._scan_process.readAllStandardOutput().data()))["audio_devices"]
            labels = tuple(dict.fromkeys(str(device["name"]) for device in devices))
        except (ValueError, KeyError, TypeError):
            return  # the list stays as it was; what is wrong is shown when something is to be played
        self.set_devices(labels)


class BusyNotice(QObject):
    """Says that the computer is too busy for the voice where lines wait for long or again and again, and offers what helps.

    Once the user has read of them, it says nothing more until the program starts again.

    Args:
        use_light_voice: gives the selected lines the included voice, which is computed forty times as fast.
    """

    def __init__(self, *, speech: SpeechController, settings: SettingsStore, banner: Banner, use_light_voice: Callable[[], object]) -> None:
        super().__init__(settings)
        self._settings, self._banner, self._use_light_voice = settings, banner, use_light_voice
        self._slow_lines = 0
        # Runs while nothing is heard; the notice appears when it ends.
        self.long_wait = QTimer(self, singleShot=True, interval=LONG_WAIT_MS)
        self.long_wait.timeout.connect(self._show_notice)
        speech.speech_waited.connect(self._count_line)
        speech.state_changed.connect(self._follow_state)

    @Slot(object)
    def _follow_state(self, state: SpeechState) -> None:
        if not state.is_preparing:
            self.long_wait.stop()
        elif self._slow_lines < SLOW_LINES and not self._settings.value.prepare_first and not self.long_wait.isActive():
            self.long_wait.start()

    @Slot(object, float)
    def _count_line(self, job: SpeechJob, waited_s: float) -> None:
        if self._slow_lines >= SLOW_LINES or self._settings.value.prepare_first or not job.voice:
            return
        self._slow_lines = self._slow_lines + 1 if waited_s > SLOW_WAIT_S else 0
        if self._slow_lines >= SLOW_LINES:
            self._show_notice()

    @Slot()
    def _show_notice(self) -> None:
        self._slow_lines = SLOW_LINES
        light = localize("「Mei（付属）」を使う", "Use “Mei (starter)”")
        self._banner.show_message(
            "notice",
            localize("このコンピューターは今、この声には忙しすぎます。", "This computer is too busy for this voice right now."),
            localize(
                "途切れないように、再生の前と間で待っています。軽い声に変えるか、先に合成してから再生できます。",
                "To play without gaps, Koebako waits before and between phrases. Use the light voice, or prepare each phrase first.",
            ),
            action=light,
            tip=localize("選んだ行の声を、軽い付属の声に変更します。", "The selected lines will use the light voice."),
            on_action=lambda: self._run_remedy(self._use_light_voice),
            other=BannerButton(
                localize("先に合成する", "Prepare first"),
                localize(
                    "フレーズを合成し終えてから再生します。設定で戻せます。",
                    "Plays a phrase once all of it is computed. Settings can undo this.",
                ),
                lambda: self._run_remedy(lambda: self._settings.change_settings(prepare_first=True)),
            ),
        )

    def _run_remedy(self, remedy: Callable[[], object]) -> None:
        self._banner.hide()
        remedy()
