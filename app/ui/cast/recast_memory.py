"""Keeps the program's memory of characters in step with the cast: a recast is remembered as what was chosen for an import is."""

import logging
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, QTimer, Slot

from app.common.errors import AppError
from app.core.script.project import VoiceAssignment
from app.core.script.script import CAST_FIELDS, Character, Script
from app.ui.background_thread import BackgroundThread
from app.ui.script.script_document import ScriptDocument
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_catalog import VoiceCatalog

RECAST_SETTLE_MS = 500  # somebody who goes through the voices of a list recasts at every step


class RecastMemory(QObject):
    """Remembers who speaks a character whenever that changes, also by undo; another project that is opened is no recast."""

    def __init__(self, parent: QObject, document: ScriptDocument, catalog: VoiceCatalog) -> None:
        super().__init__(parent)
        self._catalog = catalog
        self._is_other_script = False
        self._recast: dict[str, Character] = {}
        self._background = BackgroundThread(self, "recast memory")
        self._background.failed.connect(_log_write_error)
        self._timer = QTimer(self, singleShot=True, interval=RECAST_SETTLE_MS)
        self._timer.timeout.connect(self._remember_recast)
        document.replaced.connect(self._note_replacement)
        document.changed.connect(self._note_recast)

    def close(self) -> None:
        """Write what is not written yet."""
        self._timer.stop()
        self._remember_recast()
        self._background.close(finish=True)

    @Slot()
    def _note_replacement(self) -> None:
        self._is_other_script = True

    @Slot(object, object)
    def _note_recast(self, former_script: Script, script: Script) -> None:
        is_other_script, self._is_other_script = self._is_other_script, False
        if is_other_script or former_script.cast is script.cast:
            return
        former = {character.id: character.settings for character in former_script.cast}
        for character in script.cast:
            old, new = former.get(character.id, character.settings), character.settings
            if old is not new and any(getattr(old, name) != getattr(new, name) for name in CAST_FIELDS):
                self._recast[character.id] = character
                self._timer.start()

    @Slot()
    def _remember_recast(self) -> None:
        if not self._recast:
            return
        cast, voices = tuple(self._recast.values()), self._catalog.voices
        self._recast = {}

        def remember_cast() -> None:
            # With the locks of files, which the window starts without.
            from app.install.known_voices import remember_characters

            if chosen := list_recast_voices(cast, voices):
                remember_characters(chosen)

        self._background.run_work(remember_cast)


def list_recast_voices(cast: Iterable[Character], voices: Sequence[CatalogVoice]) -> list[VoiceAssignment]:
    """Return the voices of a cast by all names of its characters, without those that are missing here.

    A speaker or style that a voice lacks is left empty: it belongs to a former voice, and an import would fail by it.
    """
    voices_by_id = {voice.id: voice for voice in voices}

    def drop_unknown(name: str, items: Iterable[tuple[int, str]]) -> str:
        return name if any(name == item for _, item in items) else ""

    return [
        VoiceAssignment(
            name,
            voice.manifest.id,
            drop_unknown(character.settings.speaker, voice.speakers),
            drop_unknown(character.settings.style, voice.styles),
        )
        for character in cast
        if (voice := voices_by_id.get(character.settings.voice)) is not None
        for name in character.names
    ]


def _log_write_error(error: AppError) -> None:
    # The project holds the cast, so that nothing is lost that anybody has to be asked about.
    logging.getLogger("koebako").warning("%s %s", error.message, error.hint)
