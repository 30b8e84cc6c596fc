"""A MUSHRA test from the setup page to its result: references are read, everything is heard and rated, and it continues where it was left."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.audition.blind_test import BlindTest, BlindTestPlan
from app.audition.blind_test_data import parse_readable_blind_tests
from app.core.script.project import LineTake
from app.ui.audition.answer_pages import RatingPage
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.audition.setup_page import MUSHRA_KIND, BlindTestSetupPage
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, wait_idle, write
from tests.ui.window_driver import WindowDriver

Key = Qt.Key
RATE = 44_100


@pytest.fixture
def player() -> RecordingPlayer:
    """In time, as a device plays."""
    return RecordingPlayer(pace=1.0)


def takes_of(qtbot: QtBot, window: WindowDriver) -> list[LineTake]:
    """A line spoken twice, both kept."""
    write(window, "はい。")
    for count in (1, 2):
        speak(qtbot, window)
        window.window_actions["keep_take"].trigger()
        qtbot.waitUntil(lambda count=count: len(window.take_book.takes) == count, timeout=WAIT_MS)
        if count == 1:
            window.commands.change_setting("speed", 1.2)
    return list(window.take_book.takes)


def page_of(dialog: BlindTestDialog | None) -> RatingPage:
    assert dialog is not None
    assert dialog.rating is not None
    return dialog.rating


def test_sounds_are_rated_against_a_reference(
    qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    takes = takes_of(qtbot, window)
    tests = window.blind_tests
    tests.compare_takes(takes)
    asking = tests.dialog
    assert asking is not None
    setup = asking.pages.currentWidget()
    assert isinstance(setup, BlindTestSetupPage)
    setup.methods.choose_kind(MUSHRA_KIND)
    assert setup.trials.isHidden()
    broken, good = tmp_path / "b.wav", tmp_path / "a.wav"
    broken.write_bytes(b"no sound")
    soundfile.write(good, np.sin(2 * np.pi * 440 * np.arange(RATE) / RATE) * 0.3, RATE)

    def choose(*files: Path) -> None:
        monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_arguments: ([str(file) for file in files], ""))
        setup.begin_button.click()

    choose()  # the user gives up
    choose(broken, good)
    assert "references" in asking.notice.message.text()
    choose(broken)
    qtbot.waitUntil(lambda: "b.wav" in asking.notice.message.text(), timeout=WAIT_MS)
    choose(good)
    qtbot.waitUntil(lambda: asking.rating is not None, timeout=WAIT_MS)
    dialog = tests.dialog
    assert dialog is asking, "the test continues in the same dialog"
    assert not dialog.notice.isVisibleTo(dialog)
    qtbot.waitUntil(lambda: page_of(dialog).scale.play_button.isEnabled(), timeout=WAIT_MS)
    before = set(player.requests)
    for key in (Key.Key_R, Key.Key_A, Key.Key_B, Key.Key_C, Key.Key_D, Key.Key_E):
        QTest.keyClick(page_of(dialog).scale.buttons[0], key)
    assert len(player.requests) - len(before) <= 1  # switched, not begun again
    assert "Rate all" in page_of(dialog).hint.text()
    assert not page_of(dialog).confirm.isEnabled()
    page_of(dialog).close()
    assert dialog is not None
    dialog.reject()
    wait_idle(qtbot, window)

    tests.open_line_test("")  # continues it, from any line
    dialog = tests.dialog
    page = page_of(dialog)
    qtbot.waitUntil(page.scale.play_button.isEnabled, timeout=WAIT_MS)
    assert not page.confirm.isEnabled()  # nothing was heard in this window yet
    for place in range(6):
        page.scale.listen_requested.emit(place)
    assert dialog is not None
    assert dialog.test is not None
    order = dialog.test.plan.column_count
    for slider in page.scale.sliders:
        slider.setValue(50)
    slider = page.scale.sliders[0]
    slider.setFocus()
    QTest.keyClick(slider, Key.Key_Up)
    assert page.scale.ratings == [51, *[50] * (order - 1)]
    QTest.keyClick(slider, Key.Key_Return)
    assert dialog.pages.currentWidget() is dialog.outcome
    assert "rated too low" in dialog.outcome.verdict.text()  # the hidden reference was not found
    assert dialog.outcome.table.rowCount() == 5
    assert not dialog.outcome.apply_button.isVisibleTo(dialog), "ratings that do not count have no winner"
    (kept,) = parse_readable_blind_tests(window.project_parts.tests)
    assert kept == dialog.test
    assert window.take_book.list_needed_sounds() >= set(kept.plan.references)
    window.projects.create_project()
    assert window.projects.question is not None
    window.projects.question.reject()
    dialog.reject()
    wait_idle(qtbot, window)


def test_every_line_begins_unheard_and_unrated_and_is_taken_back(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    noise = np.random.default_rng(0).normal(0, 0.1, RATE // 4).astype(np.float32)
    sounds, references = tuple((f"{line:064x}",) for line in range(2)), tuple(f"{line + 9:064x}" for line in range(2))
    dialog = BlindTestDialog(window, window.controller, lambda _name: (noise, RATE))
    dialog.show()
    dialog.begin_test(BlindTestPlan("mushra", sounds, ("take",), references=references))
    page, kept = page_of(dialog), list[BlindTest]()
    dialog.changed.connect(kept.append)
    for number in range(2):
        qtbot.waitUntil(page.scale.play_button.isEnabled, timeout=WAIT_MS)
        assert page.number.text() == f"How close to a reference? (MUSHRA)  {number + 1} / 2"
        assert (page.scale.ratings, page.back.isEnabled(), page.confirm.isEnabled()) == ([0] * 4, number > 0, False)
        assert [label.text() for label in page.scale.values] == ["–"] * 4
        for key in (Key.Key_R, Key.Key_A, Key.Key_B, Key.Key_C):
            QTest.keyClick(dialog.focusWidget() or dialog, key)
        assert "keys R, A–D" in page.hint.text()
        QTest.keyClick(dialog.focusWidget() or dialog, Key.Key_D)
        assert "Rate all" in page.hint.text()
        for value, slider in enumerate(page.scale.sliders, 10):
            slider.setValue(value)
        if number == 0:
            page.confirm.click()
    QTest.keyClick(dialog.focusWidget() or dialog, Key.Key_Backspace)
    assert [len(test.answers) for test in kept] == [1, 0]
    assert sorted(kept[0].answers[0].ratings) == [10, 11, 12, 13]
    dialog.reject()
    wait_idle(qtbot, window)
