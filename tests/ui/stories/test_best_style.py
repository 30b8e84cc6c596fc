"""A designer's story: the best style for a line, found on the board, proved blind, applied, and the starred ones exported."""

from pathlib import Path

import pytest
import soundfile
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.audition.blind_test import find_blind_trial
from app.audition.blind_test_data import parse_readable_blind_tests
from app.audition.blind_test_result import compute_blind_test_result
from app.settings.user_settings import Settings
from app.ui.audition.blind_test_dialog import BlindTestDialog
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle, write
from tests.ui.window_driver import WindowDriver

Key = Qt.Key
TRIALS = 6


def press(qtbot: QtBot, *keys: Qt.Key) -> None:
    for key in keys:
        focused = QApplication.focusWidget()
        assert focused is not None
        qtbot.keyClick(focused, key)


@pytest.fixture
def window(open_window: OpenWindow, tmp_path: Path) -> WindowDriver:
    folder = tmp_path / "out"
    folder.mkdir()
    return open_window(Settings(text="", save_folder=str(folder)))


def starred_on_the_board(qtbot: QtBot, window: WindowDriver) -> int:
    """Two styles get a star; how many keys that took."""
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    window.window_actions["audition"].trigger()
    shown = window.board.window
    assert shown is not None
    qtbot.waitUntil(shown.isActiveWindow, timeout=WAIT_MS)
    cells = window.board.cells
    qtbot.waitUntil(lambda: bool(cells.board.cells) and len(cells.finished_cells) == len(cells.board.cells), timeout=WAIT_MS)
    keys = (Key.Key_Down, Key.Key_S, Key.Key_Down, Key.Key_S)
    press(qtbot, *keys)
    wait_idle(qtbot, window)
    qtbot.waitUntil(lambda: len([take for take in window.project_parts.takes if take.starred and take.sound]) == 2, timeout=WAIT_MS)
    return len(keys) + 1


def begun(qtbot: QtBot, window: WindowDriver) -> BlindTestDialog:
    dialog = window.blind_tests.dialog
    assert dialog is not None
    page = dialog.pages.currentWidget()
    assert page.methods.kind == "pairs", "which one is liked better is asked first"
    page.trials.setValue(TRIALS)
    page.begin_button.click()
    return dialog


def answer(qtbot: QtBot, dialog: BlindTestDialog, wanted: int) -> None:
    """Listens to both and prefers the one behind which `wanted` stands, as nobody can know."""
    assert dialog.test is not None
    trial = find_blind_trial(dialog.test)
    assert trial is not None
    qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
    for place in (0, 1):
        dialog.trial.letters.buttons[place].click()
        qtbot.waitUntil(lambda place=place: place in dialog.trial.letters.heard, timeout=WAIT_MS)
    before = len(dialog.test.answers)
    dialog.trial.answers.buttons["a" if trial.a == wanted else "b"].click()
    dialog.trial.confirm.click()
    qtbot.waitUntil(lambda: dialog.test is not None and len(dialog.test.answers) == before + 1, timeout=WAIT_MS)


def test_from_the_board_to_the_starred_files(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    write(window, "今日はいい天気です。")
    before = window.lines[0].settings
    keys = starred_on_the_board(qtbot, window)
    shown = window.board.window
    assert shown is not None
    shown.filter.compare_button.click()
    qtbot.waitUntil(lambda: window.blind_tests.dialog is not None, timeout=WAIT_MS)
    dialog = begun(qtbot, window)
    names = dialog.test.plan.names if dialog.test else ()
    assert len(names) == 2
    for _ in range(2):
        answer(qtbot, dialog, wanted=1)
    dialog.reject()  # a pause: the test is in the project
    wait_idle(qtbot, window)
    assert len(window.project_parts.tests) == 1
    window.window_actions["blind_test"].trigger()
    again = window.blind_tests.dialog
    assert again is not None
    assert again.test is not None
    assert len(again.test.answers) == 2
    for _ in range(TRIALS - 2):
        answer(qtbot, again, wanted=1)
    (test,) = parse_readable_blind_tests(window.project_parts.tests)
    assert find_blind_trial(test) is None
    result = compute_blind_test_result(test)
    assert result is not None
    assert names[1] in again.outcome.verdict.text()
    again.reject()
    wait_idle(qtbot, window)

    shown.activateWindow()
    shown.view.setFocus()
    qtbot.keyClick(shown.view, Key.Key_Return)
    line = window.lines[0]
    assert line.settings.style != before.style
    window.board.close()
    window.window_actions["export"].trigger()
    page = window.export.dialog
    assert page is not None
    page.form.what.choose_value("starred")
    qtbot.waitUntil(lambda: page.export_button.isEnabled() and page.files.rowCount() == 2, timeout=WAIT_MS)
    page.export_button.click()
    qtbot.waitUntil(lambda: window.export.run is not None and window.export.run.is_over, timeout=WAIT_MS)
    wait_idle(qtbot, window)
    files = sorted((tmp_path / "out").glob("[!.]*"))
    assert len(files) == 2
    lengths = sorted(round(take.length_s, 3) for take in window.project_parts.takes if take.starred)
    assert sorted(round(soundfile.info(file).duration, 3) for file in files) == lengths
    print(f"the best of {len(window.board.cells.board.cells)} styles: {keys + 1} keys to hear, star and apply")
