"""Where selected lines differ the panel says so; what the user gives it is for all of them. The wheel scrolls the panel."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.ui.parameters.setting_fields import MIXED_VALUES_TEXT
from tests.ui.conftest import OpenWindow
from tests.ui.window_driver import WindowDriver


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    """Three lines, the last of them faster and in another style; all are selected."""
    window = open_window()
    window.commands.add_text("一行目\n二行目\n三行目", 0)
    ids = [line.id for line in window.lines]
    window.script.select_lines([ids[2]])
    window.sliders["speed"].set_value(1.5)
    window.styles.setCurrentIndex(window.styles.findData("Happy"))
    window.script.select_lines(ids)
    return window


def speeds(window: WindowDriver) -> list[float]:
    return [line.settings.speed for line in window.lines]


def test_values_that_differ_are_shown_as_such(window: WindowDriver) -> None:
    side = window.side
    assert side.sliders["speed"].number.text() == MIXED_VALUES_TEXT
    assert side.styles.currentIndex() == -1
    assert side.styles.placeholderText() == "(mixed)"
    assert side.sliders["volume"].number.text() == "100 %"
    assert speeds(window) == [1.0, 1.0, 1.5]  # looking changes nothing
    window.script.select_lines([window.lines[2].id])
    assert side.sliders["speed"].number.text() == "×1.50"
    assert side.styles.currentData() == "Happy"


@pytest.mark.parametrize("typed", ["1.20", "1.00", "1.50"])
def test_a_number_typed_over_the_dash_is_for_all(window: WindowDriver, qtbot: QtBot, typed: str) -> None:
    number = window.sliders["speed"].number
    number.setFocus()
    number.selectAll()
    qtbot.keyClicks(number, typed)
    qtbot.keyClick(number, Qt.Key.Key_Return)
    assert speeds(window) == [float(typed)] * 3
    assert number.text() == f"×{typed}"


def test_reset_and_a_style_are_for_all(window: WindowDriver) -> None:
    window.sliders["speed"].reset_value()
    window.styles.setCurrentIndex(window.styles.findData("Sad"))
    assert speeds(window) == [1.0] * 3
    assert {line.settings.style for line in window.lines} == {"Sad"}


def turn(widget: QWidget) -> bool:
    """Whether the widget took it; Qt offers it to what is behind otherwise."""
    place = QPointF(widget.rect().center())
    turned = QWheelEvent(
        place,
        QPointF(widget.mapToGlobal(widget.rect().center())),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, turned)
    return turned.isAccepted()


def test_the_wheel_changes_only_what_has_the_focus(open_window: OpenWindow) -> None:
    window = open_window()
    window.commands.add_text("一行目", 0)
    side = window.side
    field = side.sliders["speed"]
    for control in (field.slider, field.number, side.styles, side.pauses.fields["."], side.seed.number):
        before = window.document.script
        window.script.setFocus()
        assert not turn(control)
        assert window.document.script == before
    field.slider.setFocus()
    assert turn(field.slider)
    assert field.value < 1.0


def test_a_choice_by_the_mouse_leaves_the_focus_so_that_space_plays(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    window.commands.add_text("一行目", 0)
    window.script.setFocus()
    qtbot.mouseClick(window.styles, Qt.MouseButton.LeftButton)
    window.styles.hidePopup()
    assert QApplication.focusWidget() is window.script


def test_ctrl_a_selects_all_lines_from_everywhere_but_a_text(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    window.commands.add_text("一行目\n二行目", 0)
    qtbot.keyClick(window.sliders["speed"].slider, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert len(window.selection.ids) == 2
    window.script.select_lines(window.selection.ids[:1])
    window.side.expression.set_open(True)
    window.side.assist.setText("嬉しい")
    window.side.assist.setFocus()
    qtbot.keyClick(window.side.assist, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert window.side.assist.selectedText() == "嬉しい"
    assert len(window.selection.ids) == 1


def pauses(window: WindowDriver) -> list[float | None]:
    return [line.pause_after_s for line in window.lines]


def test_the_pause_before_the_next_line_is_set_reset_and_undone(window: WindowDriver, qtbot: QtBot) -> None:
    field, ids = window.side.line_pause.number, [line.id for line in window.lines]
    assert field.text() == "auto"
    window.script.select_lines(ids[:1])
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "1.25")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert pauses(window) == [1.25, None, None]
    assert window.undo_stack.undoText() == "Change the pause before the next line"
    window.script.select_lines(ids)
    assert field.text() == MIXED_VALUES_TEXT
    field.selectAll()
    qtbot.keyClicks(field, "0")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert pauses(window) == [0.0] * 3
    field.setValue(field.minimum())
    assert pauses(window) == [None] * 3
    assert field.text() == "auto"
    window.undo_stack.undo()
    window.undo_stack.undo()
    assert pauses(window) == [None] * 3
    assert [line.settings.speed for line in window.lines] == [1.0, 1.0, 1.5], "nothing else changed"
