"""Words that count in the open project only."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.adapters.openjtalk.project_words import PROJECT_WORDS
from app.ui.background import BackgroundThread
from app.ui.projects.document import ProjectDocument
from app.ui.synthesis.controller import SpeechController
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.core.dictionary import Entry


class ProjectWordsController(QObject):
    """Has lines read with the words of the project, as soon as these are ready for the front end."""

    def __init__(self, project: ProjectDocument, speech: SpeechController, banner: Banner) -> None:
        super().__init__(project)
        self._project, self._speech = project, speech
        self._background = BackgroundThread(self, "project words")
        self._background.failed.connect(banner.show_error)
        PROJECT_WORDS.entries = self._wanted = project.parts.dictionary
        project.changed.connect(self._on_project)

    def words(self) -> tuple[Entry, ...]:
        """Those of the open project."""
        return self._project.parts.dictionary

    def keep(self, words: tuple[Entry, ...]) -> None:
        """Gives the project other words."""
        self._project.change(dictionary=words)

    def close(self) -> None:
        """The words count no longer."""
        self._background.close()
        PROJECT_WORDS.entries = ()

    @Slot()
    def _on_project(self) -> None:
        entries = self._project.parts.dictionary
        if entries != self._wanted:
            self._wanted = entries
            self._background.run(partial(_prepare, entries), lambda _nothing: self._use(entries))

    def _use(self, entries: tuple[Entry, ...]) -> None:
        if entries is self._wanted:
            PROJECT_WORDS.entries = entries
            self._speech.read_dictionary()


def _prepare(entries: tuple[Entry, ...]) -> None:
    from app.adapters.openjtalk.dictionary import prepare_project_words  # the window starts without the front end

    prepare_project_words(entries)
