"""A take or a sound of the board becomes the reference on the page where a test is set up."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.audition.blind_test import BlindTestKind, find_blind_trial
from app.ui.audition.setup_page import MUSHRA_KIND, BlindTestSetupPage
from tests.recording_player import RecordingPlayer
from tests.ui.audition.test_blind_test_dialog import SOUNDS, begin, opened, press
from tests.ui.audition.test_board import filled
from tests.ui.audition.test_board import opened as opened_board
from tests.ui.audition.test_mushra_dialog import takes_of
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import WindowDriver

Key = Qt.Key


@pytest.fixture
def player() -> RecordingPlayer:
    """In time, as a device plays."""
    return RecordingPlayer(pace=1.0)


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    return open_window()


def page_of(dialog: object) -> BlindTestSetupPage:
    page = dialog.pages.currentWidget()  # type: ignore[attr-defined]
    assert isinstance(page, BlindTestSetupPage)
    return page


def choices(page: BlindTestSetupPage, kind: BlindTestKind) -> list[str]:
    page.methods.choose_kind(kind)
    return [page.reference.itemText(place) for place in range(page.reference.count())]


def test_what_can_be_the_reference_depends_on_the_method(qtbot: QtBot, window: WindowDriver) -> None:
    two = opened(qtbot, window)
    page = page_of(two)
    assert choices(page, "abx") == ["None", "int8", "float32"]
    assert choices(page, "pairs") == ["None"], "nothing is left to compare with"
    assert not page.reference.isEnabled()
    assert choices(page, MUSHRA_KIND) == ["Sound files", "int8", "float32"]
    two.reject()
    three = opened(qtbot, window, 3)
    page = page_of(three)
    assert choices(page, "ranking") == ["None", "int8", "float32", "float16"]
    page.reference.setCurrentIndex(2)
    assert choices(page, "pairs")[page.reference.currentIndex()] == "float32", "it stays chosen"
    assert "closer to the reference" in page.explanation.text()
    plan, names = page.build_plan(), list(SOUNDS)
    assert plan is not None
    assert (plan.names, plan.sounds, plan.references) == (("int8", "float16"), ((names[0], names[2]),), (names[1],))
    page.methods.choose_kind(MUSHRA_KIND)
    assert "audio file" not in page.explanation.text()
    three.reject()


def test_pairs_are_compared_with_the_reference_by_keyboard(qtbot: QtBot, window: WindowDriver) -> None:
    dialog = opened(qtbot, window, 3)
    page = page_of(dialog)
    page.reference.setCurrentIndex(page.reference.findText("float16"))
    begin(dialog, "pairs")
    qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
    letters = dialog.trial.letters
    assert dialog.trial.question.text() == "Which is closer to the reference?"
    assert dialog.trial.number.text() == "Which is closer to the reference?  1 / 6"
    assert (letters.buttons[2].text(), letters.buttons[2].accessibleName()) == ("R", "Play the reference")
    assert letters.caption.isVisibleTo(dialog)
    assert letters.caption.text() == "Reference"
    assert [item.text() for item in dialog.trial.answers.buttons.values()] == ["A is closer", "No preference", "B is closer"]
    press(dialog, Key.Key_A, Key.Key_B, Key.Key_X, Key.Key_1)
    assert dialog.test is not None
    assert not dialog.test.answers, "the reference was not heard"
    press(dialog, Key.Key_R, Key.Key_1)
    assert [answer.choice for answer in dialog.test.answers] == ["a"]
    dialog.reject()


def test_x_is_the_reference_in_every_trial(qtbot: QtBot, window: WindowDriver) -> None:
    dialog = opened(qtbot, window)
    page = page_of(dialog)
    page.methods.choose_kind("abx")
    page.reference.setCurrentIndex(page.reference.findText("float32"))
    assert "X is the reference" in page.explanation.text()
    begin(dialog, "abx")
    for _ in range(5):
        qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
        assert "X is the reference" in dialog.trial.question.text()
        assert dialog.test is not None
        trial = find_blind_trial(dialog.test)
        assert trial is not None
        assert trial.x == 1
        press(dialog, Key.Key_A, Key.Key_B, Key.Key_X, Key.Key_1 if trial.a == 1 else Key.Key_2)
    assert "5 of 5 correct" in dialog.outcome.verdict.text()
    dialog.reject()


def test_a_take_is_the_reference_of_ratings_without_any_file(qtbot: QtBot, window: WindowDriver, player: RecordingPlayer) -> None:
    takes = takes_of(qtbot, window)
    window.blind_tests.compare_takes(takes)
    page = page_of(window.blind_tests.dialog)
    page.methods.choose_kind(MUSHRA_KIND)
    page.reference.setCurrentIndex(2)
    page.begin_button.click()
    dialog = window.blind_tests.dialog
    assert dialog is not None
    assert dialog.test is not None
    plan = dialog.test.plan
    assert (plan.sounds, plan.references) == (((takes[0].sound,),), (takes[1].sound,))
    assert dialog.rating is not None
    qtbot.waitUntil(dialog.rating.scale.play_button.isEnabled, timeout=WAIT_MS)
    scale = dialog.rating.scale
    assert scale.buttons[0].accessibleName() == "Play the reference"
    assert [item.accessibleName() for item in scale.buttons[1:]] == [f"Play {letter}" for letter in "ABCD"]
    dialog.reject()
    wait_idle(qtbot, window)


def test_a_sound_of_the_board_is_the_reference(qtbot: QtBot, window: WindowDriver) -> None:
    board, shown = opened_board(qtbot, window)
    filled(qtbot, board)
    chosen = board.cells.board.cells[:3]
    for cell in chosen:
        board.cells.mark_cell(cell, starred=True)
    shown.filter.compare_requested.emit()
    qtbot.waitUntil(lambda: window.blind_tests.dialog is not None, timeout=WAIT_MS)
    dialog = window.blind_tests.dialog
    assert dialog is not None
    page = page_of(dialog)
    assert choices(page, "pairs")[0] == "None"
    assert page.reference.count() == 4
    page.reference.setCurrentIndex(3)
    plan = page.build_plan()
    assert plan is not None
    takes = [board.cells.find_take(cell) for cell in chosen]
    assert [take.sound for take in takes if take is not None] == [*plan.sounds[0], *plan.references]
    begin(dialog, "pairs")
    qtbot.waitUntil(dialog.trial.letters.play_button.isEnabled, timeout=WAIT_MS)
    dialog.reject()
    board.close()
    wait_idle(qtbot, window)
