"""Actions on long scripts and in a window of usual size stay within counts of steps, rows and style sheets.

Each bound leaves room for at least half as much again as was counted. Raise one here, where a reviewer sees it.
"""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.core.script.script import Line, Script
from app.settings.user_settings import Settings
from tests.recording_player import RecordingPlayer
from tests.ui.action_counts import ActionCounts
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.long_script_deeds import close_dialogs, fill_hundred_lines, list_long_script_deeds, list_ordinary_deeds

pytestmark = pytest.mark.usefixtures("styled")

LINES = 2000
ROWS_AT_ONCE = LINES // 2  # between two looks at the event loop; a gradual layout takes a hundred, now and then the next hundred with them
# Of the script, in the whole action with what an earlier one left for later: going through all lines once takes at least one.
STEPS_A_LINE, STEPS_OF_LARGE_CHANGES = 45, {
    "open": 110, "replace all": 130, "undo replacing": 160, "undo deleting": 120, "another theme": 90, "a narrower window": 90,
    "add a line": 90, "paste": 700, "undo pasting": 60,
}  # fmt: skip
MOST_STEPS = 400_000  # what a room costs that is built for the first time; the theme paints a hundred lines again
PLAYING = {
    "play",
    "play_through",
    "a slider",
    "a style",
}  # last as long as what is heard, as live changes are: their steps are a matter of time
SHEETS = {"another theme": 2}  # an empty one before the new one; no other action has the whole window polished again


def test_an_action_goes_through_a_long_script_a_few_times(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window, counts = open_window(Settings(text="", theme="light")), ActionCounts(monkeypatch)
    deeds = list_long_script_deeds(window, LINES)
    assert STEPS_OF_LARGE_CHANGES.keys() <= {name for name, _ in deeds}
    for name, deed in deeds:
        with counts:
            deed()
            qtbot.waitUntil(lambda: not window.script.gradual.is_running, timeout=WAIT_MS)
            QApplication.processEvents()
        assert counts.steps <= STEPS_OF_LARGE_CHANGES.get(name, STEPS_A_LINE) * LINES, name
        assert counts.most_rows <= ROWS_AT_ONCE, name
        assert counts.rows <= 1.5 * LINES, f"{name}: rows were laid out again that had not changed"
        assert counts.style_sheets <= SHEETS.get(name, 0), name


def test_usual_actions_take_few_steps_at_a_time(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_arguments: ([], ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_arguments: ("", ""))
    window = open_window(Settings(text="", theme="light"), lambda _device, _rate: RecordingPlayer(pace=10.0))
    counts = ActionCounts(monkeypatch)
    wait_idle(qtbot, fill_hundred_lines(window))
    for name, deed in list_ordinary_deeds(window):
        with counts:
            deed()
            qtbot.waitUntil(_after_turns(10), timeout=WAIT_MS)
        close_dialogs(window)
        assert name in PLAYING or counts.steps <= MOST_STEPS, name
        assert counts.style_sheets <= SHEETS.get(name, 0), name
        assert counts.rows <= 250, name
    window.settings.change_settings(loop=False, live=False)
    window.window_actions["stop"].trigger()
    wait_idle(qtbot, window)


def _after_turns(count: int) -> Callable[[], bool]:
    """Return a condition that holds once it was looked at so often: between looks the event loop does what it has."""
    looks = iter(range(count))
    return lambda: next(looks, None) is None


def test_steps_rows_and_sheets_are_counted(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window, counts = open_window(Settings(text="", theme="light")), ActionCounts(monkeypatch)
    steps = []
    for times in (1, 3):
        with counts:
            for turn in range(times):
                window.document.reset_script(Script(tuple(Line(f"{times} {turn} {number}") for number in range(40))))
            steps.append(counts.steps)
            qtbot.waitUntil(lambda: counts.rows >= 40, timeout=WAIT_MS)
    assert steps[1] > 2 * steps[0] > 0
    with counts:
        window.settings.change_settings(theme="dark")
    assert 1 <= counts.style_sheets <= SHEETS["another theme"]
