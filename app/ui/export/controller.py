"""File › Export…: asks, plans in the background, and has the files written while the window stays free for everything else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import date
from functools import cache, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QMessageBox, QWidget

from app.core.script import Script
from app.core.takes import Take, line_of
from app.errors import AppError
from app.language import localized
from app.ui.background import BackgroundThread
from app.ui.script.document import ScriptDocument
from app.ui.script.selection import Selection
from app.ui.script.take_seeds import TakeSeeds
from app.ui.settings.store import SettingsStore
from app.ui.synthesis.controller import SpeechController
from app.ui.voices.catalog import VoiceCatalog

if TYPE_CHECKING:
    from app.export.plan import PlannedFile
    from app.export.settings import Existing, ExportSettings
    from app.ui.export.dialog import ExportDialog
    from app.ui.export.progress import ExportProgress
    from app.ui.export.remembered import OpenProject
    from app.ui.export.run import ExportRun


class ExportController(QObject):
    """One export at a time. What it needs is imported when it is first wanted: the window is there sooner.

    Attributes:
        dialog: the page while it is open.
        question: what the user is asked now.
        run: the export that runs, or ran last.
        progress: how far it is; None before the first one.

    Signals:
        progress_made(QWidget): to be put below the lines.
    """

    progress_made = Signal(QWidget)

    def __init__(
        self,
        parent: QWidget,
        document: ScriptDocument,
        selection: Selection,
        seeds: TakeSeeds,
        catalog: VoiceCatalog,
        speech: SpeechController,
        settings: SettingsStore,
        project: OpenProject,
    ) -> None:
        super().__init__(parent)
        self._parent, self._document, self._selection, self._seeds = parent, document, selection, seeds
        self._catalog, self._speech, self._settings, self._project = catalog, speech, settings, project
        self._background = BackgroundThread(self, "export")
        self.progress: ExportProgress | None = None
        self.dialog: ExportDialog | None = None
        self.question: QMessageBox | None = None
        self.run: ExportRun | None = None
        self._background.failed.connect(self._on_error)

    @Slot()
    def open(self) -> None:
        """Shows the page; while an export runs, its progress is looked at instead."""
        if self.progress is not None and self.run is not None and not self.run.is_over:
            self.progress.stop.setFocus()
            return
        if self.dialog is not None:
            self.dialog.raise_()
            self.dialog.activateWindow()
            return
        from app.ui.export.dialog import ExportDialog
        from app.ui.export.remembered import RememberedExport

        chosen = set(self._selection.ids)
        selected = sum(line.id in chosen and bool(line.text.strip()) for line in self._document.script.lines)
        kept = RememberedExport(self._settings, self._project).value
        starred = sum(take.starred for take in self._project.parts.takes)
        dialog = self.dialog = ExportDialog(self._parent, kept, selected, starred)
        dialog.plan_requested.connect(self._plan)
        dialog.export_requested.connect(self._on_export)
        dialog.finished.connect(self._forget)
        dialog.show()
        self._plan(dialog.form.settings)

    def close(self) -> None:
        """Gives up what runs."""
        if self.question is not None:
            self.question.reject()
        if self.dialog is not None:
            self.dialog.reject()
        if self.run is not None:
            self.run.stop()
        self._background.close()

    @Slot(object)
    def _plan(self, settings: ExportSettings) -> None:
        """What these settings would come to, shown in the page."""
        self._look(settings, lambda files: self.dialog.show_files(files, settings) if self.dialog is not None else None)

    def _look(self, settings: ExportSettings, then: Callable[[list[PlannedFile]], object]) -> None:
        if settings.folder:
            name = self._project.name or localized("名称未設定", "Untitled")
            takes = tuple(take for take in self._project.parts.takes if take.starred)
            self._background.run(partial(self._planned, self._document.script, frozenset(self._selection.ids), takes, settings, name), then)

    def _planned(
        self, script: Script, selected: Collection[str], takes: Sequence[Take], settings: ExportSettings, project: str
    ) -> list[PlannedFile]:
        """In the background: of a long script it takes its time. Takes are spoken again as they were, so that nothing beside them is missing."""
        from app.export.plan import NumberedLine, PlanContext, numbered, plan

        lines = numbered(self._seeds.applied(line) for line in script.lines)
        if settings.what == "selection":
            lines = [item for item in lines if item.line.id in selected]
        elif settings.what == "starred":
            numbers = {item.line.id: item.number for item in lines}
            there = sorted((take for take in takes if take.line in numbers), key=lambda take: numbers[take.line])
            lines = [NumberedLine(numbers[take.line], line_of(take)) for take in there]
        return plan(lines, settings, PlanContext(project, cache(self._catalog.name_speaker), date.today()))

    @Slot(object)
    def _on_export(self, settings: ExportSettings) -> None:
        """Plans once more: files may have come meanwhile."""
        from app.export.plan import existing

        def go_on(files: Sequence[PlannedFile]) -> None:
            there = existing(files)
            if settings.existing == "ask" and there:
                self._ask(settings, there)
            else:
                self._begin(settings, settings, files)

        self._look(settings, go_on)

    def _ask(self, settings: ExportSettings, there: Sequence[PlannedFile]) -> None:
        from app.ui.export.question import ask_about_existing

        def decided(choice: Existing) -> None:
            chosen = replace(settings, existing=choice)
            self._look(chosen, lambda files: self._begin(settings, chosen, files))

        self.question = ask_about_existing(self.dialog or self._parent, there, decided)
        self.question.finished.connect(self._forget_question)

    def _begin(self, kept: ExportSettings, settings: ExportSettings, files: Sequence[PlannedFile]) -> None:
        from app.export.plan import written
        from app.ui.export.progress import ExportProgress
        from app.ui.export.remembered import RememberedExport
        from app.ui.export.run import ExportRun

        RememberedExport(self._settings, self._project).keep(kept)
        if self.dialog is not None:
            self.dialog.accept()
        self.run = ExportRun(self._speech, files, written(files, settings), settings)
        self.run.finished.connect(self._on_finished)
        if self.progress is None:
            self.progress = ExportProgress()
            self.progress_made.emit(self.progress)
        self.progress.follow(self.run)
        self.run.begin()

    @Slot()
    def _on_finished(self) -> None:
        from app.export.games import write_list

        run = self.run
        if run is not None and run.settings.game and not run.is_stopped and run.fatal is None:
            made = set(run.written)
            files = [item for item in run.files if item.exists or item.file in made]
            self._background.run(partial(write_list, files, run.settings))

    @Slot(object)
    def _on_error(self, error: AppError) -> None:
        if self.dialog is not None:
            self.dialog.show_error(error)
        elif self.progress is not None:
            self.progress.show_error(error)

    @Slot()
    def _forget(self) -> None:
        self.dialog = None

    @Slot()
    def _forget_question(self) -> None:
        question, self.question = self.question, None
        if question is not None:
            question.deleteLater()
        if self.dialog is not None:
            self._plan(self.dialog.form.settings)
