"""The dialogs of `koebako doctor`, in a process of its own so that a broken part cannot crash the window, and of the newest part of the log."""

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QProcess, QProcessEnvironment, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from app.common.files.untrusted_json import parse_object
from app.common.files.whole_files import open_regular_file, write_file_atomically
from app.common.language import localize
from app.common.log import find_log_path
from app.common.processes.launch import build_cli_command
from app.common.system_errors import describe_reason
from app.ui.widgets.controls import PlainLabel, create_close_box, describe_control, escape_tip, fill_box, set_up_button
from app.ui.widgets.dialogs import ClosableDialog
from app.ui.widgets.visibility_timer import VisibilityTimer

CHECK_MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}
TERMINATION_TIMEOUT_MS = 3000
DIAGNOSTICS_HELP_PAGE = "settings"

MAX_SHOWN_LOG_BYTES = 256 << 10
LOG_POLL_MS = 1000
SERIOUS_LEVELS = (" WARNING ", " ERROR ", " CRITICAL ")


class DiagnosticsDialog(ClosableDialog):
    """A dialog that starts the checks as soon as it is made.

    Signals:
        help_requested(str): A page of the user guide that helps with the results.
    """

    help_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("診断", "Diagnostics"))
        self.report = ""
        self.summary = PlainLabel()
        self.summary.setObjectName("heading")
        self.busy = QProgressBar(minimum=0, maximum=0, textVisible=False)
        self.busy.setObjectName("played")
        self.busy.setFixedHeight(4)
        self.busy.setAccessibleName(localize("診断中", "Running diagnostics"))
        self.shown = describe_control(
            QTextBrowser(),
            localize("診断結果", "Results"),
            localize("koebako doctor と同じ結果です。", "The same results as koebako doctor."),
        )
        box = create_close_box(self)

        def add_button(name: str, tip: str, on_click: Callable[[], object]) -> QPushButton:
            return set_up_button(box.addButton(name, QDialogButtonBox.ButtonRole.ActionRole), tip, on_click)

        self.help = add_button(
            localize("ヘルプ", "Help"),
            localize("困ったときの説明を開きます。", "Explains what to do if something is wrong."),
            lambda: self.help_requested.emit(DIAGNOSTICS_HELP_PAGE),
        )
        self.again = add_button(
            localize("再診断", "Check again"), localize("もう一度診断します。", "Runs all checks again."), self.run_checks
        )
        self.copy = add_button(localize("コピー", "Copy"), localize("診断結果をコピーします。", "Copies the results."), self._copy_report)
        self.save = add_button(
            localize("保存…", "Save…"), localize("診断結果をファイルに保存します。", "Saves the results to a file."), self._save_report
        )
        fill_box(QVBoxLayout(self), self.summary, self.busy, (self.shown, 1), box, margins=None)
        self.process = QProcess(self)
        self.process.setProcessEnvironment(QProcessEnvironment.systemEnvironment())
        self.process.finished.connect(self._show_results)
        self.process.errorOccurred.connect(self._show_results)
        self.resize(680, 520)
        self.run_checks()

    @Slot()
    def run_checks(self) -> None:
        self.report = ""
        self.summary.setText(localize("診断中…", "Running diagnostics…"))
        self.busy.show()
        for button in (self.copy, self.save, self.again):
            button.setEnabled(False)
        program, *arguments = build_cli_command()
        self.process.start(program, [*arguments, "doctor", "--json"])

    def done(self, result: int) -> None:
        """Kill the checks along with the dialog."""
        # Otherwise the killed process would report its end to a dialog that is closing.
        self.process.blockSignals(True)
        if self.process.state() != QProcess.ProcessState.NotRunning:
            self.process.kill()
            self.process.waitForFinished(TERMINATION_TIMEOUT_MS)
        super().done(result)

    @Slot()
    def _show_results(self, *_args: object) -> None:
        # A crash emits both errorOccurred and finished; an error may come while the process still runs.
        if self.process.state() != QProcess.ProcessState.NotRunning or self.report:
            return
        output = bytes(self.process.readAllStandardOutput().data()).decode("utf-8", "replace")
        errors = bytes(self.process.readAllStandardError().data()).decode("utf-8", "replace").strip()
        try:
            results = parse_object(output)
            self.report = format_text_report(results)
            self.shown.setHtml(format_html_report(results))
            troubles = sum(check["status"] != "ok" for check in results["checks"])
            self.summary.setText(
                localize(f"{troubles} 件の問題が見つかりました。", f"{troubles} problem{'s' * (troubles != 1)} found.")
                if troubles
                else localize("問題は見つかりませんでした。", "No problems found.")
            )
        # A broken part may end the process in mid-report: then everything it printed is the report.
        except (ValueError, KeyError, TypeError, AttributeError):
            self.report = f"{output}\n{errors}\n{self.process.errorString()}".strip()
            self.shown.setPlainText(self.report)
            self.summary.setText(localize("診断が完了しませんでした。", "The checks did not finish."))
        self.busy.hide()
        for button in (self.copy, self.save, self.again):
            button.setEnabled(True)

    @Slot()
    def _copy_report(self) -> None:
        QGuiApplication.clipboard().setText(self.report)

    @Slot()
    def _save_report(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, self.save.toolTip(), str(Path.home() / "koebako-report.txt"), "*.txt")
        if not name:
            return
        try:
            write_file_atomically(Path(name), (self.report + "\n").encode())
        except OSError as exc:
            self.summary.setText(localize(f"保存できません：{describe_reason(exc)}。", f"Could not be saved: {describe_reason(exc)}."))


def localize_check(check: str) -> str:
    """Return the display name of a check; the command line keeps the id."""
    names = {
        "python": ("Python", "Python"),
        "onnxruntime": ("ONNX Runtime", "ONNX Runtime"),
        "g2p": ("テキストの読み", "Reading text"),
        "dictionary": ("ユーザー辞書", "User dictionary"),
        "voice": ("音声の合成", "Speaking"),
        "voices": ("声", "Voices"),
        "backends": ("バックエンド", "Backends"),
        "audio": ("再生デバイス", "Output device"),
        "sound_files": ("音声ファイル", "Sound files"),
        "data_dir": ("データフォルダー", "Data folder"),
        "window": ("ウィンドウ", "Window"),
    }
    return localize(*names.get(check, (check, check)))


def format_text_report(results: dict[str, Any]) -> str:
    """Format the results as text that can be sent to someone."""
    lines = [
        f"{CHECK_MARKS[check['status']]} {localize_check(check['id'])}: {check['found']}"
        + (f"\n    → {check['fix']}" if check["fix"] else "")
        for check in results["checks"]
    ]
    lines += ["", *(f"{name} {version}" for name, version in results["versions"].items())]
    lines += ["", *(f"{name}: {place}" for name, place in results["paths"].items())]
    return "\n".join(lines)


def format_html_report(results: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><b>{CHECK_MARKS[check['status']]}</b>&nbsp;</td><td><b>{html.escape(localize_check(check['id']))}</b>&nbsp;&nbsp;</td><td>{html.escape(check['found'])}"
        + (f"<br>→ {html.escape(check['fix'])}" if check["fix"] else "")
        + "</td></tr>"
        for check in results["checks"]
    )
    versions = ", ".join(html.escape(f"{name} {version}") for name, version in results["versions"].items())
    places = "<br>".join(html.escape(f"{name}: {place}") for name, place in results["paths"].items())
    return f"<table cellpadding='4'>{rows}</table><p>{versions}</p><p>{places}</p>"


class LogDialog(ClosableDialog):
    """A dialog that shows, filters and copies the log."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("ログ", "Log"))
        self._size = -1
        name = localize("絞り込み", "Filter")
        tip = localize("この文字を含む行だけを表示します。", "Shows only lines that contain this text.")
        self.wanted = describe_control(QLineEdit(placeholderText=localize("含まれる文字", "Contains"), clearButtonEnabled=True), name, tip)
        self.serious = QCheckBox(localize("警告とエラーのみ", "Warnings and errors only"))
        self.serious.setToolTip(localize("警告とエラーだけを表示します。", "Shows only warnings and errors."))
        self.shown = QPlainTextEdit(readOnly=True, tabChangesFocus=True, lineWrapMode=QPlainTextEdit.LineWrapMode.NoWrap)
        self.shown.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.shown.setAccessibleName(self.windowTitle())
        row = fill_box(QHBoxLayout(), (self.wanted, 1), self.serious)
        box, role = create_close_box(self), QDialogButtonBox.ButtonRole.ActionRole
        tip = localize("表示中の行をコピーします。", "Copies the lines shown.")
        self.copy = set_up_button(
            box.addButton(localize("コピー", "Copy"), role), tip, lambda: QGuiApplication.clipboard().setText(self.shown.toPlainText())
        )
        folder = str(find_log_path().parent)
        self.folder = set_up_button(
            box.addButton(localize("フォルダーを開く", "Open folder"), role),
            escape_tip(folder),
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(folder)),
        )
        fill_box(QVBoxLayout(self), row, (self.shown, 1), box, margins=None)
        self.wanted.textChanged.connect(self._refresh_lines)
        self.serious.toggled.connect(self._refresh_lines)
        self.resize(760, 480)
        VisibilityTimer(self, LOG_POLL_MS, self.show_new_lines)

    @Slot()
    def show_new_lines(self) -> None:
        """Show the log again where the file has changed."""
        size = find_log_path().stat().st_size if find_log_path().is_file() else 0
        # A log grows, so its size shows whether it changed, without reading it every second.
        if size == self._size:
            return
        self._size = size
        words = self.wanted.text().casefold().split()
        lines = [line for line in read_newest_lines(find_log_path()) if all(word in line.casefold() for word in words)]
        if self.serious.isChecked():
            lines = [line for line in lines if any(mark in line for mark in SERIOUS_LEVELS)]
        self.shown.setPlaceholderText(
            localize("一致する行がありません。", "No matching lines.") if size else localize("まだ記録がありません。", "The log is empty.")
        )
        bar = self.shown.verticalScrollBar()
        # A reader at the end follows the log; one who scrolled up keeps the place.
        is_at_end, position = bar.value() >= bar.maximum(), bar.value()
        self.shown.setPlainText("\n".join(lines))
        bar.setValue(bar.maximum() if is_at_end else position)

    @Slot()
    def _refresh_lines(self) -> None:
        self._size = -1
        self.show_new_lines()


def read_newest_lines(path: Path) -> list[str]:
    """Return the last lines of a file, without a first line that was cut; empty where it cannot be read."""
    try:
        with open_regular_file(path) as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - MAX_SHOWN_LOG_BYTES))
            lines = file.read(MAX_SHOWN_LOG_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    return lines[1:] if size > MAX_SHOWN_LOG_BYTES else lines
