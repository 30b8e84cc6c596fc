"""The page of one lab command: its purpose, form of options, progress and results; and a bar for the selected candidate."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from app.common.language import localize
from app.lab.optimise.candidate_slot import AS_IT_CAME, PREPARED, find_slot
from app.lab.report_rows import Row
from app.lab.row_labels import format_candidate
from app.ui.lab.lab_commands import LabCommand, LabOption, LabReport, find_command_labels, localize_device, localize_option
from app.ui.lab.report_export import ReportExportButton
from app.ui.lab.report_view import ReportView
from app.ui.tasks.process_task import TaskState
from app.ui.tasks.task_row import describe_progress
from app.ui.widgets.banner import Banner
from app.ui.widgets.controls import BoxPart, ChoiceBox, ElidedLabel, PlainLabel, create_button, describe_control, fill_box, wrap_tip
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

EMPTY_PAGE_WIDTH_PX = 460  # a paragraph of this width is easy to read
FORM_GAP_PX = 8
FORM_STRETCH = 100  # the form takes the width up to its own maximum; the rest stays free
ABREAST, NARROWEST, WIDEST = 5, 120, 160  # the number of controls in a row, and the narrowest and widest control in pixels
GAP, ROW_GAP = 14, 6  # pixels between them
MAX_OPTION_LENGTH = 200
OptionControl = QLineEdit | QCheckBox | ChoiceBox


class LabOptionsForm(QWidget):
    """A form with one control for each option."""

    def __init__(self, command: LabCommand, devices: Sequence[str]) -> None:
        super().__init__()
        self._command = command
        self.controls: dict[str, OptionControl] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(3)
        # Check boxes come last, below the controls that have a label above them.
        for index, option in enumerate(sorted(command.options, key=lambda item: item.kind == "switch")):
            row, column = divmod(index, ABREAST)
            control = self.controls[option.option] = _create_control(option, devices)
            if not isinstance(control, QCheckBox):
                label = PlainLabel(localize_option(option), "muted")
                label.setBuddy(control)
                grid.addWidget(label, 2 * row, column)
            grid.addWidget(control, 2 * row + 1, column)
            grid.setRowMinimumHeight(2 * row, ROW_GAP if row else 0)
        columns = min(ABREAST, len(command.options))
        for column in range(columns):
            grid.setColumnStretch(column, 1)
        self.setMaximumWidth(max(columns * (WIDEST + GAP) - GAP, grid.minimumSize().width()))

    @property
    def arguments(self) -> tuple[str, ...]:
        """Return the command-line arguments for the options that the user changed."""
        return tuple(word for option in self._command.options for word in _build_arguments(option, self.controls[option.option]))


class CandidateBar(QWidget):
    """A bar that is shown with the table of candidates.

    Signals:
        hear_requested(Row), install_requested(Row): The candidate of this row is to be compared or installed.
    """

    hear_requested = Signal(object)
    install_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._row: Row = {}
        self.name = ElidedLabel("")
        self.hear = create_button(
            localize("ブラインドテスト…", "Blind test…"),
            localize(
                "この候補と元のグラフを、名前を隠して聞き比べます。", "Compares this candidate and the exact graph by ear, names hidden."
            ),
        )
        self.install = create_button(localize("組み込む", "Install"), "")
        self.hear.clicked.connect(lambda: self.hear_requested.emit(self._row))
        self.install.clicked.connect(lambda: self.install_requested.emit(self._row))
        fill_box(QHBoxLayout(self), (self.name, 1), self.hear, self.install, spacing=8)
        self.show_row({})

    def show_row(self, row: Row, problem: str = "") -> None:
        """Show another row ({} hides the bar), and the problem why nothing can be installed into this source."""
        self._row = row
        graph, candidate = str(row.get("graph", "")), str(row.get("candidate", ""))
        # The graph as it came has nothing to be compared with, and a candidate without a speedup was not measured.
        is_measured = candidate not in ("", AS_IT_CAME) and row.get("speedup") is not None
        self.setVisible(bool(row))
        self.name.setText(f"{graph}: {format_candidate(candidate)}" if candidate else "")
        self.hear.setEnabled(is_measured and candidate != PREPARED)
        slot = find_slot(graph, candidate) if is_measured else None
        why = problem or (
            "" if slot is not None else localize("この種類の候補は組み込めません。", "This kind of candidate cannot be installed.")
        )
        self.install.setEnabled(not why)
        slot_name = {"int8": localize("int8 の BERT", "int8 BERT"), "fast": localize("高速な音声", "Fast sound")}.get(slot or "", "")
        passes = localize(
            f"検査に合格すれば、{slot_name}として使えるようにします。", f"Installs it as the {slot_name} if it passes the usual checks."
        )
        again = localize(f"{slot_name}の代わりに、元のグラフに戻します。", f"Goes back to the exact graph, without an {slot_name}.")
        self.install.setToolTip(why or (again if candidate == PREPARED else passes))


class LabCommandPage(QWidget):
    """Shows the report of a command about the chosen source.

    Signals:
        start_requested(), cancel_requested(): The button of that name was clicked.
        export_requested(str): The report is to be exported in this format.
    """

    start_requested = Signal()
    cancel_requested = Signal()
    export_requested = Signal(str)

    def __init__(self, command: LabCommand, devices: Sequence[str]) -> None:
        super().__init__()
        self.command = command
        words = find_command_labels(command)
        self.about, self.form = PlainLabel(words.about, wraps=True), LabOptionsForm(command, devices)
        start = localize(f"{words.name}を開始", f"Start: {words.name}")
        self.start_button = create_button("", "", self.start_requested.emit, name=start, style="primary")
        self.cancel_button, self.export_button = QPushButton(localize("中止", "Stop")), ReportExportButton(command)
        self.cancel_button.setToolTip(localize("測定を中止します。ここまでの結果は残ります。", "Stops the work; the results so far stay."))
        self.cancel_button.setAccessibleName(localize(f"{words.name}を中止", f"Stop: {words.name}"))
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.export_button.requested.connect(self.export_requested)
        self.bar, self.state = DeferredProgressBar(words.name), PlainLabel("", "muted")
        self.banner, self.results = Banner(), ReportView()
        self.candidates = CandidateBar() if command.name == "optimise" else None
        self.banner.action.setText(_label_open_folder())
        self.banner.action.setToolTip(localize("書き出したフォルダーを開きます。", "Opens the folder of the exported file."))
        self.pages = QStackedWidget()
        self.pages.addWidget(_create_empty_page(words.name, words.promise))
        self.pages.addWidget(self.results)
        self._lay_out_widgets()
        self.show_report(None, is_running=False)

    def show_report(self, report: LabReport | None, *, is_running: bool) -> None:
        """Show a report in its current state; None where there is none about the source."""
        rows = report is not None and bool(report.rows)
        self.pages.setCurrentIndex(int(rows))
        if report is not None and rows:
            self.results.show_report(report)
        self.start_button.setVisible(not is_running)
        self.start_button.setText(
            localize("もう一度実行", "Run again") if report is not None and report.is_over else localize("開始", "Start")
        )
        self.cancel_button.setVisible(is_running)
        self.cancel_button.setEnabled(report is not None and not report.is_over)
        self.form.setEnabled(not is_running)
        self.export_button.show_report(report if not is_running else None)
        if self.candidates is not None:
            self.candidates.setEnabled(not is_running)
        self._show_progress(report, is_running)
        error = report.error if report is not None else None
        if report is None or error is None:
            self.banner.hide()
        # A banner that shows this error already keeps its opened details: reports arrive again and again.
        elif self.banner.message.text() != error.message or not self.banner.is_wanted:
            self.banner.show_message("error", error.message, error.hint, details=report.log)

    def showEvent(self, event: QShowEvent) -> None:
        """Give the export button the height of the start button."""
        super().showEvent(event)
        # The style sheet sets the height of buttons only when the page is first shown.
        self.export_button.setFixedHeight(self.start_button.sizeHint().height())

    def show_exported(self, message: str, folder: Path) -> None:
        """Show that a file was written, with a button that opens its folder."""
        url = QUrl.fromLocalFile(str(folder))
        self.banner.show_message(
            "notice", message, str(folder), action=_label_open_folder(), on_action=lambda: QDesktopServices.openUrl(url)
        )

    def _show_progress(self, report: LabReport | None, is_running: bool) -> None:
        self.bar.setVisible(is_running)
        self.state.setVisible(report is not None and (is_running or report.state is TaskState.CANCELLED))
        if report is None:
            return
        is_percent_known = report.progress.percent > 0
        self.bar.setRange(0, 100 if is_percent_known or report.state is TaskState.WAITING else 0)
        self.bar.setValue(report.progress.percent)
        self.state.setText(_describe_state(report))

    def _lay_out_widgets(self) -> None:
        low = Qt.AlignmentFlag.AlignBottom
        options: tuple[BoxPart, ...] = ((self.form, FORM_STRETCH), FORM_GAP_PX) if self.command.options else ()
        commands = ((self.start_button, low), (self.cancel_button, low), None, (self.export_button, low))
        buttons = fill_box(QHBoxLayout(), *options, *commands, spacing=8)
        candidates = () if self.candidates is None else (self.candidates,)
        parts = (self.about, buttons, self.bar, self.state, self.banner, (self.pages, 1), *candidates)
        fill_box(QVBoxLayout(self), *parts, spacing=10, margins=(14, 12, 14, 12))

    @Slot(str)
    def show_start_problem(self, problem: str) -> None:
        """Show why the command cannot be started; empty enables it."""
        self.start_button.setEnabled(not problem)
        self.start_button.setToolTip(problem or localize("選んだ声または BERT を調べます。", "Looks into the chosen voice or BERT."))


def _label_open_folder() -> str:
    return localize("フォルダーを開く", "Open folder")


def _create_empty_page(name: str, promise: str) -> QWidget:
    """Return the centred text that is shown before there are results."""
    # Qt breaks Japanese text inside words; a line break after each sentence keeps lines readable.
    title, words = PlainLabel(name, "heading"), PlainLabel(promise.replace("。", "。\n").strip(), "muted")
    words.setWordWrap(True)
    words.setFixedWidth(EMPTY_PAGE_WIDTH_PX)
    page = QWidget()
    column = QVBoxLayout(page)
    column.setSpacing(6)
    column.addStretch(2)
    for label in (title, words):
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        # Aligned by the column itself, the label would not get the height that its wrapped text needs.
        column.addLayout(fill_box(QHBoxLayout(), None, label, None))
    column.addStretch(3)
    return page


def _describe_state(report: LabReport) -> str:
    if report.state is TaskState.CANCELLED:
        return localize("中止しました。ここまでの結果です。", "Stopped. These are the results so far.")
    if report.state is TaskState.WAITING:
        return localize("待機中（ほかの測定の後に始まります）", "Waiting for the other measurement to finish")
    return describe_progress(report.progress) if report.progress.step else localize("実行しています…", "Working…")


def _create_control(option: LabOption, devices: Sequence[str]) -> OptionControl:
    control: OptionControl
    choices = _list_choices(option, devices)
    if option.kind == "switch":
        control = QCheckBox(localize_option(option))
        # Before it is polished by the style sheet, a check box reports the wrong size hint.
        control.ensurePolished()
    elif choices:
        control = ChoiceBox()
        control.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for value, word in choices:
            control.addItem(word, value)
        control.setCurrentIndex(max(0, control.findData(option.default)))
    else:
        control = QLineEdit(placeholderText=option.default or localize("省略可", "Optional"))
        control.setMaxLength(MAX_OPTION_LENGTH)
        if option.kind == "number":
            control.setAlignment(Qt.AlignmentFlag.AlignRight)
            control.setInputMethodHints(Qt.InputMethodHint.ImhDigitsOnly)
    control.setMinimumWidth(max(NARROWEST, control.sizeHint().width()) if isinstance(control, QCheckBox) else NARROWEST)
    describe_control(control, localize_option(option), wrap_tip(f"{option.help} ({option.option})"))
    control.setAccessibleDescription(option.help)
    return control


def _list_choices(option: LabOption, devices: Sequence[str]) -> list[tuple[str, str]]:
    """Return the values and labels of an option; `--backend` offers this machine's devices where it takes any value."""
    if option.option == "--backend" and not option.many:
        return [(value, localize_device(value)) for value in dict.fromkeys((option.default or "auto", *(option.choices or devices)))]
    if not option.choices:
        return []
    automatic = [] if option.default in option.choices else [("", localize("自動", "Automatic"))]
    return [*automatic, *((value, value) for value in option.choices)]


def _build_arguments(option: LabOption, control: OptionControl) -> Sequence[str]:
    if isinstance(control, QCheckBox):
        return [option.option] if control.isChecked() else []
    value = str(control.currentData()) if isinstance(control, ChoiceBox) else control.text().strip()
    if not value or value == option.default:
        return []
    # The sign keeps a value that begins with a dash from being taken for an option.
    return [option.option, *value.split()] if option.many else [f"{option.option}={value}"]
