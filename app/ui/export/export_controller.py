"""File › Export…: its page with the settings and the planned files, and the controller, which plans in the background and has the files written."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QMessageBox, QPushButton, QScrollArea, QTableView, QVBoxLayout, QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.export.changed_plan import ExportChanges
from app.export.export_plan import PlannedFile, filter_writable, list_existing_names
from app.export.export_settings import ExistingFilePolicy, ExportSettings
from app.export.sidecar_formats import SIDECAR_FORMATS
from app.ui.background_thread import BackgroundThread
from app.ui.export.export_fields import describe_existing_file, list_file_states
from app.ui.export.export_form import ExportForm
from app.ui.export.export_progress import ExportProgress, ask_about_existing
from app.ui.export.export_run import ExportPlan, ExportPlanner, ExportProject, ExportRun, ExportSettingsMemory
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.controls import DIALOG_MARGINS, Index, PlainLabel, RowTableModel, create_button, escape_tip, fill_box
from app.ui.widgets.dialogs import ClosableDialog, OpenDialog, compute_text_scale, show_in_front


class PlannedFileModel(RowTableModel):
    """A table model with a name and, for existing files, what happens to them."""

    columns = ("name", "state")
    rows: Sequence[PlannedFile] = ()

    def __init__(self) -> None:
        super().__init__()
        self._settings = ExportSettings()
        self._states: dict[Path, str] = {}

    def show_files(self, files: Sequence[PlannedFile], settings: ExportSettings, changes: ExportChanges | None = None) -> None:
        """Show other files, and where only what changed is exported, what happens to each."""
        self.beginResetModel()
        self.rows, self._settings = files, settings
        self._states = {} if changes is None else list_file_states(changes)
        self.endResetModel()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the titles of the columns."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (localize("ファイル", "File"), localize("状態", "State") if self._states else localize("既存", "Existing"))[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell; the tooltip has the spoken text and the sidecar files."""
        item = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            if index.column() == 0:
                return self.format_name(item)
            asks = item.already_exists and self._settings.existing == "ask"
            state = None if asks else self._states.get(item.file)
            return describe_existing_file(item.already_exists, self._settings) if state is None else state
        if role == Qt.ItemDataRole.ToolTipRole:
            beside = " ".join(SIDECAR_FORMATS[kind].suffix for kind in self._settings.sidecars)
            first = "\n".join(line.text for line in item.lines[:5]) + ("\n…" if len(item.lines) > 5 else "")
            return escape_tip("\n".join(filter(None, (self.format_name(item), beside and f"+ {beside}", first))))
        return None

    def format_name(self, item: PlannedFile) -> str:
        """Return the file's path relative to the chosen folder, with forward slashes."""
        root = Path(self._settings.folder)
        return item.file.relative_to(root).as_posix() if item.file.is_relative_to(root) else item.file.name


SIZE, SMALLEST = (1000, 620), (760, 440)
FORM_WIDTH_PX = 460
PLAN_DELAY_MS = 150  # the files are planned again only when typing pauses, not for every letter of the pattern


class ExportDialog(ClosableDialog):
    """A dialog with the settings at the left and the planned files at the right, which `show_files` shows.

    Signals:
        plan_requested(ExportSettings): the settings have changed.
        export_requested(ExportSettings): the files are to be written.
    """

    plan_requested = Signal(object)
    export_requested = Signal(object)

    def __init__(self, parent: QWidget, settings: ExportSettings, selected_count: int, starred_count: int = 0) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("まとめて書き出す", "Export audio"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.form = ExportForm(selected_count, starred_count)
        self.files = PlannedFileModel()
        self.table = QTableView()
        self.count = PlainLabel("", "heading")
        self.note = PlainLabel(wraps=True)
        self._timer = QTimer(self, singleShot=True, interval=PLAN_DELAY_MS)
        self._timer.timeout.connect(self._request_plan)
        self._build_widgets()
        self.form.changed.connect(self._schedule_plan)
        self.form.show_settings(settings)
        self.setMinimumSize(*SMALLEST)
        self.resize(*SIZE)
        self._request_plan()

    def show_files(self, plan: ExportPlan, settings: ExportSettings) -> None:
        """Show the planned files, unless the settings have changed since, and where that is known what happens to each."""
        if settings != self.form.settings:
            return
        files, changes = plan.files, plan.changes
        self.form.pattern.show_default(plan.default_pattern)
        self.files.show_files(files, settings, changes)
        todo = len(filter_writable(files, settings)) if settings.existing != "ask" else len(files)
        if changes is not None:
            self._show_changes(changes, len(files), settings)
            if plan.problem:
                self._show_note(plan.problem)
            return
        self.count.setText(localize(f"書き出すファイル: {todo:,} 個", f"Files to write: {todo:,}"))
        self.form.pattern.show_example(self.files.format_name(files[0]) if files else "")
        self._show_note("" if files else localize("書き出すテキストがありません。", "There is no text to export."))
        self.export_button.setEnabled(bool(todo) and not self._find_problem())

    def _show_changes(self, changes: ExportChanges, count: int, settings: ExportSettings) -> None:
        """Show how much of the plan changed. The button works all the same: only an export reads every file."""
        written, renamed = len(changes.rendered), len(changes.renamed)
        if settings.existing == "ask":
            written += len(changes.skipped)
        moved = localize(f"、名前の変更: {renamed:,} 個", f", to rename: {renamed:,}") if renamed else ""
        self.count.setText(localize(f"書き出すファイル: {written:,} 個{moved}", f"Files to write: {written:,}{moved}"))
        example = changes.rendered or [file for file, _ in (*changes.renamed, *changes.unchanged)]
        self.form.pattern.show_example(example[0].path if example else "")
        orphans = len(changes.orphans)
        gone = localize(f"台本にない行のファイルが {orphans:,} 個あります。", f"Files of lines no longer in the script: {orphans:,}.")
        self._show_note(gone if orphans else "" if count else localize("書き出すテキストがありません。", "There is no text to export."))
        self.export_button.setEnabled(bool(count or orphans) and not self._find_problem())

    def show_error(self, error: AppError) -> None:
        """Show what is wrong with the settings."""
        self._show_note(f"{error.message} {error.hint}".strip(), is_error=True)
        self.export_button.setEnabled(False)

    def _build_widgets(self) -> None:
        self.table.setObjectName("words")
        self.table.setModel(self.files)
        self.table.setAccessibleName(localize("書き出すファイルの一覧", "Files to write"))
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(26)
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        scrolled = QScrollArea()
        scrolled.setWidget(self.form)
        scrolled.setWidgetResizable(True)
        scrolled.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scrolled.setMinimumWidth(round(FORM_WIDTH_PX * compute_text_scale(self)))
        scrolled.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.form.setObjectName("side")
        self.export_button = QPushButton(localize("書き出す", "Export"))
        self.export_button.setObjectName("primary")
        self.export_button.setToolTip(localize("ファイルを書き出します。（Enter）", "Writes the files. (Enter)"))
        self.export_button.setDefault(True)
        self.export_button.clicked.connect(self._request_export)
        tip = localize("何も書き出さずに閉じます。（Esc）", "Closes without writing anything. (Esc)")
        close = create_button(localize("キャンセル", "Cancel"), tip, self.reject)
        right = fill_box(QVBoxLayout(), self.count, (self.table, 1), spacing=8)
        page = fill_box(QHBoxLayout(), (scrolled, 5), (right, 6), spacing=20)
        foot = fill_box(QHBoxLayout(), (self.note, 1), self.export_button, close, spacing=8)
        fill_box(QVBoxLayout(self), (page, 1), foot, spacing=14, margins=DIALOG_MARGINS)

    def _find_problem(self) -> str:
        if not self.form.folder.current:
            return localize("保存先のフォルダーを選択してください。", "Choose a folder.")
        return "" if self.form.game.value else self.form.pattern.problem

    def _show_note(self, text: str, *, is_error: bool = False) -> None:
        self.note.setText(text)
        self.note.change_style("error" if is_error else "muted")
        self.note.setVisible(True)

    @Slot()
    def _schedule_plan(self) -> None:
        # Until the new plan is there, the button would export with a list of files that is out of date.
        self.export_button.setEnabled(False)
        self._timer.start()

    @Slot()
    def _request_plan(self) -> None:
        problem = self._find_problem()
        if problem:
            self.files.show_files((), self.form.settings)
            self.count.setText(localize("書き出すファイル", "Files to write"))
            # The pattern field shows a problem of its own; saying it twice would only take room.
            self._show_note("" if problem == self.form.pattern.problem else problem)
            self.export_button.setEnabled(False)
        else:
            self.plan_requested.emit(self.form.settings)

    @Slot()
    def _request_export(self) -> None:
        # It stays disabled until the page closes or a question is cancelled, so that a second click starts no second export.
        self.export_button.setEnabled(False)
        self.export_requested.emit(self.form.settings)


class ExportController(QObject):
    """Runs one export at a time; it is made when the first one is asked for.

    Signals:
        progress_made(QWidget): The new progress bar is to be placed among the messages.
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
            show_in_front(self.dialog)
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
                self.dialog.show_files(plan, settings)

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
