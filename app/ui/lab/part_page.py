"""The page of one part: what it is for, its options, how far it is, and what it has found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from app.language import localized
from app.ui.lab.candidate_bar import CandidateBar
from app.ui.lab.export_menu import ExportButton
from app.ui.lab.options_form import OptionsForm
from app.ui.lab.part_words import words_of
from app.ui.lab.parts import Part
from app.ui.lab.results import Results
from app.ui.lab.runs import Report
from app.ui.plain_text import PlainLabel
from app.ui.tasks.job_row import describe_advance
from app.ui.tasks.task import Stage
from app.ui.widgets.banner import Banner
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

EMPTY_WIDTH = 460  # pixels of a paragraph that is easily read
BESIDE_FORM = 8  # pixels
FORM_SHARE = 100  # of the width, as far as the form takes it; the rest stays free


class PartPage(QWidget):
    """Shows the report about the chosen source.

    Signals:
        start_requested(), cancel_requested(): as the buttons say.
        export_requested(str): the report in this format.
    """

    start_requested = Signal()
    cancel_requested = Signal()
    export_requested = Signal(str)

    def __init__(self, part: Part, places: Sequence[str]) -> None:
        super().__init__()
        self.part = part
        words = words_of(part)
        self.about, self.form = PlainLabel(words.about), OptionsForm(part, places)
        self.about.setWordWrap(True)
        self.start, self.cancel, self.export = _button(), QPushButton(localized("中止", "Stop")), ExportButton(part)
        self.cancel.setToolTip(localized("測定を中止します。ここまでの結果は残ります。", "Stops the work; the results so far stay."))
        self.cancel.setAccessibleName(localized(f"{words.name}を中止", f"Stop: {words.name}"))
        self.start.setAccessibleName(localized(f"{words.name}を開始", f"Start: {words.name}"))
        self.start.clicked.connect(self.start_requested)
        self.cancel.clicked.connect(self.cancel_requested)
        self.export.requested.connect(self.export_requested)
        self.bar, self.state = DeferredProgressBar(), QLabel()
        self.bar.setObjectName("played")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(4)
        self.bar.setAccessibleName(words.name)
        self.state.setObjectName("muted")
        self.banner, self.results = Banner(), Results()
        self.candidates = CandidateBar() if part.name == "optimise" else None
        self.banner.action.setText(_open_folder())
        self.banner.action.setToolTip(localized("書き出したフォルダーを開きます。", "Opens the folder of the exported file."))
        self.pages = QStackedWidget()
        self.pages.addWidget(_empty(words.name, words.promise))
        self.pages.addWidget(self.results)
        self._lay_out()
        self.show_report(None, is_running=False)

    def show_report(self, report: Report | None, *, is_running: bool) -> None:
        """A report as it is now; None where there is none about the source yet."""
        rows = report is not None and bool(report.rows)
        self.pages.setCurrentIndex(int(rows))
        if report is not None and rows:
            self.results.show_report(report)
        self.start.setVisible(not is_running)
        self.start.setText(localized("もう一度実行", "Run again") if report is not None and report.is_over else localized("開始", "Start"))
        self.cancel.setVisible(is_running)
        self.cancel.setEnabled(report is not None and not report.is_over)
        self.form.setEnabled(not is_running)
        self.export.show_report(report if not is_running else None)
        if self.candidates is not None:
            self.candidates.setEnabled(not is_running)
        self._show_progress(report, is_running)
        self._show_error(report)

    def showEvent(self, event: QShowEvent) -> None:
        """Only now the style sheet has its say in how high buttons are."""
        super().showEvent(event)
        self.export.setFixedHeight(self.start.sizeHint().height())

    def show_exported(self, done: str, folder: Path) -> None:
        """That a file was written, and the way to it."""
        url = QUrl.fromLocalFile(str(folder))
        self.banner.show_message("notice", done, str(folder), action=_open_folder(), then=lambda: QDesktopServices.openUrl(url))

    def _show_progress(self, report: Report | None, is_running: bool) -> None:
        self.bar.setVisible(is_running)
        self.state.setVisible(report is not None and (is_running or report.stage is Stage.CANCELLED))
        if report is None:
            return
        known = report.advance.percent > 0
        self.bar.setRange(0, 100 if known or report.stage is Stage.WAITING else 0)
        self.bar.setValue(report.advance.percent)
        self.state.setText(_state(report))

    def _show_error(self, report: Report | None) -> None:
        error = report.error if report is not None else None
        if report is None or error is None:
            self.banner.hide()
        elif self.banner.message.text() != error.message or not self.banner.is_wanted:
            self.banner.show_message("error", error.message, error.hint, details=report.log)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        if self.part.options:
            buttons.addWidget(self.form, FORM_SHARE)
            buttons.addSpacing(BESIDE_FORM)
        for button in (self.start, self.cancel):
            buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
        buttons.addStretch(1)
        buttons.addWidget(self.export, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(10)
        column.addWidget(self.about)
        column.addLayout(buttons)
        column.addWidget(self.bar)
        column.addWidget(self.state)
        column.addWidget(self.banner)
        column.addWidget(self.pages, 1)
        if self.candidates is not None:
            column.addWidget(self.candidates)

    @Slot(str)
    def show_start_problem(self, why: str) -> None:
        """Why nothing can be started; empty where it can."""
        self.start.setEnabled(not why)
        self.start.setToolTip(why or localized("選んだ声または BERT を調べます。", "Looks into the chosen voice or BERT."))


def _open_folder() -> str:
    return localized("フォルダーを開く", "Open folder")


def _button() -> QPushButton:
    button = QPushButton()
    button.setObjectName("primary")
    button.setAutoDefault(False)
    return button


def _empty(name: str, promise: str) -> QWidget:
    """What will be shown here, in the middle."""
    title, words = PlainLabel(name), PlainLabel(promise.replace("。", "。\n").strip())  # or Japanese breaks inside words
    title.setObjectName("heading")
    words.setObjectName("muted")
    words.setWordWrap(True)
    words.setFixedWidth(EMPTY_WIDTH)
    page = QWidget()
    column = QVBoxLayout(page)
    column.setSpacing(6)
    column.addStretch(2)
    for label in (title, words):
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row = QHBoxLayout()  # aligned by the column itself, words would not get the height that they need
        row.addStretch(1)
        row.addWidget(label)
        row.addStretch(1)
        column.addLayout(row)
    column.addStretch(3)
    return page


def _state(report: Report) -> str:
    if report.stage is Stage.CANCELLED:
        return localized("中止しました。ここまでの結果です。", "Stopped. These are the results so far.")
    if report.stage is Stage.WAITING:
        return localized("待機中（ほかの測定の後に始まります）", "Waiting for the other measurement to finish")
    return describe_advance(report.advance) if report.advance.step else localized("実行しています…", "Working…")
