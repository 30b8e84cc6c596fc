"""What `koebako doctor` finds, run in a process of its own so that a broken part cannot take the window along."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

from PySide6.QtCore import QProcess, QProcessEnvironment, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QProgressBar, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from app.data_file import write_whole
from app.json_text import parse_object
from app.language import localized
from app.own_program import own_command
from app.system_errors import reason_of
from app.ui.plain_text import PlainLabel

MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}
PATIENCE_MS = 3000
HELP_PAGE = "settings"


class DiagnosticsDialog(QDialog):
    """Starts checking as soon as it is made.

    Attributes:
        report: what was found, as text; empty while the checks run.

    Signals:
        help_requested(str): the page of the user guide that helps with what was found.
    """

    help_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("診断", "Diagnostics"))
        self.report = ""
        self.summary = PlainLabel()
        self.summary.setObjectName("heading")
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setObjectName("played")
        self.busy.setTextVisible(False)
        self.busy.setFixedHeight(4)
        self.busy.setAccessibleName(localized("診断中", "Running diagnostics"))
        self.shown = QTextBrowser()
        self.shown.setAccessibleName(localized("診断結果", "Results"))
        self.shown.setToolTip(localized("koebako doctor と同じ結果です。", "The same results as koebako doctor."))
        column = QVBoxLayout(self)
        column.addWidget(self.summary)
        column.addWidget(self.busy)
        column.addWidget(self.shown, 1)
        column.addWidget(self._buttons())
        self._process = QProcess(self)
        self._process.setProcessEnvironment(QProcessEnvironment.systemEnvironment())
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_finished)
        self.resize(680, 520)
        self.check()

    @Slot()
    def check(self) -> None:
        """Checks everything again."""
        self.report = ""
        self.summary.setText(localized("診断中…", "Running diagnostics…"))
        self.busy.show()
        for button in (self.copy, self.save, self.again):
            button.setEnabled(False)
        program, *arguments = own_command()
        self._process.start(program, [*arguments, "doctor", "--json"])

    def done(self, result: int) -> None:
        """Ends the checks along with the dialog."""
        self._process.blockSignals(True)
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.kill()
            self._process.waitForFinished(PATIENCE_MS)
        super().done(result)

    def _buttons(self) -> QDialogButtonBox:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.button(QDialogButtonBox.StandardButton.Close).setToolTip(localized("閉じる", "Close"))
        box.rejected.connect(self.reject)
        role = QDialogButtonBox.ButtonRole.ActionRole

        def add(name: str, tip: str, called: Any) -> QPushButton:
            button = box.addButton(name, role)
            button.setToolTip(tip)
            button.clicked.connect(called)
            return button

        self.help = add(
            localized("ヘルプ", "Help"),
            localized("困ったときの説明を開きます。", "Explains what to do if something is wrong."),
            lambda: self.help_requested.emit(HELP_PAGE),
        )
        self.again = add(localized("再診断", "Check again"), localized("もう一度診断します。", "Runs all checks again."), self.check)
        self.copy = add(localized("コピー", "Copy"), localized("診断結果をコピーします。", "Copies the results."), self._copy)
        self.save = add(
            localized("保存…", "Save…"), localized("診断結果をファイルに保存します。", "Saves the results to a file."), self._save
        )
        return box

    @Slot()
    def _on_finished(self, *_how: object) -> None:
        if self._process.state() != QProcess.ProcessState.NotRunning or self.report:
            return
        said = bytes(self._process.readAllStandardOutput().data()).decode("utf-8", "replace")
        wrong = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace").strip()
        try:
            found = parse_object(said)
            self.report = as_text(found)
            self.shown.setHtml(as_html(found))
            troubles = sum(check["status"] != "ok" for check in found["checks"])
            self.summary.setText(
                localized(f"{troubles} 件の問題が見つかりました。", f"{troubles} problem{'s' * (troubles != 1)} found.")
                if troubles
                else localized("問題は見つかりませんでした。", "No problems found.")
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            self.report = f"{said}\n{wrong}\n{self._process.errorString()}".strip()
            self.shown.setPlainText(self.report)
            self.summary.setText(localized("診断が完了しませんでした。", "The checks did not finish."))
        self.busy.hide()
        for button in (self.copy, self.save, self.again):
            button.setEnabled(True)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report)

    @Slot()
    def _save(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, self.save.toolTip(), str(Path.home() / "koebako-report.txt"), "*.txt")
        if not name:
            return
        try:
            write_whole(Path(name), (self.report + "\n").encode())
        except OSError as exc:
            self.summary.setText(localized(f"保存できません：{reason_of(exc)}。", f"Could not be saved: {reason_of(exc)}."))


def check_name(check: str) -> str:
    """What is checked, for people; the command line keeps the id."""
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
    return localized(*names.get(check, (check, check)))


def as_text(found: dict[str, Any]) -> str:
    """What the doctor found, to be sent to someone."""
    lines = [
        f"{MARKS[check['status']]} {check_name(check['id'])}: {check['found']}" + (f"\n    → {check['fix']}" if check["fix"] else "")
        for check in found["checks"]
    ]
    lines += ["", *(f"{name} {version}" for name, version in found["versions"].items())]
    lines += ["", *(f"{name}: {place}" for name, place in found["paths"].items())]
    return "\n".join(lines)


def as_html(found: dict[str, Any]) -> str:
    """The same for the eye."""
    rows = "".join(
        f"<tr><td><b>{MARKS[check['status']]}</b>&nbsp;</td><td><b>{html.escape(check_name(check['id']))}</b>&nbsp;&nbsp;</td><td>{html.escape(check['found'])}"
        + (f"<br>→ {html.escape(check['fix'])}" if check["fix"] else "")
        + "</td></tr>"
        for check in found["checks"]
    )
    versions = ", ".join(html.escape(f"{name} {version}") for name, version in found["versions"].items())
    places = "<br>".join(html.escape(f"{name}: {place}") for name, place in found["paths"].items())
    return f"<table cellpadding='4'>{rows}</table><p>{versions}</p><p>{places}</p>"
