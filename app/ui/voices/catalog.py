"""The voices there are, as the window shows them: installed ones, ours, and those of AivisSpeech."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core.script import LineSettings
from app.errors import AppError
from app.settings import MOST_FAVOURITES
from app.sound_choice import SoundChoice, SoundPrecision
from app.ui.background import BackgroundThread
from app.ui.labels import style_name
from app.ui.voices.catalog_voice import CatalogVoice

if TYPE_CHECKING:
    from app.export.pattern import Who

Found = tuple[tuple[CatalogVoice, ...], tuple[str, ...]]
"""All voices, and the ids of all BERTs."""


class VoiceCatalog(QObject):
    """Looks at the disk in a thread of its own.

    Attributes:
        voices: favourites first, then the user's own, ours and AivisSpeech's; empty before the first look.
        berts: ids of the BERTs there are.
        is_read: the first look is over.
        favourites: ids by manifest; they come first.
        sounds: how exactly voices are to speak.

    Signals:
        changed(): another look has found something, or the order is another.
        preferred(tuple[str, ...]): other favourites.
        sounds_chosen(SoundChoice): the user chose how exactly a voice speaks.
    """

    changed = Signal()
    preferred = Signal(object)
    sounds_chosen = Signal(object)

    def __init__(self, parent: QObject, favourites: tuple[str, ...] = (), sounds: SoundChoice | None = None) -> None:
        super().__init__(parent)
        self.favourites = favourites
        self.sounds = sounds or SoundChoice()
        self.voices: tuple[CatalogVoice, ...] = ()
        self._found: tuple[CatalogVoice, ...] = ()
        self.berts: tuple[str, ...] = ()
        self.is_read = False
        self._background = BackgroundThread(self, "catalog")
        self._background.failed.connect(self._on_failed)

    @Slot()
    def refresh(self) -> None:
        """Looks again; `changed` follows."""
        self._background.run(_read, self._take)

    def is_favourite(self, voice: CatalogVoice) -> bool:
        """The user gave it a star."""
        return voice.manifest.id in self.favourites

    def prefer(self, voice: CatalogVoice, favourite: bool) -> None:
        """Gives a voice a star, or takes it away."""
        others = tuple(item for item in self.favourites if item != voice.manifest.id)
        self.favourites = ((*others, voice.manifest.id) if favourite else others)[-MOST_FAVOURITES:]
        self.preferred.emit(self.favourites)
        self.voices = self._in_order(self._found)
        self.changed.emit()

    def precision_of(self, voice: CatalogVoice) -> SoundPrecision:
        """How exactly a voice speaks: fast only where it has a faster way."""
        return "exact" if voice.manifest.fast is None else self.sounds.of(voice.manifest.id)

    def choose_precision(self, voice: CatalogVoice, precision: SoundPrecision) -> None:
        """The user chose how exactly a voice speaks; it no longer follows the default."""
        self.sounds = self.sounds.with_own(voice.manifest.id, precision)
        self.sounds_chosen.emit(self.sounds)
        self.changed.emit()

    def show_sounds(self, sounds: SoundChoice) -> None:
        """Another default, perhaps."""
        if sounds != self.sounds:
            self.sounds = sounds
            self.changed.emit()

    def find(self, voice: str) -> CatalogVoice | None:
        """The voice that lines call so."""
        return next((item for item in self.voices if voice in (item.id, item.manifest.id)), None)

    def name_speaker(self, settings: LineSettings) -> Who:
        """Return who speaks a line, as file names say it: the style as the window calls it; of a voice that is gone what the line says."""
        from app.export.pattern import Who  # the window starts without

        found = self.find(settings.voice)
        if found is None:
            return Who(settings.voice, settings.speaker, style_name(settings.style))
        info = found.manifest
        speaker = next((item.name for item in info.speakers if item.name == settings.speaker), info.speakers[0].name)
        style = next((item.name for item in info.styles if item.name == settings.style), info.styles[0].name)
        return Who(info.name, speaker, style_name(style))

    def close(self) -> None:
        """Waits for the running look."""
        self._background.close()

    def _take(self, found: Found) -> None:
        (self._found, self.berts), self.is_read = found, True
        self.voices = self._in_order(self._found)
        self.changed.emit()

    def _in_order(self, voices: tuple[CatalogVoice, ...]) -> tuple[CatalogVoice, ...]:
        """Favourites first; those that have to be prepared stay together at the end."""
        return tuple(sorted(voices, key=lambda voice: (voice.place == "aivisspeech", not self.is_favourite(voice))))

    @Slot(object)
    def _on_failed(self, error: AppError) -> None:
        logging.getLogger("koebako").warning("%s %s", error.message, error.hint)


def _read() -> Found:
    from app.ui.voices.catalog_scan import scan_catalog  # what reads files is imported here, in the background

    return scan_catalog()
