"""The lab: opens its window, has parts run about what is chosen there, and exports what they found."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.errors import AppError
from app.lab.rows import Row
from app.language import localized
from app.ui.background import BackgroundThread
from app.ui.lab.candidate_bar import CandidateBar
from app.ui.lab.export import formats, write
from app.ui.lab.export_menu import ask_where
from app.ui.lab.parts import Part, read_parts
from app.ui.lab.runs import LabRuns, Report
from app.ui.lab.source_box import source_of
from app.ui.lab.window import LabWindow
from app.ui.tasks.process import ProcessTask
from app.ui.tasks.queue import TaskQueue
from app.ui.tasks.task import Stage, TaskSpec
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.licence_questions import LicenceQuestions

if TYPE_CHECKING:
    from app.ui.lab.part_page import PartPage

Install = Callable[[str, Row], ProcessTask]


class LabController(QObject):
    """Made when the lab is first opened. What was found stays until the program ends; work ends with the window.

    Attributes:
        window: while it is open.
        runs: what runs, and what was found.

    Signals:
        help_requested(str): this page of the user guide.
        hear_requested(str, Row): a candidate of this source in a blind test.

    Args:
        install: puts a candidate of this source into its slot; what it gives ends some time.
    """

    help_requested = Signal(str)
    hear_requested = Signal(str, object)

    def __init__(self, parent: QWidget, catalog: VoiceCatalog, licences: LicenceQuestions, install: Install) -> None:
        super().__init__(parent)
        self._install = install
        self._parent, self._catalog, self._licences = parent, catalog, licences
        self.window: LabWindow | None = None
        self.runs = LabRuns(self)
        self.runs.changed.connect(self._on_changed)
        self.runs.licence_asked.connect(self._ask_licence)
        self._queries = TaskQueue(self)
        self._queries.finished.connect(self._on_parts)
        self._queries.failed.connect(self._on_no_parts)
        self._background = BackgroundThread(self, "lab")
        self._folder = ""
        self._known: tuple[tuple[Part, ...], tuple[str, ...]] | None = None
        catalog.changed.connect(self._offer)

    def open(self, voice: str | None = None) -> None:
        """Shows the lab, with the voice chosen that lines call so, if there is one."""
        if self.window is None:
            window = self.window = LabWindow(self._parent)
            window.source.changed.connect(self._show_all)
            window.dropped.connect(window.source.choose)
            window.parts_shown.connect(self._on_parts_shown)
            window.banner.help_requested.connect(self.help_requested)
            window.finished.connect(self._on_closed)
            self._offer()
            self._find_parts() if self._known is None else self._show_parts()
        known = self._catalog.find(voice) if voice is not None else None
        if known is not None:
            self.window.source.choose(source_of(known))
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    def close(self) -> None:
        """Gives up what runs."""
        if self.window is not None:
            self.window.reject()
        self._queries.close()
        self.runs.close()
        self._background.close()

    @Slot()
    def _offer(self) -> None:
        if self.window is not None:
            self.window.source.offer(self._catalog.voices, self._catalog.berts)

    def _find_parts(self) -> None:
        self._queries.add(TaskSpec("lab parts", ("lab", "parts"), quiet=True))

    @Slot(object)
    def _on_parts(self, job: ProcessTask) -> None:
        self._known = read_parts(job.results)
        self._show_parts()

    def _show_parts(self) -> None:
        if self.window is not None and self._known is not None:
            self.window.show_parts(*self._known)

    @Slot()
    def _on_parts_shown(self) -> None:
        window = self.window
        if window is None:
            return
        for page in window.pages.values():
            page.start_requested.connect(partial(self._start, page))
            page.cancel_requested.connect(partial(self._cancel, page))
            page.export_requested.connect(partial(self._export, page))
            page.banner.help_requested.connect(self.help_requested)
            if page.candidates is not None:
                page.results.row_chosen.connect(partial(self._show_candidate, page.candidates))
                page.candidates.hear_requested.connect(lambda row: self.hear_requested.emit(window.source.source, row))
                page.candidates.install_requested.connect(partial(self._install_candidate, page))
        self._show_all()

    @Slot(object)
    def _on_no_parts(self, job: ProcessTask) -> None:
        error = job.error
        self._queries.clear(job)
        if self.window is not None and error is not None:
            self.window.loading.clear()
            banner = self.window.banner
            banner.show_message("error", error.message, error.hint, action=banner.action.text(), then=self._find_parts)

    def _start(self, page: PartPage) -> None:
        if self.window is not None and self.window.source.source:
            page.banner.hide()
            self.runs.start(page.part, self.window.source.source, self.window.source.name, page.form.arguments)

    def _cancel(self, page: PartPage) -> None:
        if self.window is not None:
            self.runs.cancel(page.part.name, self.window.source.source)

    def _export(self, page: PartPage, name: str) -> None:
        report = self.runs.report(page.part.name, self.window.source.source) if self.window is not None else None
        if report is None:
            return
        form = formats()[name]
        target = ask_where(page, report, form, self._folder)
        if target is not None:
            self._folder = str(target.parent)
            done = localized(f"「{target.name}」に書き出しました。", f"Exported to “{target.name}”.")
            self._background.run(
                partial(write, form, report, target),
                lambda _nothing: page.show_exported(done, target.parent),
                page.banner.show_error,
            )

    @Slot(object)
    def _on_changed(self, report: Report) -> None:
        if self.window is not None:
            self.window.is_working = self.runs.busy
            if report.source == self.window.source.source and report.part in self.window.pages:
                self._show(self.window.pages[report.part])
        if report.is_over and report.rows and report.picture is None:
            self._draw(report)

    def _draw(self, report: Report) -> None:
        """Draws the picture in the background; of work that was stopped half way there may be none."""
        report.picture = ""

        def take(picture: str | None) -> None:
            report.picture = picture or ""
            self._on_changed(report)

        def refuse(error: AppError) -> None:
            if report.stage is Stage.DONE and self.window is not None and report.part in self.window.pages:
                self.window.pages[report.part].banner.show_error(error)

        self._background.run(partial(_chart, report.rows), take, refuse)

    @Slot()
    def _show_all(self) -> None:
        if self.window is not None:
            for page in self.window.pages.values():
                self._show(page)

    def _show(self, page: PartPage) -> None:
        assert self.window is not None
        part, source = page.part.name, self.window.source.source
        page.show_start_problem("" if source else localized("声または BERT を選んでください。", "Choose a voice or BERT."))
        page.show_report(self.runs.report(part, source), is_running=self.runs.is_running(part, source))

    def _show_candidate(self, bar: CandidateBar, row: Row) -> None:
        assert self.window is not None
        source = self.window.source
        voices = {source_of(voice) for voice in self._catalog.voices if voice.place == "own"}
        why_not = "" if source.source in voices.union(self._catalog.berts) else _not_own()
        bar.show_row(row if row.get("type") == "optimise" else {}, why_not)

    def _install_candidate(self, page: PartPage, row: Row) -> None:
        assert page.candidates is not None
        assert self.window is not None
        page.banner.hide()
        page.candidates.setEnabled(False)
        job = self._install(self.window.source.source, row)
        job.ended.connect(partial(self._on_installed, self.window, page, job))

    def _on_installed(self, window: LabWindow, page: PartPage, job: ProcessTask) -> None:
        if window is not self.window:
            return
        assert page.candidates is not None
        page.candidates.setEnabled(True)
        note = next((str(row["note"]) for row in job.results if row.get("type") == "installed"), "")
        if job.stage is Stage.FAILED and job.error is not None:
            page.banner.show_error(job.error)
        elif note:
            page.banner.show_message("notice", note)

    @Slot(object)
    def _ask_licence(self, job: ProcessTask) -> None:
        licence = job.licence
        if licence is not None:
            self._licences.ask(licence.voice_id, licence.name, licence.text, lambda: self.runs.go_on(job), lambda: self.runs.decline(job))

    @Slot()
    def _on_closed(self) -> None:
        self.window = None
        self.runs.cancel_all()


def _not_own() -> str:
    """Why nothing is installed."""
    return localized("追加した声と BERT だけに組み込めます。", "Candidates can be installed only for voices and BERTs you added.")


def _chart(rows: list[Row]) -> str | None:
    from app.lab.charts import chart_of

    return chart_of(rows)
