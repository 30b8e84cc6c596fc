"""What users do with projects, for the stories."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from app.core.script.project import Project
from app.core.script.script import Line, Script
from app.interchange.koebako_files import write_project
from tests.ui.conftest import WAIT_MS
from tests.ui.window_driver import WindowDriver

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def project_file(path: Path, *texts: str, **parts: object) -> Path:
    """A project on the disk."""
    script = Script(tuple(Line(text, id=f"l{number}") for number, text in enumerate(texts)))
    write_project(path, Project(script=script, **parts))  # type: ignore[arg-type]
    return path


def texts(window: WindowDriver) -> list[str]:
    return [line.text for line in window.lines]


def opened(qtbot: QtBot, window: WindowDriver, path: Path) -> None:
    """Opens a file and waits until it is shown."""
    with qtbot.waitSignal(window.projects.opened, timeout=WAIT_MS):
        window.projects.open_file(path)


def press_key(qtbot: QtBot, window: WindowDriver, key: Qt.Key, held: Qt.KeyboardModifier = CTRL) -> None:
    """Shortcuts work in the window that is in front."""
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
    QTest.keyClick(window, key, held)


def saved(qtbot: QtBot, window: WindowDriver) -> None:
    """Presses Ctrl+S and waits until the file is written."""
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        press_key(qtbot, window, Qt.Key.Key_S)


def press(window: WindowDriver, words: str) -> None:
    """Answers the question that the window asks."""
    question = window.projects.question
    assert isinstance(question, QMessageBox)
    next(button for button in question.buttons() if button.text() == words).click()


def name_it(monkeypatch: pytest.MonkeyPatch, file: Path) -> list[str]:
    """What "Save as" is answered with; the list is what it suggested."""
    suggested: list[str] = []

    def ask(_parent: object, _title: str, start: str, _kinds: str) -> tuple[str, str]:
        suggested.append(Path(start).name)
        return str(file), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    return suggested
