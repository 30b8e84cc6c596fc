"""Words are found and replaced in the lines, by keys alone, and one step takes it back."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.script.script import Line, Script
from app.ui.script import script_search
from tests.ui.conftest import OpenWindow
from tests.ui.window_driver import WindowDriver

TEXT = "ねこがいる。\n犬がいる。\nネコとﾈｺ。\n終わり。"
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    window = open_window()
    window.commands.add_text(TEXT, 0)
    window.script.select_lines([window.lines[0].id])
    return window


def texts(window: WindowDriver) -> list[str]:
    return [line.text for line in window.lines]


def current(window: WindowDriver) -> int:
    return [line.id for line in window.lines].index(window.selection.current_id)


def press(qtbot: QtBot, widget: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    qtbot.keyClick(widget, key, modifiers)


def test_found_by_keys_alone(qtbot: QtBot, window: WindowDriver) -> None:
    bar = window.left.search
    assert not bar.isVisible()
    press(qtbot, window.script, Qt.Key.Key_F, CONTROL)
    assert bar.isVisible()
    assert bar.sought.hasFocus()
    assert not bar.by.isVisible()
    bar.sought.setText("ネコ")
    assert (bar.count.text(), current(window)) == ("1 / 3", 0)
    press(qtbot, bar.sought, Qt.Key.Key_Return)
    assert (bar.count.text(), current(window)) == ("2 / 3", 2)
    press(qtbot, bar.sought, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    press(qtbot, bar.sought, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert (bar.count.text(), current(window)) == ("3 / 3", 2)
    bar.loose.setChecked(False)
    assert bar.count.text() == "1 / 1"
    bar.sought.setText("うさぎ")
    assert bar.count.text() == "Not found"
    assert not bar.next.isEnabled()
    press(qtbot, bar.sought, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert window.script.hasFocus()
    assert texts(window) == TEXT.split("\n")


def test_replaced_one_by_one_and_all_at_once(qtbot: QtBot, window: WindowDriver) -> None:
    bar = window.left.search
    press(qtbot, window.script, Qt.Key.Key_H, CONTROL)
    bar.sought.setText("ねこ")
    bar.by.setText("ねこねこ")
    press(qtbot, bar.by, Qt.Key.Key_Return)
    assert texts(window)[0] == "ねこねこがいる。"
    assert (bar.count.text(), current(window)) == ("3 / 4", 2), "what was put there is not replaced again"
    window.undo_stack.undo()
    assert texts(window) == TEXT.split("\n")
    assert bar.count.text().endswith("/ 3")
    bar.by.setText("虎")
    bar.replace_all.click()
    assert texts(window) == ["虎がいる。", "犬がいる。", "虎と虎。", "終わり。"]
    assert bar.count.text() == "Not found"
    assert window.undo_stack.undoText() == "Replace 3"
    window.undo_stack.undo()
    assert texts(window) == TEXT.split("\n")


def test_only_selected_lines_where_several_are(qtbot: QtBot, window: WindowDriver) -> None:
    ids = [line.id for line in window.lines]
    window.script.select_lines(ids[:2])
    press(qtbot, window.script, Qt.Key.Key_H, CONTROL)
    bar = window.left.search
    assert bar.chosen_only.isChecked()
    bar.sought.setText("ねこ")
    assert bar.count.text() == "1 / 1"
    bar.by.setText("虎")
    bar.replace_all.click()
    assert texts(window)[2] == "ネコとﾈｺ。"
    bar.chosen_only.setChecked(False)
    assert bar.count.text() == "1 / 2"


def test_edits_of_other_words_stay_with_their_line(qtbot: QtBot, window: WindowDriver) -> None:
    before = window.lines[3]
    press(qtbot, window.script, Qt.Key.Key_H, CONTROL)
    window.left.search.sought.setText("いる")
    window.left.search.by.setText("いた")
    window.left.search.replace_all.click()
    assert texts(window)[:2] == ["ねこがいた。", "犬がいた。"]
    assert window.lines[3] is before


def test_a_search_that_is_closed_before_its_end_selects_nothing(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script_search, "SEARCH_SLICE_S", -1.0)  # a slice is over after one line
    window = open_window()
    window.document.reset_script(Script(tuple(Line(f"{number} 行目", id=str(number)) for number in range(50))))
    window.script.select_lines(["3"])
    bar = window.left.search
    press(qtbot, window.script, Qt.Key.Key_F, CONTROL)
    bar.sought.setText("49")
    bar.closed.emit()
    qtbot.wait(100)
    assert window.script.current_id == "3"
    press(qtbot, window.script, Qt.Key.Key_F, CONTROL)
    qtbot.waitUntil(lambda: (window.script.current_id, bar.count.text()) == ("49", "1 / 1"))


def test_tab_leads_from_what_is_sought_to_what_takes_its_place(qtbot: QtBot, window: WindowDriver) -> None:
    bar = window.left.search
    press(qtbot, window.script, Qt.Key.Key_H, CONTROL)
    bar.sought.setText("ネコ")
    qtbot.waitUntil(bar.sought.hasFocus)
    for widget in (bar.by, bar.replace_one, bar.replace_all, bar.previous, bar.next, bar.close_button, bar.loose):
        press(qtbot, window.focusWidget(), Qt.Key.Key_Tab)
        assert window.focusWidget() is widget
    press(qtbot, window.focusWidget(), Qt.Key.Key_Escape)
    press(qtbot, window.script, Qt.Key.Key_F, CONTROL)
    press(qtbot, bar.sought, Qt.Key.Key_Tab)
    assert window.focusWidget() is bar.previous, "the fields for replacing are not shown"
