"""The export page: settings at the left, the files that would be written at the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QHeaderView, QPushButton, QScrollArea, QTableView, QVBoxLayout, QWidget

from app.errors import AppError
from app.export.plan import PlannedFile, written
from app.export.settings import ExportSettings
from app.language import localized
from app.ui.export.file_list import FileList
from app.ui.export.form import ExportForm
from app.ui.plain_text import PlainLabel
from app.ui.theme.measures import DIALOG_MARGINS

SIZE, SMALLEST = (1000, 620), (760, 440)
FORM_WIDTH = 460
REST_MS = 150  # of typing, until the files are looked up again


class ExportDialog(QDialog):
    """Emits what is requested; `show_files` shows what it would come to.

    Signals:
        plan_requested(ExportSettings): the settings have changed.
        export_requested(ExportSettings): the files are to be written.
    """

    plan_requested = Signal(object)
    export_requested = Signal(object)

    def __init__(self, parent: QWidget, settings: ExportSettings, selected: int, starred: int = 0) -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("まとめて書き出す", "Export audio"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.form = ExportForm(selected, starred)
        self.files = FileList()
        self.table = QTableView()
        self.count = PlainLabel()
        self.count.setObjectName("heading")
        self.note = PlainLabel()
        self.note.setWordWrap(True)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(REST_MS)
        self._timer.timeout.connect(self._ask)
        self._build()
        self.form.changed.connect(self._on_changed)
        self.form.show_settings(settings)
        self.setMinimumSize(*SMALLEST)
        room = self.screen().availableSize()
        self.resize(min(SIZE[0], room.width() - 40), min(SIZE[1], room.height() - 80))
        self._ask()

    def show_files(self, files: Sequence[PlannedFile], settings: ExportSettings) -> None:
        """What the settings come to; of settings that have changed meanwhile nothing is shown."""
        if settings != self.form.settings:
            return
        self.files.show_files(files, settings)
        todo = len(written(files, settings)) if settings.existing != "ask" else len(files)
        self.count.setText(localized(f"書き出すファイル: {todo:,} 個", f"Files to write: {todo:,}"))
        self.form.pattern.show_example(self.files.name(files[0]) if files else "")
        self._show_note("" if files else localized("書き出すテキストがありません。", "There is no text to export."))
        self.export.setEnabled(bool(todo) and not self._problem())

    def show_error(self, error: AppError) -> None:
        """What is wrong with the settings."""
        self._show_note(f"{error.message} {error.hint}".strip(), wrong=True)
        self.export.setEnabled(False)

    def _build(self) -> None:
        self.table.setObjectName("words")
        self.table.setModel(self.files)
        self.table.setAccessibleName(localized("書き出すファイルの一覧", "Files to write"))
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
        scrolled.setMinimumWidth(FORM_WIDTH)
        scrolled.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.form.setObjectName("side")
        self.export = QPushButton(localized("書き出す", "Export"))
        self.export.setObjectName("primary")
        self.export.setToolTip(localized("ファイルを書き出します。（Enter）", "Writes the files. (Enter)"))
        self.export.setDefault(True)
        self.export.clicked.connect(self._on_export)
        close = QPushButton(localized("キャンセル", "Cancel"))
        close.setToolTip(localized("何も書き出さずに閉じます。（Esc）", "Closes without writing anything. (Esc)"))
        close.setAutoDefault(False)
        close.clicked.connect(self.reject)
        self._lay_out(scrolled, close)

    def _lay_out(self, form: QWidget, close: QPushButton) -> None:
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.count)
        right.addWidget(self.table, 1)
        both = QHBoxLayout()
        both.setSpacing(20)
        both.addWidget(form, 5)
        both.addLayout(right, 6)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.note, 1)
        foot.addWidget(self.export)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(14)
        column.addLayout(both, 1)
        column.addLayout(foot)

    def _problem(self) -> str:
        if not self.form.folder.current:
            return localized("保存先のフォルダーを選択してください。", "Choose a folder.")
        return "" if self.form.game.value else self.form.pattern.problem

    def _show_note(self, text: str, *, wrong: bool = False) -> None:
        self.note.setText(text)
        self.note.setObjectName("error" if wrong else "muted")
        self.note.setVisible(True)
        self.note.style().polish(self.note)

    @Slot()
    def _on_changed(self) -> None:
        self.export.setEnabled(False)
        self._timer.start()

    @Slot()
    def _ask(self) -> None:
        problem = self._problem()
        if problem:
            self.files.show_files((), self.form.settings)
            self.count.setText(localized("書き出すファイル", "Files to write"))
            self._show_note("" if problem == self.form.pattern.problem else problem)  # which says so itself
            self.export.setEnabled(False)
        else:
            self.plan_requested.emit(self.form.settings)

    @Slot()
    def _on_export(self) -> None:
        self.export.setEnabled(False)  # until the page closes, or the user thinks better of it
        self.export_requested.emit(self.form.settings)
