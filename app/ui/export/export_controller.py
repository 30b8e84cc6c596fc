"""The controller of File › Export…: asks, plans in the background, and has the files written while the window stays usable."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QMessageBox, QWidget

from app.common.errors import AppError
from app.export.export_plan import list_existing_names
from app.export.export_settings import ExistingFilePolicy, ExportSettings
from app.ui.background_thread import BackgroundThread
from app.ui.export.export_dialog import ExportDialog
from app.ui.export.export_progress import ExportProgress, ask_about_existing
from app.ui.export.export_run import ExportPlan, ExportPlanner, ExportProject, ExportRun, ExportSettingsMemory
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.dialogs import OpenDialog


class ExportController(QObject):
    """Runs one export at a time; it is made when the first one is asked for.

    Signals:
        progress_made(QWidget): The new progress bar is to be placed below the lines.
    """

    dialog: OpenDialog[ExportDialog] = OpenDialog()
    progress_made = Signal(QWidget)

    def __init__(
        self,
        parent: QWidget,
        document: ScriptDocument,
        selection: LineSelection,
        seeds: LineSeeds,
        catalog: VoiceCatalog,
        speech: SpeechController,
        settings: SettingsStore,
        project: ExportProject,
    ) -> None:
        super().__init__(parent)
        self._parent, self._document, self._selection, self._seeds = parent, document, selection, seeds
        self._catalog, self._speech, self._settings, self._project = catalog, speech, settings, project
        self._background = BackgroundThread(self, "export")
        self._records = BackgroundThread(self, "export record")
        self.progress: ExportProgress | None = None  # the progress bar; None before the first export
        self.question: QMessageBox | None = None  # the open question about existing files, or None
        self.run: ExportRun | None = None  # the current or last export, or None
        self._background.failed.connect(self._show_error)

    @Slot()
    def open_dialog(self) -> None:
        """Show the export page; while an export runs, focus its progress instead."""
        if self.progress is not None and self.run is not None and not self.run.is_over:
            self.progress.stop_button.setFocus()
            return
        if self.dialog is not None:
            self.dialog.raise_()
            self.dialog.activateWindow()
            return
        chosen = set(self._selection.ids)
        selected = sum(line.id in chosen and bool(line.text.strip()) for line in self._document.script.lines)
        settings = ExportSettingsMemory(self._settings, self._project).settings
        starred = sum(take.starred for take in self._project.parts.takes)
        dialog = self.dialog = ExportDialog(self._parent, settings, selected, starred)
        dialog.plan_requested.connect(self._update_plan)
        dialog.export_requested.connect(self._start_export)
        dialog.show()
        self._update_plan(dialog.form.settings)

    def close(self) -> None:
        """Close the dialogs and stop the running export."""
        if self.question is not None:
            self.question.reject()
        if self.dialog is not None:
            self.dialog.reject()
        if self.run is not None:
            self.run.stop_export()
        self._background.close()
        # What is written is noted: the next export is to know its files.
        self._records.close(finish=True)

    @Slot(object)
    def _update_plan(self, settings: ExportSettings) -> None:
        """Plan the export with these settings and show the files in the page."""

        def show_plan(plan: ExportPlan) -> None:
            # The page may have been closed while the plan was made.
            if self.dialog is not None:
                self.dialog.show_files(plan.files, settings, plan.changes, plan.problem)

        if settings.folder:
            self._background.run_work(partial(self._create_planner().plan_preview, settings), show_plan)

    def _create_planner(self) -> ExportPlanner:
        project = self._project.parts
        return ExportPlanner(
            self._document.script,
            frozenset(self._selection.ids),
            tuple(take for take in project.takes if take.starred),
            self._project.name,
            self._project.path,
            project.dictionary,
            self._seeds.apply_last_seed,
            self._catalog.describe_speaker,
            self._settings.value,
        )

    @Slot(object)
    def _start_export(self, settings: ExportSettings) -> None:
        def begin_or_ask(plan: ExportPlan) -> None:
            existing_names = list_existing_names(plan.files, plan.game_list)
            if settings.existing == "ask" and existing_names:
                self._ask_about_existing(settings, existing_names)
            else:
                self._begin_export(settings, settings, plan)

        # Files may have appeared in the folder since the page was last planned.
        self._background.run_work(partial(self._create_planner().plan_export, settings), begin_or_ask)

    def _ask_about_existing(self, settings: ExportSettings, existing_names: Sequence[str]) -> None:
        def begin_with_choice(choice: ExistingFilePolicy) -> None:
            chosen = replace(settings, existing=choice)
            plan = partial(self._create_planner().plan_export, chosen)
            self._background.run_work(plan, lambda plan: self._begin_export(settings, chosen, plan))

        self.question = ask_about_existing(self.dialog or self._parent, existing_names, begin_with_choice)
        self.question.finished.connect(self._forget_question)

    def _begin_export(self, remembered: ExportSettings, settings: ExportSettings, plan: ExportPlan) -> None:
        # Remember the settings of the page, not the answer about existing files: the next export is to ask again.
        ExportSettingsMemory(self._settings, self._project).remember_settings(remembered)
        if self.dialog is not None:
            self.dialog.accept()
        self.run = ExportRun(self._speech, plan, settings, self._records)
        if self.progress is None:
            self.progress = ExportProgress()
            self.progress_made.emit(self.progress)
        self.progress.follow_run(self.run)
        self.run.begin_export()

    @Slot(object)
    def _show_error(self, error: AppError) -> None:
        if self.dialog is not None:
            self.dialog.show_error(error)
        elif self.progress is not None:
            self.progress.show_error(error)

    @Slot()
    def _forget_question(self) -> None:
        question, self.question = self.question, None
        if question is not None:
            question.deleteLater()
        if self.dialog is not None:
            # The folder may look different now: the question was answered or cancelled, so the page plans again.
            self._update_plan(self.dialog.form.settings)
