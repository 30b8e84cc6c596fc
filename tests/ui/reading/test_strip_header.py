"""The header of the strip: it shows what can be done with the line, and its words are whole."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.script.script import replace_text
from app.core.sound.line_edits import set_accent
from app.core.synthesis_types import Overrides
from app.settings.user_settings import Settings
from app.ui.reading.strip.strip_shape import StripShape
from tests.ui.conftest import WAIT_MS, OpenWindow, write
from tests.ui.reading.test_strip import shown
from tests.ui.window_driver import WindowDriver


def shape_of(window: WindowDriver) -> StripShape:
    shape = window.phone_strip.shape
    assert shape is not None
    return shape


def test_only_what_can_be_reset_has_a_button_and_none_of_the_others_moves(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="今日は、いい天気です。", strip="open"))
    strip = shown(qtbot, window, "キョーワイイテンキデス")
    panel = window.strip_panel
    fixed = (panel.title, panel.melody.fold, window.takes_fold.button)
    resets = (panel.reset_phrase, panel.reset_all)
    places = [item.mapTo(panel, QPoint()) for item in fixed]
    assert not any(button.isVisible() for button in resets)
    strip.submit_edit(set_accent(shape_of(window).reading, Overrides(), 0, 2))
    assert all(button.isVisible() for button in resets)
    QApplication.processEvents()
    assert [item.mapTo(panel, QPoint()) for item in fixed] == places
    panel.reset_all.setFocus()
    QTest.keyClick(panel.reset_all, Qt.Key.Key_Space)
    assert not any(button.isVisible() for button in resets)
    assert strip.hasFocus(), "the keys go on where they were"


@pytest.mark.usefixtures("styled")
def test_an_empty_line_has_its_hint_below_and_a_short_header(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="", strip="open"))
    write(window, "")
    panel, hint = window.strip_panel, window.strip_panel.view.hint
    assert hint.isVisible()
    assert hint.text().startswith("Type some text")
    assert hint.size() == panel.view.size()
    assert panel.note.text() == ""
    assert panel.minimumSizeHint().width() <= window.strip_frame.width()
    window.document.apply_edit("test", replace_text(window.document.script, window.script.current_id, "はい。"))
    qtbot.waitUntil(lambda: window.phone_strip.shape is not None, timeout=WAIT_MS)
    assert not hint.isVisible()


@pytest.mark.usefixtures("styled")
def test_a_checked_button_with_the_focus_shows_all_of_its_words(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="はい。", strip="open"))
    fold = window.strip_panel.melody.fold
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
    width = fold.width()
    fold.setChecked(True)
    fold.setFocus()
    QApplication.processEvents()
    assert fold.hasFocus()
    assert (fold.shorten_text(), fold.width()) == (fold.text(), width)
