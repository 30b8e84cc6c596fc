"""Imports scripts of other programs, tables and texts as lines below the selected ones: one step, that can be undone."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.core.project import SCRIPT_SUFFIXES, Character
from app.errors import AppError
from app.language import localized
from app.ui.background import BackgroundThread
from app.ui.interchange.import_job import ImportJob
from app.ui.script.document import ScriptDocument
from app.ui.script.line_commands import LineCommands
from app.ui.script.selection import Selection
from app.ui.voices.catalog import VoiceCatalog
from app.ui.widgets.banner import Banner
from app.ui.widgets.open_files import ask_for_files

if TYPE_CHECKING:
    from app.interchange.imported import Imported
    from app.interchange.table_lines import Table
    from app.ui.interchange.mapping_dialog import MappingDialog
    from app.ui.interchange.opened import Opened

SLOW_MS = 1_000  # after which it is said that a file is being read


class Importing(QObject):
    """Reads one file after the other in a thread of its own, and asks where something is not clear.

    Attributes:
        dialog: the questions about a file, while they are open.
        remembered: whom the project has for names of files; beside those the user chose before.

    Signals:
        brought(tuple[VoiceReference], tuple[Character]): what lines that are about to come call voices that are not here, and who speaks the
            names of their file.
        done(): everything that was asked for is there, or was given up.
    """

    brought = Signal(object, object)
    done = Signal()

    def __init__(
        self,
        parent: QWidget,
        commands: LineCommands,
        document: ScriptDocument,
        selection: Selection,
        catalog: VoiceCatalog,
        banner: Banner,
    ) -> None:
        super().__init__(parent)
        self._parent, self._commands, self._document = parent, commands, document
        self._selection, self._catalog, self._banner = selection, catalog, banner
        self._background = BackgroundThread(self, "import")
        self._waiting: deque[ImportJob] = deque()
        self._job: ImportJob | None = None
        self._said = ""
        self._closed = Event()
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(SLOW_MS)
        self._slow.timeout.connect(self._show_slow)
        self.dialog: MappingDialog | None = None
        self.remembered: Callable[[], Sequence[Character]] = tuple

    @Slot()
    def ask(self) -> None:
        """Asks for files."""
        kinds = localized("台本とテキスト", "Scripts and text") + f" ({' '.join('*' + suffix for suffix in SCRIPT_SUFFIXES)})"
        self.take(ask_for_files(self._parent, localized("台本を読み込む", "Import"), kinds))

    @Slot(object, object)
    def take(self, files: Sequence[Path], row: int | None = None) -> None:
        """Imports files; their lines go before this row, or below the selected ones."""
        if files:
            self._waiting.append(ImportJob(deque(files), row))
        if self._job is None:
            self._next()

    def close(self) -> None:
        """Waits for what is being read."""
        self._closed.set()
        self._slow.stop()
        self._waiting.clear()
        if self.dialog is not None:
            self.dialog.reject()
        self._background.close()

    @Slot()
    def _next(self) -> None:
        """The next file; behind the last one of those that came together their lines are added."""
        if self._job is not None and not self._job.files:
            job, self._job = self._job, None
            self._put(job)
        if self._job is None and self._waiting:
            self._job = self._waiting.popleft()
        if self._job is None:
            self._slow.stop()
            self.done.emit()
            return
        self._slow.start()
        file, voices, remembered = self._job.files.popleft(), self._catalog.voices, tuple(self.remembered())

        def work() -> tuple[Opened, AppError | None]:
            from app.ui.interchange.opened import find_voices, open_file  # what reads files is imported here, in the background

            found, error = find_voices(voices, remembered)
            return open_file(file, found), error

        self._background.run(work, lambda result: self._on_opened(*result), self._on_failed)

    def _on_opened(self, opened: Opened, error: AppError | None) -> None:
        if error is not None:
            self._fail(error)
        if opened.is_clear:
            self._finish(opened, {})
        else:
            self._ask_about(opened)

    def _ask_about(self, opened: Opened) -> None:
        from app.ui.interchange.mapping_dialog import MappingDialog

        self._slow.stop()
        dialog = self.dialog = MappingDialog(self._parent, opened)
        state = [opened]
        dialog.columns_changed.connect(lambda table, columns: self._map(state, table, columns))
        dialog.agreed.connect(lambda choices: self._finish(state[0], choices))
        dialog.rejected.connect(self._next)
        dialog.finished.connect(self._forget)
        dialog.open()

    def _map(self, state: list[Opened], table: Table, columns: Mapping[str, int]) -> None:
        """Reads the table again with other columns."""
        dialog, opened = self.dialog, state[0]

        def work() -> Opened:
            from app.ui.interchange.opened import map_table

            return map_table(opened, table, columns)

        def show(mapped: Opened) -> None:
            state[0] = mapped
            if dialog is not None and self.dialog is dialog:
                dialog.show_opened(mapped)

        def fail(error: AppError) -> None:
            if dialog is not None and self.dialog is dialog:
                dialog.show_error(error)

        self._background.run(work, show, fail)

    def _finish(self, opened: Opened, choices: Mapping[str, Character]) -> None:
        def work() -> Imported:
            from app.ui.interchange.characters import learn_characters
            from app.ui.interchange.opened import finished

            if choices:
                learn_characters(choices.values())
            return finished(opened, choices, self._closed.is_set)

        self._slow.start()
        self._background.run(work, lambda imported: self._take_in(opened, imported), self._on_failed)

    def _take_in(self, opened: Opened, imported: Imported) -> None:
        """Lines without any setting of their own begin with those of the current line, as typed ones do."""
        assert self._job is not None
        taken = [line.id for line in self._document.script.lines]
        self._job.add(opened.file.name, imported, taken, self._selection.settings)
        self._next()

    @Slot()
    def _show_slow(self) -> None:
        self._said = localized("台本を読み込んでいます…", "Importing the script…")
        self._banner.show_message("notice", self._said)

    def _put(self, job: ImportJob) -> None:
        if self._said and self._banner.message.text() == self._said:
            self._banner.hide()
        if job.lines:
            self.brought.emit(tuple(job.voices), tuple(job.characters))
            self._commands.put(job.lines, self._commands.place() if job.row is None else job.row)
        if job.error is not None:
            self._banner.show_error(job.error)
        elif job.dropped:
            job.report(self._banner)

    def _on_failed(self, error: AppError) -> None:
        self._fail(error)
        self._next()

    def _fail(self, error: AppError) -> None:
        """The first error is shown, behind whatever else is to be said."""
        if self._job is not None and self._job.error is None:
            self._job.error = error

    @Slot()
    def _forget(self) -> None:
        self.dialog = None
