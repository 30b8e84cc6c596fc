"""Saving sound: where, which lines go into which files, how these are called, and how far that is."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.adapters.files.part_file import remove_stale_parts
from app.common.errors import AppError, OutputFileError
from app.common.language import localize
from app.core.script.script import Line, LineSettings, build_request, find_cast, place_pauses
from app.engine.open_voices import OpenedVoice
from app.engine.speech_job_runner import SpeechFile
from app.settings.user_settings import SAVE_SUFFIXES
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.dialogs import append_suffix

if TYPE_CHECKING:
    from app.export.safe_file_names import SpeakerNames

PROGRESS_DELAY_S = 0.5  # before that a file is mostly finished, and figures would only flicker

MAX_TITLE_LENGTH = 20
UNSUPPORTED_SOUND_SUFFIXES = (".aac", ".aif", ".aiff", ".m4a", ".mp4", ".wma")  # meant as they are typed, though we cannot write them
NUMBER, TEXT = ("$連番$", "$number$"), ("$テキスト$", "$text$")


@dataclass(frozen=True, slots=True)
class SavingReport:
    """Words on files that are written; `folder` can be opened, and is empty while there is nothing in it."""

    message: str
    hint: str
    folder: str
    is_over: bool = True


def ask_for_sound_file(parent: QWidget, name: str, folder: str, suffix: str = ".wav") -> Path | None:
    """Return a file with the suffix of a sound format, named `name` and of the kind `suffix` at first; None if the user cancels.

    Where the suffix is ours, so is the care for what is there already: the dialog has asked about another name.
    """
    from app.adapters.sound.sound_formats import SOUND_FORMATS  # the window starts without

    start = (Path(folder) if folder and Path(folder).is_dir() else Path.home()) / f"{name}{suffix}"
    kinds = {file_suffix: f"{file_suffix[1:].upper()} (*{file_suffix})" for file_suffix in SOUND_FORMATS}
    listed, first = ";;".join(kinds.values()), kinds.get(suffix, "")
    chosen, kind = QFileDialog.getSaveFileName(parent, localize("音声を書き出す", "Export audio"), str(start), listed, first)
    if not chosen:
        return None
    file = Path(chosen)
    if file.suffix.lower() in (*SOUND_FORMATS, *UNSUPPORTED_SOUND_SUFFIXES):
        return file
    return append_suffix(file, f".{kind.split()[0].lower() if kind else 'wav'}")


def build_default_pattern() -> str:
    """Return the first pattern for several files: a number and the beginning of the text."""
    return localize(f"{NUMBER[0]}_{TEXT[0]}", f"{NUMBER[1]}_{TEXT[1]}")


def choose_file_names(
    pattern: Path, lines: Iterable[tuple[int, Line]], name_speaker: Callable[[LineSettings], SpeakerNames], reserved: Iterable[Path] = ()
) -> list[Path]:
    """Return a file for each numbered line, named as the export page names them; none exists yet or is `reserved`, and no two are the same."""
    from app.export.safe_file_names import (  # wanted when something is saved
        build_token_values,
        fill_pattern,
        find_free_stem,
        fold_file_name,
    )

    stem = pattern.stem if any(mark in pattern.stem for mark in (*NUMBER, "$id$")) else f"{pattern.stem}_{NUMBER[1]}"
    taken_names = {fold_file_name(file.stem) for file in reserved if file.parent == pattern.parent and file.suffix == pattern.suffix}
    files: list[Path] = []
    for number, line in lines:
        values = build_token_values(line, number, name_speaker(line.settings), "", date.today())
        name = find_free_stem(
            fill_pattern(stem, values), "koebako", taken_names, lambda name: os.path.lexists(pattern.with_name(name + pattern.suffix))
        )
        taken_names.add(fold_file_name(name))
        files.append(pattern.with_name(name + pattern.suffix))
    return files


def build_file_title(text: str) -> str:
    """Return a file name made of the first words."""
    first = text.strip().split("\n")[0]
    title = "".join(letter for letter in first if letter.isalnum() or letter in " -_ー")
    return title[:MAX_TITLE_LENGTH].strip() or "koebako"


class SavingController(QObject):
    """Asks once for a place, then has the files written one after the other.

    Args:
        name_speaker: returns who speaks a line, by the names that people see.
        name_project: returns the name of the project; empty for a script without one.

    Signals:
        place_selected(str, str): the files go into this folder, with this suffix.
        reported(SavingReport): how far it is, or what came of it.
        incomplete(str, str): a message and a hint, when some of several files were not written.
        nothing_to_save(): there is no text to save.
    """

    place_selected = Signal(str, str)
    reported = Signal(object)
    incomplete = Signal(str, str)
    nothing_to_save = Signal()
    _finished = Signal()

    def __init__(
        self,
        controller: SpeechController,
        document: ScriptDocument,
        seeds: LineSeeds,
        default_place: tuple[str, str],
        parent: QWidget,
        *,
        name_speaker: Callable[[LineSettings], SpeakerNames],
        name_project: Callable[[], str],
    ) -> None:
        super().__init__(parent)
        self._controller, self._document, self._seeds, self._window = controller, document, seeds, parent
        self._name_speaker, self._name_project = name_speaker, name_project
        self._folder, self._suffix = default_place
        self.wanted: list[Path] = []
        self._given_up: list[Path] = []
        self._saved_count = 0
        self._count = 0
        self._began = 0.0
        self._failures: list[tuple[Path, AppError]] = []
        self._fallback = ""  # why the sound is made elsewhere than it was to be, since something failed on the way
        controller.voice_opened.connect(self._note_fallback)
        controller.file_saved.connect(self._count_saved_file)
        controller.file_advanced.connect(self._report_progress)
        controller.saving_failed.connect(self._collect_failure)
        if self._folder:  # what a killed program left there; a disk may take its time, and nobody waits for it
            threading.Thread(target=remove_stale_parts, args=(Path(self._folder),), name="sweep", daemon=True).start()
        # Queued: what went wrong with one file is shown first, then the result of all of them.
        self._finished.connect(self._report_failures, Qt.ConnectionType.QueuedConnection)

    def save_lines(self, ids: Sequence[str]) -> None:
        """Write each of these lines into a file of its own."""
        lines = self._find_numbered_lines(ids)
        if not lines:
            self.nothing_to_save.emit()
        elif len(lines) == 1:
            self._ask_for_file(build_file_title(lines[0][1].text), lambda file: self._write_files([(file, [lines[0][1]])]))
        else:

            def write_each(pattern: Path) -> None:
                files = choose_file_names(pattern, lines, self._name_speaker, self.wanted)
                self._write_files([(file, [line]) for file, (_, line) in zip(files, lines, strict=True)])

            self._ask_for_file(build_default_pattern(), write_each)

    def save_joined_lines(self, ids: Sequence[str]) -> None:
        """Write all of these lines into one file."""
        lines = [line for _, line in self._find_numbered_lines(ids)]
        if lines:
            name = self._name_project() or build_file_title(lines[0].text)
            self._ask_for_file(name, lambda file: self._write_files([(file, lines)]))
        else:
            self.nothing_to_save.emit()

    @Slot()
    def stop_saving(self) -> None:
        """Cancel the incomplete files and remove them."""
        if self.wanted:
            complete = (
                localize("書き出しが完了したファイルは残っています。", "Files that were finished are kept.") if self._saved_count else ""
            )
            stopped = localize("書き出しを中止しました。", "Export stopped.")
            self.reported.emit(SavingReport(stopped, complete, self._folder if self._saved_count else ""))
        self._cancel_files()

    def _find_numbered_lines(self, ids: Sequence[str]) -> list[tuple[int, Line]]:
        """Return the lines with text, with their numbers in the script."""
        wanted_ids = set(ids)
        return [(row + 1, line) for row, line in enumerate(self._document.script.lines) if line.id in wanted_ids and line.text.strip()]

    def _ask_for_file(self, name: str, write: Callable[[Path], None]) -> None:
        file = ask_for_sound_file(self._window, name, self._folder, self._suffix)
        if file is not None:
            suffix = file.suffix.lower()
            self._folder, self._suffix = str(file.parent), suffix if suffix in SAVE_SUFFIXES else self._suffix
            self.place_selected.emit(self._folder, self._suffix)
            write(file)

    def _write_files(self, files: list[tuple[Path, list[Line]]]) -> None:
        if not self.wanted:
            self._saved_count, self._count, self._failures, self._given_up, self._fallback = 0, 0, [], [], ""
            self._began = time.monotonic()
        self._count += len(files)
        self.wanted += [file for file, _ in files]
        several = sum(len(lines) for _, lines in files) > 1
        for file, lines in files:
            requests = tuple(build_request(self._seeds.apply_last_seed(line)) for line in place_pauses(lines))
            self._controller.save_sound(SpeechFile(file, requests, tuple(map(find_cast, lines)), may_be_silent=several))

    @Slot(object)
    def _count_saved_file(self, file: Path) -> None:
        if file in self._given_up:  # it was complete before it was given up
            self._given_up.remove(file)
            self._saved_count += 1
            self._finished.emit()
            return
        if file not in self.wanted:
            return
        self.wanted.remove(file)
        self._saved_count += 1
        folder = str(file.parent)
        if self.wanted:
            message = localize(f"書き出し中… {self._saved_count} / {self._count}", f"Exporting… {self._saved_count} of {self._count}")
            self._report_result(message, file.name, is_over=False)
        elif self._failures:
            self._finished.emit()
        elif self._count == 1:
            self._report_result(localize(f"書き出しました: {file.name}", f"Exported: {file.name}"), folder, folder)
        else:
            message = localize(f"{self._saved_count} 個のファイルを書き出しました。", f"Exported {self._saved_count} files.")
            self._report_result(message, folder, folder)

    @Slot(object, float)
    def _report_progress(self, file: Path, share: float) -> None:
        """Report the progress of a single file once it takes long; of several files each is reported when it is finished."""
        if self._count == 1 and file in self.wanted and time.monotonic() - self._began > PROGRESS_DELAY_S:
            percent = f"{100 * share:.0f}%"
            self._report_result(localize(f"書き出し中… {percent}", f"Exporting… {percent}"), file.name, is_over=False)

    @Slot(object)
    def _note_fallback(self, voice: OpenedVoice) -> None:
        if self.wanted and voice.fallback:
            self._fallback = voice.fallback

    def _report_result(self, message: str, hint: str, folder: str = "", *, is_over: bool = True) -> None:
        """Report the result and the folder to open; name a device that failed meanwhile, too, as this banner replaces its own."""
        cpu_note = localize("音声は CPU で合成しました。", "The audio was synthesised on the CPU.")
        self.reported.emit(SavingReport(message, f"{hint}\n{self._fallback} {cpu_note}" if self._fallback else hint, folder, is_over))

    @Slot(object, object)
    def _collect_failure(self, file: Path, error: AppError) -> None:
        """Collect the failure of a line that cannot be spoken, which leaves the others alone; stop if a file cannot be written, as the next ones could not either."""
        if file in self.wanted:
            self.wanted.remove(file)
            self._failures.append((file, error))
            if isinstance(error, OutputFileError):
                self._cancel_files()
            if not self.wanted:
                self._finished.emit()

    def _cancel_files(self) -> None:
        # Remembered: a file that is complete already may still be on its way here, and counts as saved.
        self._given_up, self.wanted = self.wanted, []
        self._controller.stop_saving()

    @Slot()
    def _report_failures(self) -> None:
        """Report the failures; that of a single file is shown already, perhaps with a way out."""
        if self._failures and self._count > 1:
            file, error = self._failures[0]
            more = len(self._failures) - 1
            more_files = localize(f"（ほか {more} 個）", f" (and {more} more)") if more else ""
            message = localize(
                f"{self._count} 個のうち {self._saved_count} 個を書き出しました。", f"Exported {self._saved_count} of {self._count} files."
            )
            hint = error.hint if isinstance(error, OutputFileError) else ""  # of a voice its card and banner say more
            self.incomplete.emit(
                message, f"{file.name}: {error.message} {hint}".strip() + more_files + (self._fallback and f"\n{self._fallback}")
            )
