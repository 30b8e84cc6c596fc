"""The controller of the user dictionary dialog.

Most of the dictionary's modules are imported when the dialog opens, so that the window is shown sooner.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.core.script.script import Line, build_request, find_cast
from app.core.synthesis_types import Overrides, ReadingOverride
from app.ui.background_thread import BackgroundThread
from app.ui.playback.line_playback import LinePlayback
from app.ui.script.line_selection import LineSelection
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.banner import Banner
from app.ui.widgets.dialogs import OpenDialog, append_suffix, ask_for_file, show_in_front

if TYPE_CHECKING:
    from app.core.text.dictionary_entries import DictionaryComparison, DictionaryEntry
    from app.ui.dictionary.dictionary_dialog import DictionaryDialog
    from app.ui.dictionary.entry_tables import ImportPreviewDialog

Entries = tuple["DictionaryEntry", ...]


class ProjectEntries(Protocol):
    """The dictionary entries of the open project; keeping entries rereads the lines."""

    def list_entries(self) -> Entries: ...
    def keep_entries(self, entries: Entries) -> None: ...


class DictionaryController(QObject):
    """Opens the dialog, changes the dictionary file in the background, and has the lines read again."""

    preview: OpenDialog[ImportPreviewDialog] = OpenDialog()
    dialog: OpenDialog[DictionaryDialog] = OpenDialog()

    def __init__(
        self,
        parent: QWidget,
        action: QAction,
        selection: LineSelection,
        speech: SpeechController,
        playback: LinePlayback,
        banner: Banner,
        project: ProjectEntries,
    ) -> None:
        super().__init__(parent)
        self._project = project
        self._parent, self._selection, self._speech, self._playback, self._banner = parent, selection, speech, playback, banner
        self._background = BackgroundThread(self, "dictionary")
        self._background.failed.connect(self._show_error)
        action.triggered.connect(lambda: self.open_dialog())

    @Slot(str, str)
    def open_dialog(self, surface: str = "", reading: str = "") -> None:
        """Show the dictionary, with the form filled in where a new word is given."""
        from app.ui.dictionary.dictionary_dialog import DictionaryDialog

        if self.dialog is None:
            dialog = self.dialog = DictionaryDialog(self._parent)
            dialog.put_requested.connect(self._put_entry)
            dialog.removal_requested.connect(self._remove_entries)
            dialog.hearing_requested.connect(self._speak_entry)
            dialog.import_requested.connect(self._choose_import_file)
            dialog.export_requested.connect(self._export_dictionary)
            dialog.scope_changed.connect(self.refresh_dialog)
        show_in_front(self.dialog)
        self._background.run_work(_load_entries, lambda loaded: self._show_entries_at(*loaded, surface, reading))

    def close(self) -> None:
        """Close the dialog and wait until changes are written."""
        if self.dialog is not None:
            self.dialog.reject()
        # Changes are written in the background: ending the program before would lose the last word.
        self._background.close(finish=True)

    def _show_entries_at(self, entries: Entries, error: AppError | None, surface: str, reading: str) -> None:
        if self.dialog is not None:
            self.dialog.show_entries(self._project.list_entries() if self.dialog.is_project_shown else entries)
            self.dialog.begin_entry(surface, reading)
            self.dialog.show_error(error)

    @property
    def _is_project_shown(self) -> bool:
        return self.dialog is not None and self.dialog.is_project_shown

    def _change_entries(self, change: Callable[[Entries], Entries], selected_surfaces: Collection[str] = ()) -> None:
        if self._is_project_shown:
            # Entries of a project are part of it in memory; only the user's own dictionary is a file.
            entries = change(self._project.list_entries())
            self._project.keep_entries(entries)
            self._show_entries(entries, None, selected_surfaces, of_project=True)
        else:
            self._background.run_work(
                lambda: _change_user_entries(change), lambda words: self._show_changed_entries(words, selected_surfaces)
            )

    def _show_changed_entries(self, entries: Entries, selected_surfaces: Collection[str]) -> None:
        self._speech.reload_dictionary()
        self._show_entries(entries, None, selected_surfaces)

    def _show_entries(
        self, entries: Entries, error: AppError | None, selected_surfaces: Collection[str] = (), *, of_project: bool = False
    ) -> None:
        # The user may have switched to the other entries while the file was read or written.
        if self.dialog is not None and self.dialog.is_project_shown is of_project:
            self.dialog.show_entries(entries, selected_surfaces)
            self.dialog.show_error(error)

    @Slot()
    def refresh_dialog(self) -> None:
        """Show the entries again after the other dictionary was chosen or another project was opened."""
        if self._is_project_shown and self.dialog is not None:
            self.dialog.show_entries(self._project.list_entries())
        elif self.dialog is not None:
            self._background.run_work(_load_entries, lambda loaded: self._show_entries(*loaded))

    @Slot(object)
    def _put_entry(self, entry: DictionaryEntry) -> None:
        from app.core.text.dictionary_entries import merge_entries

        self._change_entries(lambda words: merge_entries(words, [entry]), {entry.surface})

    @Slot(object)
    def _remove_entries(self, surfaces: Collection[str]) -> None:
        self._change_entries(lambda words: tuple(word for word in words if word.surface not in surfaces))

    @Slot(object)
    def _speak_entry(self, entry: DictionaryEntry) -> None:
        """Speak the word alone, in the voice of the current line."""
        # The reading is passed with the line, so that a word can be heard before it is saved.
        reading = ReadingOverride(entry.surface, entry.reading, entry.accent)
        line = Line(entry.surface, self._selection.settings, Overrides(readings=(reading,)))
        self._playback.stop_playing()
        self._speech.speak_request(build_request(line), find_cast(line))

    @Slot()
    def _choose_import_file(self) -> None:
        kinds = localize("辞書", "Dictionaries") + " (*.json *.csv *.txt)"
        file = ask_for_file(self.dialog, localize("辞書を読み込む", "Import a dictionary"), kinds)
        if file is not None:
            self.import_file(file)

    def import_file(self, file: Path) -> None:
        """Show what the entries of a file would change in the shown dictionary; they are added when the user says so."""
        project_entries = self._project.list_entries() if self._is_project_shown else None
        self._background.run_work(lambda: _compare_file(file, project_entries), lambda comparison: self._open_preview(file, comparison))

    def _open_preview(self, file: Path, comparison: DictionaryComparison) -> None:
        from app.ui.dictionary.entry_tables import ImportPreviewDialog

        if self.dialog is None:
            return
        preview = self.preview = ImportPreviewDialog(self.dialog, file.name, comparison)
        surfaces = {entry.surface for entry in comparison.found}
        preview.import_requested.connect(lambda keep: self._change_entries(partial(comparison.merge_into, keep=keep), surfaces))
        preview.open()

    @Slot()
    def _export_dictionary(self) -> None:
        start = str(Path.home() / "koebako-dictionary.json")
        kinds = "VOICEVOX JSON (*.json);;CSV (*.csv)"
        name, kind = QFileDialog.getSaveFileName(self.dialog, localize("辞書を書き出す", "Export the dictionary"), start, kinds)
        if name:
            file = Path(name)
            # Some file dialogs do not append the chosen kind's suffix.
            if file.suffix.lower() not in (".json", ".csv"):
                file = append_suffix(file, ".csv" if "csv" in kind else ".json")
            entries = self._project.list_entries() if self._is_project_shown else None
            self._background.run_work(partial(_write_entries, file, entries))

    @Slot(object)
    def _show_error(self, error: AppError) -> None:
        if self.dialog is not None:
            self.dialog.show_error(error)
        else:
            self._banner.show_error(error)


def _load_entries() -> tuple[Entries, AppError | None]:
    from app.adapters.user_dictionary import load_dictionary

    return load_dictionary()


def _change_user_entries(change: Callable[[Entries], Entries]) -> Entries:
    from app.adapters.openjtalk.user_lexicon import change_user_entries

    # The errors are dropped: unreadable entries were already reported when the dialog opened.
    entries, _ = change_user_entries(change)
    return entries


def _compare_file(file: Path, project_entries: Entries | None) -> DictionaryComparison:
    """Compare a file with these entries, or with the user's own where `project_entries` is None."""
    from app.adapters.user_dictionary import import_entries, load_dictionary
    from app.core.text.dictionary_entries import compare_import

    imported, rejected = import_entries(file)
    return compare_import(load_dictionary()[0] if project_entries is None else project_entries, imported, rejected)


def _write_entries(file: Path, entries: Entries | None) -> None:
    """Write these entries, or the user's own where `entries` is None."""
    from app.adapters.user_dictionary import export_entries, read_user_entries

    export_entries(read_user_entries() if entries is None else entries, file)
