"""Words that count in the open project only."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.adapters.openjtalk.project_words import PROJECT_WORDS
from app.ui.background_thread import BackgroundThread
from app.ui.projects.project_document import ProjectDocument
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.core.text.dictionary_entries import DictionaryEntry


class ProjectDictionaryController(QObject):
    """Has lines read with the words of the project, as soon as these are ready for the front end."""

    def __init__(self, project: ProjectDocument, speech: SpeechController, banner: Banner) -> None:
        super().__init__(project)
        self._project, self._speech = project, speech
        self._background = BackgroundThread(self, "project words")
        self._background.failed.connect(banner.show_error)
        PROJECT_WORDS.entries = self._entries = project.parts.dictionary
        project.changed.connect(self._follow_project)

    def list_entries(self) -> tuple[DictionaryEntry, ...]:
        """Return the entries of the open project."""
        return self._project.parts.dictionary

    def keep_entries(self, entries: tuple[DictionaryEntry, ...]) -> None:
        """Give the project other entries."""
        self._project.change_parts(dictionary=entries)

    def close(self) -> None:
        """Remove the project's entries from the dictionary."""
        self._background.close()
        PROJECT_WORDS.entries = ()

    @Slot()
    def _follow_project(self) -> None:
        entries = self._project.parts.dictionary
        if entries != self._entries:
            self._entries = entries

            def apply_entries(_nothing: object) -> None:
                if entries is self._entries:
                    PROJECT_WORDS.entries = entries
                    self._speech.reload_dictionary()

            self._background.run_work(partial(_prepare_entries, entries), apply_entries)


def _prepare_entries(entries: tuple[DictionaryEntry, ...]) -> None:
    from app.adapters.openjtalk.user_lexicon import prepare_project_entries  # the window starts without the front end

    prepare_project_entries(entries)
