"""What is asked for in the dialog of the user's dictionary. What that needs is imported when it is opened: the window is there sooner."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QWidget

from app.core.requests import cast_of, request_of
from app.core.script import Line
from app.core.types import Overrides, ReadingOverride
from app.errors import AppError, InputError
from app.language import localized
from app.ui.background import BackgroundThread
from app.ui.playback.playback import Playback
from app.ui.script.selection import Selection
from app.ui.synthesis.controller import SpeechController
from app.ui.widgets.banner import Banner
from app.ui.widgets.open_files import ask_for_one

if TYPE_CHECKING:
    from app.core.dictionary import Entry
    from app.ui.dictionary.dialog import DictionaryDialog

Words = tuple["Entry", ...]


class WordsOfProject(Protocol):
    """Where the words of the open project are; it has lines read again by itself."""

    def words(self) -> Words: ...
    def keep(self, words: Words) -> None: ...


class DictionaryController(QObject):
    """Opens the dialog, changes the file in the background, and has lines read again.

    Attributes:
        dialog: while it is open.
    """

    def __init__(
        self,
        parent: QWidget,
        action: QAction,
        selection: Selection,
        speech: SpeechController,
        playback: Playback,
        banner: Banner,
        project: WordsOfProject,
    ) -> None:
        super().__init__(parent)
        self._project = project
        self._parent, self._selection, self._speech, self._playback, self._banner = parent, selection, speech, playback, banner
        self._background = BackgroundThread(self, "dictionary")
        self._background.failed.connect(self._show_error)
        self.dialog: DictionaryDialog | None = None
        action.triggered.connect(lambda: self.open())

    @Slot(str, str)
    def open(self, surface: str = "", reading: str = "") -> None:
        """Shows the dictionary, at a word that is to be added where one is given."""
        from app.ui.dictionary.dialog import DictionaryDialog

        if self.dialog is None:
            dialog = self.dialog = DictionaryDialog(self._parent)
            dialog.put_requested.connect(self._put)
            dialog.removal_requested.connect(self._remove)
            dialog.hearing_requested.connect(self._speak)
            dialog.import_requested.connect(self._import)
            dialog.export_requested.connect(self._export)
            dialog.scope_changed.connect(self.show_again)
            dialog.finished.connect(self._on_finished)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()
        self._background.run(_load, lambda found: self._begin(*found, surface, reading))

    def close(self) -> None:
        """Waits until what was changed is written."""
        if self.dialog is not None:
            self.dialog.reject()
        self._background.close(finish=True)

    def _begin(self, words: Words, error: AppError | None, surface: str, reading: str) -> None:
        if self.dialog is not None:
            self.dialog.show_words(self._project.words() if self.dialog.is_project else words)
            self.dialog.begin(surface, reading)
            self.dialog.show_error(error)

    @property
    def _in_project(self) -> bool:
        return self.dialog is not None and self.dialog.is_project

    def _change(self, change: Callable[[Words], Words], chosen: Collection[str] = ()) -> None:
        if self._in_project:
            self._keep(change(self._project.words()), chosen)
        else:
            self._background.run(lambda: _changed(change), lambda words: self._show(words, chosen))

    def _keep(self, words: Words, chosen: Collection[str], error: AppError | None = None) -> None:
        self._project.keep(words)
        if self._in_project and self.dialog is not None:
            self.dialog.show_words(words, chosen)
            self.dialog.show_error(error)

    def _show(self, words: Words, chosen: Collection[str], error: AppError | None = None) -> None:
        self._speech.read_dictionary()
        if self.dialog is not None and not self.dialog.is_project:
            self.dialog.show_words(words, chosen)
            self.dialog.show_error(error)

    @Slot()
    def show_again(self) -> None:
        """The other dictionary is chosen, or another project is open."""
        if self._in_project and self.dialog is not None:
            self.dialog.show_words(self._project.words())
        elif self.dialog is not None:
            self._background.run(_load, lambda found: self._show_loaded(*found))

    def _show_loaded(self, words: Words, error: AppError | None) -> None:
        if self.dialog is not None and not self.dialog.is_project:
            self.dialog.show_words(words)
            self.dialog.show_error(error)

    @Slot(object)
    def _put(self, word: Entry) -> None:
        from app.core.dictionary import put

        self._change(lambda words: put(words, [word]), {word.surface})

    @Slot(object)
    def _remove(self, surfaces: Collection[str]) -> None:
        gone = frozenset(surfaces)
        self._change(lambda words: tuple(word for word in words if word.surface not in gone))

    @Slot(object)
    def _speak(self, word: Entry) -> None:
        """The word alone, by the voice of the current line."""
        reading = ReadingOverride(word.surface, word.reading, word.accent)
        line = Line(word.surface, self._selection.settings, Overrides(readings=(reading,)))
        self._playback.stop()
        self._speech.speak(request_of(line), cast_of(line))

    @Slot()
    def _import(self) -> None:
        kinds = localized("辞書", "Dictionaries") + " (*.json *.csv)"
        file = ask_for_one(self.dialog, localized("辞書を読み込む", "Import a dictionary"), kinds)
        if file is not None:
            self.take_in(file)

    def take_in(self, file: Path) -> None:
        """Adds the words of a file; what cannot be used is reported."""
        if self._in_project:
            self._background.run(lambda: _read_words(file), self._take_into_project)
        else:
            self._background.run(lambda: _taken_in(file), lambda found: self._show(*found))

    def _take_into_project(self, found: tuple[list[Entry], list[InputError]]) -> None:
        from app.core.dictionary import put

        words, wrong = found
        self._keep(put(self._project.words(), words), {word.surface for word in words}, _refused(wrong))

    @Slot()
    def _export(self) -> None:
        start = str(Path.home() / "koebako-dictionary.json")
        kinds = "VOICEVOX JSON (*.json);;CSV (*.csv)"
        name, kind = QFileDialog.getSaveFileName(self.dialog, localized("辞書を書き出す", "Export the dictionary"), start, kinds)
        if name:
            file = Path(name)
            suffix = "" if file.suffix.lower() in (".json", ".csv") else ".csv" if "csv" in kind else ".json"
            words = self._project.words() if self._in_project else None
            self._background.run(lambda: _write(file.with_name(file.name + suffix), words))

    @Slot(object)
    def _show_error(self, error: AppError) -> None:
        if self.dialog is not None:
            self.dialog.show_error(error)
        else:
            self._banner.show_error(error)

    @Slot()
    def _on_finished(self) -> None:
        self.dialog = None


def _load() -> tuple[Words, AppError | None]:
    from app.adapters.user_dictionary import load_dictionary

    return load_dictionary()


def _changed(change: Callable[[Words], Words]) -> Words:
    from app.adapters.openjtalk.dictionary import change_words

    words, _ = change_words(change)  # what could not be read was shown when the dialog opened
    return words


def _taken_in(file: Path) -> tuple[Words, set[str], AppError | None]:
    """All words, the surfaces of the new ones, and what is wrong with those that could not be used."""
    from app.core.dictionary import put

    found, wrong = _read_words(file)
    words = _changed(lambda words: put(words, found))
    return words, {word.surface for word in found}, _refused(wrong)


def _refused(wrong: list[InputError]) -> InputError | None:
    """The first of several errors, with how many there are."""
    if len(wrong) < 2:
        return wrong[0] if wrong else None
    more = len(wrong) - 1
    others = localized(f"ほか {more:,} 件も読み込めませんでした。", f"{more:,} more could not be imported.")
    return InputError(f"{wrong[0].message} {others}", wrong[0].hint)


def _read_words(file: Path) -> tuple[list[Entry], list[InputError]]:
    from app.adapters.user_dictionary import read_words

    return read_words(file)


def _write(file: Path, words: Words | None) -> None:
    """These words, or the user's own."""
    from app.adapters.user_dictionary import known_words, write_words

    write_words(known_words() if words is None else words, file)
