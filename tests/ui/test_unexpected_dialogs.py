"""A dialog that no test expected is an error at once, wherever it is opened; one that is expected is answered."""

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QDialog, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from tests.ui.unexpected_dialogs import UnexpectedDialogError, refuse_dialogs


def test_one_that_nobody_expected_is_an_error(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    opened = refuse_dialogs(monkeypatch)
    with pytest.raises(UnexpectedDialogError, match="getSaveFileName"):
        QFileDialog.getSaveFileName(None, "Export")
    for kind in (QDialog, QMessageBox):
        box = kind()
        qtbot.addWidget(box)
        with pytest.raises(UnexpectedDialogError):
            box.exec()
    assert opened == ["QFileDialog.getSaveFileName", "QDialog.exec", "QMessageBox.exec"]


def test_one_in_a_slot_is_noted(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    opened = refuse_dialogs(monkeypatch)
    with qtbot.captureExceptions() as errors:
        QTimer.singleShot(0, lambda: QFileDialog.getExistingDirectory(None))
        qtbot.waitUntil(lambda: bool(opened))
    assert opened == ["QFileDialog.getExistingDirectory"]
    assert [error[0] for error in errors] == [UnexpectedDialogError]


def test_an_answer_stands_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("a.wav", ""))
    assert QFileDialog.getSaveFileName(None, "Export") == ("a.wav", "")
