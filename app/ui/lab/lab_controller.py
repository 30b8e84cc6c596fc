"""The controllers of the lab: of its window, the commands on the chosen source and their reports; and of blind tests of candidates."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.lab.report_rows import Row
from app.ui.background_thread import BackgroundThread
from app.ui.lab.lab_command_page import CandidateBar, LabCommandPage
from app.ui.lab.lab_commands import LabCommand, LabReport, LabRunner, parse_lab_commands
from app.ui.lab.lab_window import LabWindow, find_source
from app.ui.lab.report_export import ask_for_target, list_formats, write_report
from app.ui.takes.take_repository import TakeRepository
from app.ui.tasks.process_task import ProcessTask, TaskQueue, TaskSpec, TaskState
from app.ui.voices.licence_questions import LicenceQuestionQueue
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.dialogs import show_in_front

if TYPE_CHECKING:
    from app.ui.audition.blind_test_controller import BlindTestController, SampledSound
    from app.ui.audition.blind_test_dialog import BlindTestDialog

InstallCandidate = Callable[[str, Row], ProcessTask]


class LabController(QObject):
    """Opens the lab; it is made when the lab is first opened. Reports stay until the program ends, running work ends with the window.

    Signals:
        help_requested(str): A page of the user guide is to be shown.
        hear_requested(str, Row): A candidate of this source is to be compared in a blind test.

    Args:
        install_candidate: Installs a candidate into its source's slot and returns the task.
    """

    help_requested = Signal(str)
    hear_requested = Signal(str, object)

    def __init__(self, parent: QWidget, catalog: VoiceCatalog, licences: LicenceQuestionQueue, install_candidate: InstallCandidate) -> None:
        super().__init__(parent)
        self._install = install_candidate
        self._parent, self._catalog, self._licences = parent, catalog, licences
        self.window: LabWindow | None = None  # The open window, or None
        self.runs = LabRunner(self)  # The running commands and their reports
        self.runs.changed.connect(self._update_report)
        self.runs.licence_asked.connect(self._ask_licence)
        self.queries = TaskQueue(self)  # The tasks that ask for the commands there are
        self.queries.finished.connect(self._store_commands)
        self.queries.failed.connect(self._show_query_failure)
        self._background = BackgroundThread(self, "lab")
        self._folder = ""
        self._commands: tuple[tuple[LabCommand, ...], tuple[str, ...]] | None = None
        catalog.changed.connect(self._offer_sources)

    def open_window(self, voice: str | None = None) -> None:
        """Show the lab, with this voice chosen where it is installed."""
        if self.window is None:
            window = self.window = LabWindow(self._parent)
            window.source.changed.connect(self._update_pages)
            window.file_dropped.connect(window.source.choose_source)
            window.commands_shown.connect(self._connect_pages)
            window.banner.help_requested.connect(self.help_requested)
            window.finished.connect(self._forget_window)
            self._offer_sources()
            self._query_commands() if self._commands is None else self._show_commands()
        catalog_voice = self._catalog.find_voice(voice) if voice is not None else None
        if catalog_voice is not None:
            self.window.source.choose_source(find_source(catalog_voice))
        show_in_front(self.window)

    def close(self) -> None:
        """Close the window and stop all work."""
        if self.window is not None:
            self.window.reject()
        self.queries.close()
        self.runs.close()
        self._background.close()

    @Slot()
    def _offer_sources(self) -> None:
        if self.window is not None:
            self.window.source.offer_sources(self._catalog.voices, self._catalog.berts)

    def _query_commands(self) -> None:
        self.queries.add_task(TaskSpec("lab parts", ("lab", "parts"), quiet=True))

    @Slot(object)
    def _store_commands(self, job: ProcessTask) -> None:
        self._commands = parse_lab_commands(job.results)
        self._show_commands()

    def _show_commands(self) -> None:
        if self.window is not None and self._commands is not None:
            self.window.show_commands(*self._commands)

    @Slot()
    def _connect_pages(self) -> None:
        window = self.window
        if window is None:
            return
        for page in window.pages.values():
            page.start_requested.connect(partial(self._start_run, page))
            page.cancel_requested.connect(partial(self._cancel_run, page))
            page.export_requested.connect(partial(self._export_report, page))
            page.banner.help_requested.connect(self.help_requested)
            if page.candidates is not None:
                page.results.row_chosen.connect(partial(self._show_candidate, page.candidates))
                page.candidates.hear_requested.connect(lambda row: self.hear_requested.emit(window.source.source, row))
                page.candidates.install_requested.connect(partial(self._install_candidate, page))
        self._update_pages()

    @Slot(object)
    def _show_query_failure(self, job: ProcessTask) -> None:
        error = job.error
        self.queries.remove_task(job)
        if self.window is not None and error is not None:
            self.window.loading.clear()
            banner = self.window.banner
            banner.show_message("error", error.message, error.hint, action=banner.action.text(), on_action=self._query_commands)

    def _start_run(self, page: LabCommandPage) -> None:
        if self.window is not None and self.window.source.source:
            page.banner.hide()
            self.runs.start_run(page.command, self.window.source.source, self.window.source.name, page.form.arguments)

    def _cancel_run(self, page: LabCommandPage) -> None:
        if self.window is not None:
            self.runs.cancel_run(page.command.name, self.window.source.source)

    def _export_report(self, page: LabCommandPage, name: str) -> None:
        report = self.runs.find_report(page.command.name, self.window.source.source) if self.window is not None else None
        if report is None:
            return
        form = list_formats()[name]
        target = ask_for_target(page, report, form, self._folder)
        if target is not None:
            self._folder = str(target.parent)
            done = localize(f"「{target.name}」に書き出しました。", f"Exported to “{target.name}”.")
            self._background.run_work(
                partial(write_report, form, report, target),
                lambda _nothing: page.show_exported(done, target.parent),
                page.banner.show_error,
            )

    @Slot(object)
    def _update_report(self, report: LabReport) -> None:
        if self.window is not None:
            self.window.is_working = self.runs.is_busy
            # Rows arrive for every source; only the report about the chosen one is on the page.
            if report.source == self.window.source.source and report.command_name in self.window.pages:
                self._update_page(self.window.pages[report.command_name])
        if report.is_over and report.rows and report.picture is None:
            self._draw_picture(report)

    def _draw_picture(self, report: LabReport) -> None:
        """Draw a report's picture in the background."""
        # An empty picture marks it as being drawn: each further change of the report would start another drawing.
        report.picture = ""

        def store_picture(picture: str | None) -> None:
            report.picture = picture or ""
            self._update_report(report)

        def show_draw_error(error: AppError) -> None:
            # A stopped command may have too few rows for a picture, which is no error to show.
            if report.state is TaskState.DONE and self.window is not None and report.command_name in self.window.pages:
                self.window.pages[report.command_name].banner.show_error(error)

        self._background.run_work(partial(_draw_chart, report.rows), store_picture, show_draw_error)

    @Slot()
    def _update_pages(self) -> None:
        if self.window is not None:
            for page in self.window.pages.values():
                self._update_page(page)

    def _update_page(self, page: LabCommandPage) -> None:
        assert self.window is not None
        part, source = page.command.name, self.window.source.source
        page.show_start_problem("" if source else localize("声または BERT を選んでください。", "Choose a voice or BERT."))
        page.show_report(self.runs.find_report(part, source), is_running=self.runs.is_running(part, source))

    def _show_candidate(self, bar: CandidateBar, row: Row) -> None:
        assert self.window is not None
        source = self.window.source
        voices = {find_source(voice) for voice in self._catalog.voices if voice.origin == "own"}
        words = localize("追加した声と BERT だけに組み込めます。", "Candidates can be installed only for voices and BERTs you added.")
        problem = "" if source.source in voices.union(self._catalog.berts) else words
        bar.show_row(row if row.get("type") == "optimise" else {}, problem)

    def _install_candidate(self, page: LabCommandPage, row: Row) -> None:
        assert page.candidates is not None
        assert self.window is not None
        page.banner.hide()
        page.candidates.setEnabled(False)
        job = self._install(self.window.source.source, row)
        job.ended.connect(partial(self._finish_installing, self.window, page, job))

    def _finish_installing(self, window: LabWindow, page: LabCommandPage, job: ProcessTask) -> None:
        # The window was closed, and perhaps opened again, while the candidate was installed.
        if window is not self.window:
            return
        assert page.candidates is not None
        page.candidates.setEnabled(True)
        note = next((str(row["note"]) for row in job.results if row.get("type") == "installed"), "")
        if job.stage is TaskState.FAILED and job.error is not None:
            page.banner.show_error(job.error)
        elif note:
            page.banner.show_message("notice", note)

    @Slot(object)
    def _ask_licence(self, job: ProcessTask) -> None:
        licence = job.licence
        if licence is not None:
            self._licences.ask_for_consent(
                licence.voice_id, licence.name, licence.text, lambda: self.runs.resume_run(job), lambda: self.runs.end_run(job)
            )

    @Slot()
    def _forget_window(self) -> None:
        self.window = None
        # Work of minutes must not continue unseen once its window is closed.
        self.runs.cancel_runs()


def _draw_chart(rows: list[Row]) -> str | None:
    from app.lab.report_charts import draw_chart

    return draw_chart(rows)


# The candidate has been timed already, so the child spends no time on measuring it again.
BRIEF_ARGUMENTS = ("--turns", "1", "--warmup", "0", "--seconds", "0")
LoadedSounds = list[tuple["SampledSound", "SampledSound"]]


class CandidateTestController(QObject):
    """Runs blind tests of candidates: a child process speaks the lines, and the repository keeps the sounds; made when the first one is opened."""

    def __init__(self, tests: BlindTestController, take_repository: TakeRepository) -> None:
        super().__init__(tests)
        self._tests, self._take_repository = tests, take_repository
        self._queue, self._background = TaskQueue(self), BackgroundThread(self, "candidate")
        self._queue.finished.connect(self._load_spoken)
        self._queue.failed.connect(self._show_failure)
        self._queue.decision_needed.connect(self._show_failure)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._dialog: BlindTestDialog | None = None
        self._spec: TaskSpec | None = None

    def begin_blind_test(self, source: str, candidate_row: Row) -> None:
        """Speak the lines with the exact graph and with a row's candidate, then ask how to compare them."""
        dialog = self._tests.show_dialog()
        dialog.show_preparation(0)
        folder = tempfile.TemporaryDirectory(prefix="koebako-lab-", ignore_cleanup_errors=True)
        self._folder, self._dialog = folder, dialog
        work = build_candidate_command(source, candidate_row, "--test", str(Path(folder.name) / "test.koebako"))
        # The spec is set first: a process that cannot start may fail before `add_task` returns.
        self._spec = TaskSpec("lab test", work, quiet=True)
        job = self._queue.add_task(self._spec)
        dialog.finished.connect(lambda _result: self._queue.remove_task(job))

    def close(self) -> None:
        """Stop the child process and delete its files."""
        self._queue.close()
        self._background.close()
        self._remove_folder()

    @Slot(object)
    def _load_spoken(self, job: ProcessTask) -> None:
        row = next((row for row in job.results if row.get("type") == "test"), None)
        dialog = self._dialog
        # A process of an earlier dialog may end after a new one began.
        if row is None or dialog is None or job.work is not self._spec:
            return
        if not row["sounds"]:
            dialog.reject()
            self._remove_folder()
            self._tests.notice_raised.emit(
                str(row["note"]), localize("聞き比べる違いがありません。", "There is no difference to listen for.")
            )
            return
        self._background.run_work(partial(_load_sounds, row), partial(self._keep_sounds, dialog, row), dialog.notice.show_error)

    @Slot(object)
    def _show_failure(self, job: ProcessTask) -> None:
        if job.work is self._spec and self._dialog is not None and job.error is not None:
            self._dialog.notice.show_error(job.error)
        self._queue.remove_task(job)

    def _keep_sounds(self, dialog: BlindTestDialog, row: dict[str, Any], loaded: LoadedSounds) -> None:
        """Keep the loaded sounds and set up the test, which asks whether a difference is heard."""
        from app.audition.blind_test import SoundSource

        self._remove_folder()
        names_by_position: dict[tuple[int, int], str] = {}

        def add_kept_sound(position: tuple[int, int], name: str) -> None:
            names_by_position[position] = name
            # Keeping is asynchronous: the last sound sets up the test, unless its dialog was replaced meanwhile.
            if len(names_by_position) == 2 * len(loaded) and self._tests.dialog is dialog:
                sounds = [(names_by_position[number, 0], names_by_position[number, 1]) for number in range(len(loaded))]
                sources = [[SoundSource(row["voice"])] * 2] * len(loaded)
                dialog.show_setup(row["names"], sounds, texts=row["texts"], sources=sources, kind="abx")

        # The sounds are kept with those of the project, so that the test can be continued another day.
        for number, pair in enumerate(loaded):
            for side, (samples, rate) in enumerate(pair):
                self._take_repository.keep_unnamed(samples, rate, partial(add_kept_sound, (number, side)))

    def _remove_folder(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
        self._folder = None


def build_candidate_command(source: str, row: Row, *arguments: str) -> tuple[str, ...]:
    """Return the command that makes a row's candidate again, identical to the measured one, with further arguments."""
    name = str(row["candidate"])
    by_group = ("--by-group",) if ": " in name else ()
    only = ("--only", name, "--keep", name, "--graph", str(row["graph"]), *BRIEF_ARGUMENTS)
    return ("lab", "optimise", *only, *by_group, *arguments, "--", source)


def _load_sounds(row: dict[str, Any]) -> LoadedSounds:
    """Load the spoken sounds from the child's project; called in the background."""
    from app.audition.take_store import TakeStore, find_sound_folder

    store = TakeStore(find_sound_folder(Path(row["file"])))
    return [(store.read_sound(exact_name), store.read_sound(candidate_name)) for exact_name, candidate_name in row["sounds"]]
