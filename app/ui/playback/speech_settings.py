"""Settings that decide how and where speech is computed and heard; they take effect at once."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.settings import Settings
from app.ui.playback.playback import Playback
from app.ui.settings.store import SettingsStore
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import Precisions
from app.ui.widgets.banner import Banner


class SpeechSettings(QObject):
    """Brings changed settings to the speech controller; what is spoken stops where it must.

    Args:
        banner: messages about what was asked before go when the voice is opened again.
    """

    def __init__(self, settings: SettingsStore, speech: SpeechController, playback: Playback, banner: Banner) -> None:
        super().__init__(settings)
        self._settings, self._speech, self._playback, self._banner = settings, speech, playback, banner
        settings.changed.connect(self._on_changed)

    def begin(self) -> None:
        """Asks for the device and the first voice as they were chosen last."""
        chosen = self._settings.value
        self._speech.unload_after(chosen.unload_after_min)
        if chosen.device:
            self._speech.choose_device(chosen.device)
        self._open_voice()

    @Slot(str)
    def choose_backend(self, backend: str) -> None:
        """Opens the voice on a backend, also on the one it was asked to run on before."""
        self._settings.change(backend=backend)
        self.open_voice(retry=True)

    @Slot()
    def use_measured(self) -> None:
        """Other backends were measured; "auto" takes what was found."""
        if self._settings.value.backend == "auto":
            self._playback.stop()
            self._open_voice()

    @Slot()
    def open_voice(self, *, retry: bool = False) -> None:
        """Stops what is spoken and opens the voice with the settings of now; `retry` tries devices again that failed."""
        self._banner.hide()
        self._playback.stop()
        self._open_voice(retry=retry)

    def _open_voice(self, *, retry: bool = False) -> None:
        chosen = self._settings.value
        self._speech.open_voice(chosen.backend, precisions_of(chosen), hold=chosen.load_voice == "at_start", retry=retry)

    @Slot(object, object)
    def _on_changed(self, before: Settings, after: Settings) -> None:
        if before.bert_precision != after.bert_precision:
            self.open_voice()
        elif before.sound_choice != after.sound_choice:
            self._speech.choose_precisions(precisions_of(after))
        if before.unload_after_min != after.unload_after_min:
            self._speech.unload_after(after.unload_after_min)
        reading = ("built_in_words", "links", "memos_everywhere")
        if any(getattr(before, name) != getattr(after, name) for name in reading):
            self._read_otherwise(after)
        if before.device != after.device:
            self._banner.hide()
            self._playback.stop()
            self._speech.choose_device(after.device)

    def _read_otherwise(self, settings: Settings) -> None:
        """The file with the settings is written later, so the front end is asked for the new choices at once."""
        from app.adapters.openjtalk.choices import CHOICES  # the window starts without the front end

        CHOICES.built_in_words, CHOICES.links = settings.built_in_words, settings.links
        CHOICES.memos_everywhere = settings.memos_everywhere
        self._speech.read_dictionary()


def precisions_of(settings: Settings) -> Precisions:
    """Those that lines speak in."""
    return Precisions(settings.bert_precision, settings.sound_choice)
