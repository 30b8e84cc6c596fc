"""A blind test by keyboard, from its plan to its sheets; what is heard is what stands behind the letters."""

import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.audition.blind_test import BlindTest, BlindTestKind, find_blind_trial
from app.audition.blind_test_data import dump_blind_test, parse_blind_test
from app.common.errors import InputError
from app.core.synthesis_types import Float32, SynthesisRequest
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.audition.listen_button import ListenButton
from app.ui.audition.setup_page import MUSHRA_KIND, BlindTestSetupPage
from app.ui.theme.theme import LIGHT_THEME, apply_theme
from app.ui.widgets.controls import PlainLabel
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.test_accessible import against_sight
from tests.ui.window_driver import WindowDriver

RATE = 44_100
NAMES = ("int8", "float32", "float16")
Key = Qt.Key


def tone(hz: float, level: float) -> Float32:
    return (level * np.sin(2 * np.pi * hz * np.arange(RATE // 2) / RATE)).astype(np.float32)


SOUNDS = {f"{number:064x}": tone(hz, level) for number, (hz, level) in enumerate(((400.0, 0.1), (900.0, 0.3), (2_000.0, 0.2)))}


@pytest.fixture
def player() -> RecordingPlayer:
    """In time, as a device plays."""
    return RecordingPlayer(pace=1.0)


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    return open_window()


def opened(qtbot: QtBot, window: WindowDriver, count: int = 2) -> BlindTestDialog:
    dialog = BlindTestDialog(window, window.controller, lambda name: (SOUNDS[name], RATE))
    dialog.show_setup(NAMES[:count], [list(SOUNDS)[:count]])
    dialog.show()
    return dialog


def begin(dialog: BlindTestDialog, kind: BlindTestKind, trials: int = 5) -> None:
    page = dialog.pages.currentWidget()
    assert isinstance(page, BlindTestSetupPage)
    page.methods.choose_kind(kind)
    page.trials.setValue(trials)
    page.begin_button.click()


def press(dialog: BlindTestDialog, *keys: Key) -> None:
    for key in keys:
        QTest.keyClick(dialog.focusWidget() or dialog, key)


def hz_of(samples: Float32) -> float:
    return float(np.abs(np.fft.rfft(samples * np.hanning(len(samples)))).argmax() * RATE / len(samples))


def test_an_abx_test_by_keyboard(
    qtbot: QtBot, window: WindowDriver, player: RecordingPlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = opened(qtbot, window)
    kept: list[BlindTest] = []
    dialog.changed.connect(kept.append)
    begin(dialog, "abx")
    for number in range(5):
        qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
        assert dialog.test is not None
        trial = find_blind_trial(dialog.test)
        assert trial is not None
        assert trial.number == number
        assert not any(name in label.text() for label in (dialog.trial.number, dialog.trial.question) for name in NAMES)
        press(dialog, Key.Key_Return)
        assert len(dialog.test.answers) == number, "nothing was heard"
        for letter in (Key.Key_A, Key.Key_B, Key.Key_X):
            press(dialog, letter)
        press(dialog, Key.Key_Left if trial.x == trial.a else Key.Key_Right, Key.Key_Return)
    assert dialog.pages.currentWidget() is dialog.outcome
    assert "5 of 5 correct" in dialog.outcome.verdict.text()
    assert "heard" in dialog.outcome.verdict.text()
    assert dialog.outcome.table.rowCount() == 5
    assert [len(test.answers) for test in kept] == list(range(6))
    for suffix, first in (("csv", "\ufeffsession_test_id"), ("html", "<!DOCTYPE html>")):
        file = tmp_path / f"sheet.{suffix}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args, file=file: (str(file), ""))
        (dialog.outcome.csv_requested if suffix == "csv" else dialog.outcome.html_requested).emit()
        qtbot.waitUntil(file.exists, timeout=WAIT_MS)
        assert file.read_text(encoding="utf-8").startswith(first)
    dialog.reject()


def test_switching_keeps_the_place_and_is_equally_loud(qtbot: QtBot, window: WindowDriver, player: RecordingPlayer) -> None:
    dialog = opened(qtbot, window)
    begin(dialog, "pairs")
    qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
    before = set(player.requests)
    press(dialog, Key.Key_A)
    qtbot.wait(60)
    press(dialog, Key.Key_B)
    qtbot.waitUntil(lambda: dialog.trial.letters.play_button.text() == "Play", timeout=WAIT_MS)
    (request,) = set(player.requests) - before
    heard = player.sound(request)
    assert len(heard) == RATE // 2
    assert np.abs(np.diff(heard)).max() < 0.1
    assert dialog.test is not None
    trial = find_blind_trial(dialog.test)
    assert trial is not None
    wanted = [(400.0, 900.0)[column] for column in (trial.a, trial.b)]
    assert hz_of(heard[:2_000]) == pytest.approx(wanted[0], rel=0.1)
    assert hz_of(heard[-4_000:]) == pytest.approx(wanted[1], rel=0.1)
    assert np.abs(heard).max() < 0.15, "as loud as the softest"
    dialog.reject()


def test_an_answer_is_taken_back_and_a_closed_test_continues(qtbot: QtBot, window: WindowDriver) -> None:
    dialog = opened(qtbot, window, 3)
    begin(dialog, "ranking")
    for _ in range(2):
        qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
        press(dialog, Key.Key_A, Key.Key_B, Key.Key_Right, Key.Key_Left, Key.Key_Return)
    assert dialog.test is not None
    assert [answer.choice for answer in dialog.test.answers] == ["a", "a"]
    qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
    press(dialog, Key.Key_Backspace)
    assert len(dialog.test.answers) == 1
    kept = dump_blind_test(dialog.test)
    dialog.reject()
    again = BlindTestDialog(window, window.controller, lambda name: (SOUNDS[name], RATE))
    again.show()
    again.resume_test(parse_blind_test(kept))
    while again.pages.currentWidget() is again.trial:
        qtbot.waitUntil(again.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
        press(again, Key.Key_A, Key.Key_B, Key.Key_Left, Key.Key_Return)
    assert "Your favourite is" in again.outcome.verdict.text()
    again.reject()


def test_space_plays_and_stops_and_closing_is_silence(qtbot: QtBot, window: WindowDriver, player: RecordingPlayer) -> None:
    dialog = opened(qtbot, window)
    begin(dialog, "pairs")
    qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
    press(dialog, Key.Key_Space)
    assert dialog.trial.letters.play_button.text() == "Stop"
    press(dialog, Key.Key_Space)
    assert dialog.trial.letters.play_button.text() == "Play"
    qtbot.waitUntil(lambda: not window.controller.is_busy, timeout=WAIT_MS)
    press(dialog, Key.Key_Space)
    qtbot.wait(30)
    asked = time.perf_counter()
    dialog.reject()
    assert player.silenced_at >= asked
    qtbot.waitUntil(lambda: not window.controller.is_busy, timeout=WAIT_MS)


def test_a_line_that_is_spoken_ends_the_sounds_side_by_side(qtbot: QtBot, window: WindowDriver, player: RecordingPlayer) -> None:
    dialog = opened(qtbot, window)
    begin(dialog, "pairs")
    qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
    before = set(player.requests)
    press(dialog, Key.Key_A)
    qtbot.waitUntil(lambda: set(player.requests) > before, timeout=WAIT_MS)
    (mix,) = set(player.requests) - before
    line = window.controller.speak_request(SynthesisRequest("はい。"))
    qtbot.waitUntil(lambda: not window.controller.is_busy, timeout=WAIT_MS)
    assert dialog.trial.letters.play_button.text() == "Play"
    assert len(player.sound(mix)) < RATE // 2
    assert len(player.sound(line)) > 1_000
    press(dialog, Key.Key_B)
    assert dialog.trial.letters.play_button.text() == "Stop"
    dialog.reject()


def heard_all(qtbot: QtBot, dialog: BlindTestDialog, *keys: Key) -> None:
    qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
    press(dialog, *keys)


def test_one_key_answers_a_trial_that_was_heard(qtbot: QtBot, window: WindowDriver) -> None:
    dialog = opened(qtbot, window)
    page = dialog.pages.currentWidget()
    assert isinstance(page, BlindTestSetupPage)
    page.methods.choose_kind("pairs")
    page.undecided.setChecked(True)
    begin(dialog, "pairs")
    heard_all(qtbot, dialog, Key.Key_1)
    assert dialog.test is not None
    assert not dialog.test.answers, "nothing was heard"
    for answer in (Key.Key_1, Key.Key_2, Key.Key_0):
        heard_all(qtbot, dialog, Key.Key_A, Key.Key_B)
        assert "1 (A), 2 (B) or 0" in dialog.trial.hint.text()
        press(dialog, answer)
    assert [answer.choice for answer in dialog.test.answers] == ["a", "b", "none"]
    dialog.reject()


def test_an_answer_that_is_not_offered_has_no_key_and_two_clicks_answer(qtbot: QtBot, window: WindowDriver) -> None:
    dialog = opened(qtbot, window)
    begin(dialog, "abx")
    heard_all(qtbot, dialog, Key.Key_A, Key.Key_B, Key.Key_X, Key.Key_0)
    assert dialog.test is not None
    assert not dialog.test.answers
    assert "0" not in dialog.trial.hint.text()
    dialog.trial.answers.buttons["b"].click()
    dialog.trial.confirm.click()
    assert [answer.choice for answer in dialog.test.answers] == ["b"]
    dialog.reject()


def test_screen_readers_tell_playing_from_answering(qtbot: QtBot, window: WindowDriver) -> None:
    dialog = opened(qtbot, window)
    begin(dialog, "pairs")
    letters, answers = dialog.trial.letters, dialog.trial.answers
    assert [item.accessibleName() for item in letters.buttons] == ["Play A", "Play B", "Play X"]
    assert [item.accessibleName() for item in answers.buttons.values()] == ["A is better", "No preference", "B is better"]
    heard_all(qtbot, dialog, Key.Key_Space)
    assert letters.play_button.accessibleName() == letters.play_button.text() == "Stop"
    dialog.reject()


def test_a_sound_that_is_gone_is_said(qtbot: QtBot, window: WindowDriver) -> None:
    def gone(_name: str) -> tuple[Float32, int]:
        raise InputError("The sound of this take is missing.")

    dialog = BlindTestDialog(window, window.controller, gone)
    dialog.show_setup(NAMES[:2], [list(SOUNDS)[:2]])
    dialog.show()
    begin(dialog, "abx")
    qtbot.waitUntil(dialog.notice.isVisible, timeout=WAIT_MS)
    assert not dialog.trial.letters.play_button.isEnabled()
    dialog.reject()


def test_the_plan_says_what_it_takes(qtbot: QtBot, window: WindowDriver) -> None:
    dialog = opened(qtbot, window)
    page = dialog.pages.currentWidget()
    assert isinstance(page, BlindTestSetupPage)
    page.trials.setValue(16)
    assert page.methods.kind == "pairs", "the question that most people have"
    assert "13 of 16" in page.explanation.text()
    page.trials.setValue(5)
    assert page.build_plan().trials == 6, "of five answers none would show a preference"
    page.undecided.setChecked(True)
    assert page.build_plan().undecided
    page.methods.choose_kind("abx")
    page.trials.setValue(16)
    assert "12 of 16" in page.explanation.text()
    assert page.undecided.isHidden()
    page.methods.choose_kind("sequential")
    assert page.trials.isHidden()
    assert not page.build_plan().undecided
    dialog.reject()


def test_more_methods_are_folded_and_each_says_whom_it_is_for(qtbot: QtBot, window: WindowDriver) -> None:
    cases: tuple[tuple[int, BlindTestKind, list[BlindTestKind]], ...] = (
        (2, "pairs", ["abx", "sequential", MUSHRA_KIND]),
        (3, "ranking", ["pairs", MUSHRA_KIND]),
    )
    for count, favourite, others in cases:
        dialog = opened(qtbot, window, count)
        page = dialog.pages.currentWidget()
        assert isinstance(page, BlindTestSetupPage)
        methods = page.methods
        assert methods.kind == favourite
        assert methods.buttons[methods.kind].text() == "Which do I like better?"
        assert methods.buttons[methods.kind].isVisibleTo(dialog)
        assert list(methods.buttons)[1:] == others
        assert not any(methods.buttons[kind].isVisibleTo(dialog) for kind in others)
        assert not page.reference.isVisibleTo(dialog)
        height = dialog.height()
        methods.more.header.click()
        assert dialog.height() > height, "there is room for all of them"
        assert all(methods.buttons[kind].isVisibleTo(dialog) for kind in others)
        sentences = {label.text() for label in methods.findChildren(PlainLabel)}
        for button in methods.buttons.values():
            assert button.accessibleDescription() in sentences
            button.click()
            assert page.build_plan().kind == methods.kind
        dialog.reject()


def test_what_is_heard_is_round_and_what_answers_is_wide(qtbot: QtBot, window: WindowDriver) -> None:
    dialog = opened(qtbot, window)
    begin(dialog, "abx")
    page = dialog.trial
    heard_all(qtbot, dialog, Key.Key_B)
    a, b, x = page.letters.buttons
    assert (a.is_sounding, b.is_sounding, x.is_sounding) == (False, True, False)
    press(dialog, Key.Key_X)
    assert (a.is_sounding, b.is_sounding, x.is_sounding) == (False, False, True)
    press(dialog, Key.Key_Space)
    assert not x.is_sounding
    assert x.isChecked(), "it is the one that Space plays again"
    assert [item.text() for item in page.letters.buttons] == ["A", "B", "X"]
    answers = [item for item in page.answers.buttons.values() if item.isVisibleTo(dialog)]
    assert [item.text() for item in answers] == ["X is A", "X is B"]
    assert all(item.width() > 3 * item.height() for item in answers)
    assert against_sight(dialog) == [], "Tab follows the eye"
    dialog.reject()


@pytest.mark.usefixtures("styled")
def test_round_buttons_are_circles_in_the_style_sheet(qtbot: QtBot, qapp: QApplication) -> None:
    apply_theme(qapp, LIGHT_THEME)
    for size, diameter in (("listen", 72), ("listen_small", 42)):
        button = ListenButton("A", size)  # type: ignore[arg-type]
        qtbot.addWidget(button)
        for is_sounding in (False, True):
            button.show_sounding(is_sounding=is_sounding)
            assert (button.sizeHint().width(), button.sizeHint().height()) == (diameter, diameter)
        image = button.grab().toImage()
        middle = image.pixelColor(image.width() // 2, 8 if size == "listen" else 5)
        assert middle.name() == LIGHT_THEME.accent, "what plays is filled"


def test_seal_and_figures_are_in_closed_details(qtbot: QtBot, window: WindowDriver) -> None:
    dialog = opened(qtbot, window)
    begin(dialog, "abx")
    page = dialog.trial
    for number in range(5):
        assert not page.details.is_open
        assert dialog.test is not None
        assert dialog.test.commitment in page.details.view.text.toPlainText()
        assert not any(name in page.details.view.text.toPlainText() for name in NAMES), number
        heard_all(qtbot, dialog, Key.Key_A, Key.Key_B, Key.Key_X, Key.Key_1)
    assert dialog.test is not None
    outcome = dialog.outcome
    assert not outcome.details.is_open
    outcome.details.header.click()
    assert outcome.details.view.isVisibleTo(dialog)
    for figure in (dialog.test.seed, dialog.test.commitment, "p = ", "ABX"):
        assert figure in outcome.details.view.text.toPlainText()
    assert all(figure not in outcome.verdict.text() for figure in (dialog.test.seed[:8], "p = "))
    dialog.reject()
