"""Imports scripts of other programs, tables and texts in one undoable step, and writes the script as text, as a table or for a game engine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.core.script.characters import merge_cast
from app.core.script.project import PROJECT_SUFFIX, SCRIPT_SUFFIXES, VoiceAssignment, VoiceReference
from app.core.script.script import Line, LineSettings, Script
from app.ui.background_thread import BackgroundThread
from app.ui.script.line_commands import LineCommands
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.banner import Banner
from app.ui.widgets.dialogs import OpenDialog, append_suffix, ask_for_files
from app.voices.voice_labels import format_style, format_usual_speaker

if TYPE_CHECKING:
    from app.interchange.imported_script import ImportedScript
    from app.interchange.script_tables import ScriptTable
    from app.ui.interchange.mapping_dialog import MappingDialog
    from app.ui.interchange.opened_import import OpenedImport

MAX_REPORTED_SENTENCES = 2  # more sentences than the banner can show go into its details


@dataclass(slots=True)
class ImportJob:
    """The files still to read, or a text that was pasted, and the contents of those already read."""

    files: deque[Path | str]
    row: int | None  # The row that the lines are inserted before; None inserts them below the selected ones
    names: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    voices: list[VoiceReference] = field(default_factory=list)
    script: Script = field(default_factory=Script)  # An empty script with the cast of the files read so far
    dropped: list[str] = field(default_factory=list)  # What was not imported, in sentences
    error: AppError | None = None

    def add_file(self, name: str, imported: ImportedScript, taken_ids: Collection[str], default_settings: LineSettings) -> None:
        """Add a file's lines.

        Their ids are replaced where they are in `taken_ids` or in use here; lines without any setting of their own get
        `default_settings`, and those without a voice its voice, unless the file is a Koebako project, where they use the bundled voice.
        """
        from app.interchange.imported_script import replace_taken_ids

        imported, plain = replace_taken_ids(imported, frozenset((*taken_ids, *(line.id for line in self.lines)))), LineSettings()
        self.script, lines = merge_cast(self.script, imported.project.script.lines, imported.project.script.cast)
        is_own = name.lower().endswith(PROJECT_SUFFIX)

        def choose_settings(line: Line) -> Line:
            if line.character or line.settings.voice or is_own:
                return line
            settings = default_settings if line.settings == plain else replace(line.settings, voice=default_settings.voice)
            return replace(line, settings=settings)

        self.lines += map(choose_settings, lines)
        self.voices += imported.project.voices
        self.dropped += imported.losses
        self.names.append(name)

    def report_problems(self, banner: Banner) -> None:
        """Report what was not imported, each kind once."""
        sentences, count, names = list(dict.fromkeys(self.dropped)), len(self.lines), ", ".join(self.names)
        is_short = len(sentences) <= MAX_REPORTED_SENTENCES
        banner.show_message(
            "notice",
            localize(f"「{names}」から {count:,} 行を読み込みました。", f"Lines imported from “{names}”: {count:,}."),
            " ".join(sentences) if is_short else localize("読み込まなかったものがあります。", "Some content was not imported."),
            details="" if is_short else "\n".join(sentences),
            help_page="import",
        )


SLOW_IMPORT_MS = 1_000  # a notice for shorter reads would flash up and vanish


class ScriptImporter(QObject):
    """Reads one file after the other in a thread of its own, and asks where something is unclear.

    Signals:
        references_found(tuple[VoiceReference]): The names that new lines give to missing voices; emitted before the lines are inserted.
        finished(): All requested files are imported or given up.
    """

    dialog: OpenDialog[MappingDialog] = OpenDialog()  # The open questions about a file, or None
    references_found = Signal(object)
    finished = Signal()

    def __init__(
        self,
        parent: QWidget,
        commands: LineCommands,
        document: ScriptDocument,
        selection: LineSelection,
        catalog: VoiceCatalog,
        banner: Banner,
    ) -> None:
        super().__init__(parent)
        self._parent, self._commands, self._document = parent, commands, document
        self._selection, self._catalog, self._banner = selection, catalog, banner
        self._background = BackgroundThread(self, "import")
        self._jobs: deque[ImportJob] = deque()
        self._job: ImportJob | None = None
        self._slow_notice = ""
        self._close_event = Event()
        self._slow = QTimer(self, singleShot=True, interval=SLOW_IMPORT_MS)
        self._slow.timeout.connect(self._show_slow_notice)
        # Returns the voices of the script's cast, used in addition to those the user chose before.
        self.remembered: Callable[[], Sequence[VoiceAssignment]] = tuple

    @Slot()
    def choose_files(self) -> None:
        """Ask for files and import them."""
        kinds = localize("台本とテキスト", "Scripts and text") + f" ({' '.join('*' + suffix for suffix in SCRIPT_SUFFIXES)})"
        self.import_files(ask_for_files(self._parent, localize("台本を読み込む", "Import"), kinds))

    @Slot(object, object)
    def import_files(self, files: Sequence[Path], row: int | None = None) -> None:
        """Import files; their lines are inserted before this row, or below the selected lines."""
        if files:
            self._jobs.append(ImportJob(deque(files), row))
        if self._job is None:
            self._read_next_file()

    @Slot(str, int)
    def import_text(self, text: str, row: int) -> None:
        """Import a pasted text as if it were a file; its lines are inserted before this row."""
        self._jobs.append(ImportJob(deque([text]), row))
        if self._job is None:
            self._read_next_file()

    def close(self) -> None:
        """Give up the import: close the dialog and wait for the file that is being read."""
        self._close_event.set()
        self._slow.stop()
        self._jobs.clear()
        if self.dialog is not None:
            self.dialog.reject()
        self._background.close()

    @Slot()
    def _read_next_file(self) -> None:
        """Read the next file; after the last file of a job, insert the lines of all of them."""
        if self._job is not None and not self._job.files:
            job, self._job = self._job, None
            self._insert_lines(job)
        if self._job is None and self._jobs:
            self._job = self._jobs.popleft()
        if self._job is None:
            self._slow.stop()
            self.finished.emit()
            return
        self._slow.start()
        file, remembered = self._job.files.popleft(), tuple(self.remembered())
        voices, default_id = self._catalog.voices, self._catalog.default_id

        def read_file() -> tuple[OpenedImport, AppError | None]:
            # The readers of files are imported here, in the background, so that the window does not wait for them.
            from app.ui.interchange.opened_import import find_voices, open_file, open_text

            import_voices, error = find_voices(voices, default_id, remembered)
            return open_text(file, import_voices) if isinstance(file, str) else open_file(file, import_voices), error

        def accept_opened(result: tuple[OpenedImport, AppError | None]) -> None:
            opened, error = result
            if error is not None:
                self._record_error(error)
            if opened.is_clear:
                self._finish_file(opened, {})
            else:
                self._ask_about_file(opened)

        self._background.run_work(read_file, accept_opened, self._skip_failed_file)

    def _ask_about_file(self, opened: OpenedImport) -> None:
        from app.ui.interchange.mapping_dialog import MappingDialog

        self._slow.stop()
        dialog = self.dialog = MappingDialog(self._parent, opened)
        # A list, because both callbacks must see the newest mapping: the columns may change while the dialog is open.
        state = [opened]
        dialog.columns_changed.connect(lambda table, columns: self._map_columns(state, table, columns))
        dialog.names.introduction_requested.connect(self._catalog.introduction_requested)
        dialog.choices_accepted.connect(lambda choices: self._finish_file(state[0], choices))
        dialog.rejected.connect(self._read_next_file)
        dialog.open()

    def _map_columns(self, opened_box: list[OpenedImport], table: ScriptTable, columns: Mapping[str, int]) -> None:
        """Read the table again with other columns."""
        dialog, opened = self.dialog, opened_box[0]

        def map_columns() -> OpenedImport:
            from app.ui.interchange.opened_import import map_table

            return map_table(opened, table, columns)

        def show_mapped(mapped: OpenedImport) -> None:
            opened_box[0] = mapped
            # The dialog may have closed, or belong to another file, by the time the table is read.
            if dialog is not None and self.dialog is dialog:
                dialog.show_opened(mapped)

        def show_error(error: AppError) -> None:
            if dialog is not None and self.dialog is dialog:
                dialog.show_error(error)

        self._background.run_work(map_columns, show_mapped, show_error)

    def _finish_file(self, opened: OpenedImport, choices: Mapping[str, VoiceAssignment]) -> None:
        def finish_file() -> ImportedScript:
            from app.install.known_voices import remember_characters
            from app.ui.interchange.opened_import import finish_import

            if choices:
                remember_characters(choices.values())
            return finish_import(opened, choices, self._close_event.is_set)

        self._slow.start()
        self._background.run_work(finish_file, lambda imported: self._add_to_job(opened, imported), self._skip_failed_file)

    def _add_to_job(self, opened: OpenedImport, imported: ImportedScript) -> None:
        """Add a file's lines to the job; lines without any setting get those of the current line, as typed ones do."""
        assert self._job is not None
        taken = [line.id for line in self._document.script.lines]
        self._job.add_file(opened.file.name, imported, taken, self._selection.settings)
        self._read_next_file()

    @Slot()
    def _show_slow_notice(self) -> None:
        self._slow_notice = localize("台本を読み込んでいます…", "Importing the script…")
        self._banner.show_message("progress", self._slow_notice)

    def _insert_lines(self, job: ImportJob) -> None:
        # Only our own notice is hidden: a newer message must stay.
        if self._slow_notice and self._banner.message.text() == self._slow_notice:
            self._banner.hide()
        if job.lines:
            self.references_found.emit(tuple(job.voices))
            row = self._commands.find_insertion_row() if job.row is None else job.row
            self._commands.insert_imported(job.lines, job.script.cast, row)
        if job.error is not None:
            self._banner.show_error(job.error)
        elif job.dropped:
            job.report_problems(self._banner)

    def _skip_failed_file(self, error: AppError) -> None:
        self._record_error(error)
        self._read_next_file()

    def _record_error(self, error: AppError) -> None:
        """Record the first error of a job, to be shown when its lines are in."""
        if self._job is not None and self._job.error is None:
            self._job.error = error


class ScriptExporter(QObject):
    """Asks for a file, writes it, and reports what the format cannot hold."""

    def __init__(self, parent: QWidget, document: ScriptDocument, catalog: VoiceCatalog, banner: Banner) -> None:
        super().__init__(parent)
        self._parent, self._document, self._catalog, self._banner = parent, document, catalog, banner
        self._background = BackgroundThread(self, "script")
        self._background.failed.connect(banner.show_error)
        self._folder = Path.home()

    @Slot()
    def choose_file(self) -> None:
        """Ask for a file and its kind."""
        plain = localize("テキスト", "Text") + " (*.txt)"
        named = localize("話者付きテキスト（VOICEVOX 形式）", "Text with speakers (VOICEVOX)") + " (*.txt)"
        dialogue = localize("台詞のテキスト（名前「台詞」）", "Dialogue text (name and quotation)") + " (*.txt)"
        tables = {"CSV (*.csv)": ".csv", "TSV (*.tsv)": ".tsv"}
        scripts = {"Ren'Py (*.rpy)": ".rpy", "Yarn Spinner (*.yarn)": ".yarn"}
        kinds = {plain: ".txt", named: ".txt", dialogue: ".txt", **tables, **scripts}
        title = self._document.script.title or localize("台本", "script")
        chosen, kind = QFileDialog.getSaveFileName(
            self._parent, localize("台本を書き出す", "Export script"), str(self._folder / title), ";;".join(kinds)
        )
        if not chosen:
            return
        file = Path(chosen)
        if file.suffix.lower() not in kinds.values():
            file = append_suffix(file, kinds.get(kind, ".txt"))
        self._folder = file.parent
        self.write_file(file, has_characters=kind == named, as_dialogue=kind == dialogue)

    def write_file(self, file: Path, *, has_characters: bool = False, as_dialogue: bool = False) -> None:
        """Write the script in the background, in the format of the file's suffix."""
        script = self._document.script

        def write_in_background() -> tuple[str, ...]:
            from app.interchange.script_writers import NAMED_SUFFIXES, write_script

            is_named = has_characters or as_dialogue or file.suffix.lower() in NAMED_SUFFIXES
            return write_script(file, script, self._find_names if is_named else None, as_dialogue=as_dialogue)

        self._background.run_work(write_in_background, partial(self._report_written, file, len(script.lines)))

    def close(self) -> None:
        """Wait until the file is written."""
        self._background.close(finish=True)

    def _report_written(self, file: Path, line_count: int, lost: tuple[str, ...]) -> None:
        self._banner.show_message(
            "notice",
            localize(f"{line_count:,} 行を「{file.name}」に書き出しました。", f"Lines exported to “{file.name}”: {line_count:,}."),
            " ".join(lost),
        )

    def _find_names(self, settings: LineSettings) -> tuple[str, str]:
        """Return speaker and style of a line as its card names them."""
        voice = self._catalog.find_voice(settings.voice)
        if voice is None:
            return format_usual_speaker(settings.speaker) or settings.voice, format_style(settings.style)
        speaker = settings.speaker or (voice.speakers[0][1] if len(voice.speakers) > 1 else voice.name)
        if settings.style in voice.manifest.blends:
            speaker = voice.name
        return format_usual_speaker(speaker), format_style(settings.style or (voice.styles[0][1] if voice.styles else ""))
