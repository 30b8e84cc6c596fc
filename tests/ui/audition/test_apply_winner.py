"""A blind test of two takes, and what came first applied to the line."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.audition.blind_test_trials import find_blind_trial
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.audition.blind_test_setup_page import BlindTestSetupPage
from tests.ui.audition.test_mushra_dialog import takes_of
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.recording_player import RecordingPlayer
from tests.ui.window_driver import WindowDriver


@pytest.fixture
def player() -> RecordingPlayer:
    """In time, as a device plays."""
    return RecordingPlayer(pace=1.0)


def compared(qtbot: QtBot, window: WindowDriver, kind: str, wanted: list[int]) -> BlindTestDialog:
    """A test of two takes to its end; the column that is chosen in each trial."""
    window.blind_tests.compare_takes(takes_of(qtbot, window))
    dialog = window.blind_tests.dialog
    assert dialog is not None
    page = dialog.pages.currentWidget()
    assert isinstance(page, BlindTestSetupPage)
    page.kind.setCurrentIndex(page.kind.findData(kind))
    page.trials.setValue(len(wanted))
    page.begin_button.click()
    for column in wanted:
        qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
        assert dialog.test is not None
        trial = find_blind_trial(dialog.test)
        assert trial is not None
        for place in range(dialog.trial.letters.count):
            dialog.trial.letters.request_index(place)
        dialog.trial.answers.choose_answer("a" if trial.a == column else "b")
        dialog.trial.confirm.click()
    assert dialog.pages.currentWidget() is dialog.outcome
    return dialog


def test_the_winner_is_applied_to_the_line_and_taken_back(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    dialog = compared(qtbot, window, "pairs", [0, 0, 1, 0, 1])
    (before,) = window.lines
    assert before.settings.speed == pytest.approx(1.2)
    slower, faster = window.take_book.takes
    assert (slower.settings.speed, faster.settings.speed) == (1.0, pytest.approx(1.2))
    apply = dialog.outcome.apply_button
    assert apply.isVisibleTo(dialog)
    assert apply.text() == apply.accessibleName() == "Apply the winner"
    steps = window.undo_stack.count()
    apply.click()
    (after,) = window.lines
    assert (after.settings.speed, after.settings.seed, after.settings.seed_locked) == (1.0, slower.settings.seed, True)
    assert (after.text, after.overrides, after.id) == (before.text, before.overrides, before.id)
    assert window.undo_stack.count() == steps + 1
    assert (apply.isEnabled(), apply.text()) == (False, "Applied to the lines")
    window.undo_stack.undo()
    assert window.lines == (before,)
    assert apply.isEnabled()
    window.document.reset_script(type(window.document.script)(()))
    assert not apply.isVisibleTo(dialog), "the line is gone"
    dialog.reject()
    wait_idle(qtbot, window)


def test_abx_offers_nothing_to_apply(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    dialog = compared(qtbot, window, "abx", [0, 0, 1, 0, 1])
    assert not dialog.outcome.apply_button.isVisibleTo(dialog)
    dialog.reject()
    wait_idle(qtbot, window)
