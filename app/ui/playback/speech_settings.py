"""Settings that decide how and where speech is computed and heard; they take effect at once."""

from PySide6.QtCore import QObject, Slot

from app.engine.open_voices import VoicePrecisions
from app.settings.user_settings import Settings
from app.ui.playback.line_playback import LinePlayback
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.banner import Banner


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
