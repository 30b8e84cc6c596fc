"""A line is gone to by its number, and a replacement says in how many places."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from app.core.script.characters import CastBuilder
from app.core.script.script import Line, LineSettings, Script
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.window_driver import WindowDriver

CTRL = Qt.KeyboardModifier.ControlModifier


def asked(qtbot: QtBot, window: WindowDriver) -> QInputDialog:
    """The prompt, opened by its key."""
    qtbot.keyClick(window.script, Qt.Key.Key_G, CTRL)
    prompts = [item for item in window.findChildren(QInputDialog) if item.isVisible()]
    assert len(prompts) == 1
    return prompts[0]


def test_a_line_is_gone_to_by_its_number(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    cast = CastBuilder()
    aki = cast.add_character("アキ", LineSettings()).id
    lines = tuple(Line(f"{row} 行目", id=str(row), character=aki if row % 2 else "") for row in range(1, 41))
    window.document.reset_script(Script(lines, cast=cast.cast))
    window.script.select_lines(["3"])
    prompt = asked(qtbot, window)
    assert (prompt.intValue(), prompt.intMinimum(), prompt.intMaximum()) == (3, 1, 40)
    assert "1 to 40" in prompt.labelText()
    prompt.setIntValue(32)
    prompt.accept()
    assert window.script.selected_ids == ["32"]
    assert window.script.hasFocus()
    window.filter.show_character(aki)
    for number, is_filtered in ((33, True), (34, False)):
        prompt = asked(qtbot, window)
        prompt.setIntValue(number)
        prompt.accept()
        assert (window.script.current_id, window.script.is_filtered) == (str(number), is_filtered)
    prompt = asked(qtbot, window)
    qtbot.waitUntil(prompt.isActiveWindow, timeout=WAIT_MS)
    qtbot.keyClick(prompt, Qt.Key.Key_W, CTRL)
    assert not prompt.isVisible()
    assert window.script.current_id == "34"


def test_where_there_are_no_lines_nothing_is_asked(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.document.reset_script(Script(()))
    window.window_actions["go_to_line"].trigger()
    assert window.findChildren(QInputDialog) == []


def test_a_replacement_says_in_how_many_places(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.document.reset_script(Script(tuple(Line(text) for text in ("ねことねこ。", "いぬ。", "ねこ。"))))
    qtbot.keyClick(window.script, Qt.Key.Key_H, CTRL)
    bar = window.left.search
    bar.sought.setText("ねこ")
    bar.by.setText("虎")
    bar.replace_one.click()
    assert not window.banner.isVisible()
    bar.replace_all.click()
    assert window.banner.message.text() == "Replaced in 2 places."
