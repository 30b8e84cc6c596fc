"""A blind test of two takes, and what came first applied to the line."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.audition.blind_test import BlindTestKind, find_blind_trial
from app.audition.blind_test_data import parse_readable_blind_tests
from app.audition.result_sheets import build_html_sheet
from app.core.script.characters import extract_character_settings
from app.core.script.script import Character, Script
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.audition.setup_page import BlindTestSetupPage
from tests.recording_player import RecordingPlayer
from tests.ui.audition.test_mushra_dialog import takes_of
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import WindowDriver


@pytest.fixture
def player() -> RecordingPlayer:
    """In time, as a device plays."""
    return RecordingPlayer(pace=1.0)


def compared(qtbot: QtBot, window: WindowDriver, kind: BlindTestKind, wanted: list[int]) -> BlindTestDialog:
    """A test of two takes to its end; the column that is chosen in each trial."""
    window.blind_tests.compare_takes(takes_of(qtbot, window))
    dialog = window.blind_tests.dialog
    assert dialog is not None
    page = dialog.pages.currentWidget()
    assert isinstance(page, BlindTestSetupPage)
    page.methods.choose_kind(kind)
    page.trials.setValue(len(wanted))
    page.begin_button.click()
    for column in wanted:
        qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
        assert dialog.test is not None
        trial = find_blind_trial(dialog.test)
        assert trial is not None
        for place in range(len(dialog.trial.letters.letters)):
            dialog.trial.letters.request_index(place)
        dialog.trial.answers.choose_answer("a" if trial.a == column else "b")
        dialog.trial.confirm.click()
    assert dialog.pages.currentWidget() is dialog.outcome
    return dialog


def test_the_winner_is_applied_to_the_line_and_taken_back(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    dialog = compared(qtbot, window, "pairs", [0] * 6)
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


def test_the_winner_is_applied_to_the_character_of_the_line(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    dialog = compared(qtbot, window, "pairs", [0] * 6)
    offer = dialog.outcome.character_button
    assert not offer.isVisibleTo(dialog), "nobody speaks the line"
    (line,) = window.lines
    hero = Character("勇者", extract_character_settings(line.settings), id="hero")
    other = replace(line, text="はい。", id="other")
    lines = (replace(line, character="hero"), replace(other, character="hero"))
    window.document.apply_edit("", Script(lines, cast=(hero,)))
    assert offer.isVisibleTo(dialog)
    assert offer.text() == offer.accessibleName() == "Apply to 勇者"
    steps, takes = window.undo_stack.count(), window.take_book.takes
    offer.click()
    script = window.document.script
    assert script.cast[0].settings.speed == 1.0
    assert [one.settings for one in script.lines] == [replace(one.settings, speed=1.0) for one in lines], "seeds stay"
    assert window.undo_stack.count() == steps + 1
    assert window.take_book.takes == takes
    assert (offer.isEnabled(), offer.text()) == (False, "Applied to 勇者")
    window.undo_stack.undo()
    assert window.document.script == Script(lines, cast=(hero,))
    dialog.reject()
    wait_idle(qtbot, window)


def test_nothing_is_offered_where_no_preference_was_shown(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    dialog = compared(qtbot, window, "pairs", [0, 0, 1, 0, 1, 0])
    assert "No preference was shown" in dialog.outcome.verdict.text()
    assert not dialog.outcome.apply_button.isVisibleTo(dialog)
    assert not dialog.outcome.character_button.isVisibleTo(dialog)
    dialog.reject()
    wait_idle(qtbot, window)


def test_the_ledger_names_who_spoke_what(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    dialog = compared(qtbot, window, "pairs", [0] * 6)
    (kept,) = parse_readable_blind_tests(window.project_parts.tests)
    page = build_html_sheet(kept)
    assert "<td>Mei (starter)</td><td>Mei</td><td>Neutral</td>" in page
    assert "<td>はい。</td>" in page
    assert kept.begun[:10] in page
    dialog.reject()
    wait_idle(qtbot, window)


def test_abx_offers_nothing_to_apply(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    dialog = compared(qtbot, window, "abx", [0, 0, 1, 0, 1])
    assert not dialog.outcome.apply_button.isVisibleTo(dialog)
    dialog.reject()
    wait_idle(qtbot, window)
