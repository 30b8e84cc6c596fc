"""Closing the window while work runs: nothing that was asked for is dropped without a question."""

import json
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from app.common import language
from app.ui.settings.settings_dialog import SettingsDialog
from app.ui.tasks.process_task import TaskSpec, TaskState
from tests.ui.banner_driver import press_action
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.window_driver import WindowDriver

CHILD = Path(__file__).parents[1] / "tasks" / "fake_child.py"


def working(window: WindowDriver, title: str, *, quiet: bool = False) -> TaskSpec:
    window.task_queue.command = lambda: [sys.executable, str(CHILD)]
    script = json.dumps({"lines": [[60.0, "done"]], "code": 0})
    return window.task_queue.add_task(TaskSpec(title, (script,), quiet=quiet)).work


def answer(window: WindowDriver, words: str) -> None:
    box = window.leaving.question
    assert box is not None
    next(button for button in box.buttons() if button.text() == words).click()


def test_a_voice_that_is_being_added_is_not_dropped_without_a_question(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    for number in range(6):
        working(window, f"Add voice: {number}")
    window.close()
    assert window.isVisible()
    box = window.leaving.question
    assert isinstance(box, QMessageBox)
    assert [line for line in box.informativeText().splitlines() if line.startswith("・")] == [f"・Add voice: {n}" for n in range(4)]

    assert box.defaultButton().text() == "Cancel"  # Enter alone stops nothing
    answer(window, "Cancel")
    qtbot.waitUntil(lambda: window.leaving.question is None, timeout=WAIT_MS)
    (running,) = (job for job in window.task_queue.jobs if job.stage is TaskState.RUNNING)
    assert running.has_process

    window.close()
    answer(window, "Stop and quit")
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=WAIT_MS)
    assert not running.has_process
    assert not window.speech_thread.isRunning()


def test_the_window_closes_at_once_where_nothing_would_be_missed(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    working(window, "Check BERT precision", quiet=True)  # it comes again by itself
    window.close()
    assert window.leaving.question is None
    assert not window.isVisible()

    other = open_window()
    working(other, "Add voice: a")
    other.leaving.close_now()  # the session ends, or Ctrl+C
    assert not other.isVisible()
    assert QApplication.activeModalWidget() is None


def test_the_question_is_asked_in_japanese_too(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_current", "ja")
    window = open_window()
    working(window, "声を追加: 花子")
    window.close()
    box = window.leaving.question
    assert box is not None
    assert (box.text(), {button.text() for button in box.buttons()}) == (
        "次の作業が終わっていません。終了しますか？",
        {"中止して終了", "キャンセル"},
    )


def test_restart_now_closes_the_window_and_no_later_close_does(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.dialogs.open_settings()
    dialog = window.dialogs.shown
    assert isinstance(dialog, SettingsDialog)
    dialog.controls["language"].show_value("ja")  # type: ignore[arg-type]
    dialog.ok.click()
    working(window, "Add voice: 1")
    press_action(window.notice, "Restart now")
    assert window.is_restarting
    answer(window, "Cancel")
    qtbot.waitUntil(lambda: not window.is_restarting, timeout=WAIT_MS)
    assert window.isVisible()
    window.request_restart()
    answer(window, "Stop and quit")
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=WAIT_MS)
    assert window.is_restarting
