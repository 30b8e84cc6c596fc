"""The melody lane: what is drawn with the mouse, the pen and the keys is what the voice is asked for, and one gesture is one step of undo."""

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QContextMenuEvent, QHelpEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.core.script.script import replace_text
from app.settings.user_settings import Settings
from app.ui.reading.melody.melody_lane import HANDLE_REACH_PX, MelodyLane
from app.ui.reading.melody.melody_shape import LANE_HEIGHT_PX, MelodyShape
from app.ui.theme.theme import DARK_THEME
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, write
from tests.ui.reading.test_strip import requests_of
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")

TEXT = "今日はとてもいい天気です。"
KANA = "キョーワトテモイイテンキデス"
LEFT, PLAIN = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
PHRASE = range(3, 6)  # トテモ


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow) -> WindowDriver:
    """A window with a line and its melody."""
    window = open_window(Settings(text=TEXT, strip="open", melody="open"))
    qtbot.waitUntil(lambda: window.melody_lane.shape is not None, timeout=WAIT_MS)
    return window


def shape_of(window: WindowDriver) -> MelodyShape:
    shape = window.melody_lane.shape
    assert shape is not None
    return shape


def pitches(window: WindowDriver) -> dict[int, float]:
    """The offsets in the document."""
    return {edit.mora: edit.pitch for edit in window.lines[0].overrides.moras if edit.pitch is not None}


def handle(window: WindowDriver, mora: int) -> QPoint:
    shape = shape_of(window)
    return QPoint(round(shape.cells[mora].middle), round(shape.find_handle_y(mora)))


def move(lane: MelodyLane, place: QPoint, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
    """Moves the mouse with the button down."""
    event = QMouseEvent(QEvent.Type.MouseMove, QPointF(place), QPointF(lane.mapToGlobal(place)), LEFT, LEFT, modifiers)
    QApplication.sendEvent(lane, event)  # QTest moves without modifiers


def drag(window: WindowDriver, mora: int, semitones: float, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
    lane, start = window.melody_lane, handle(window, mora)
    end = start - QPoint(0, round(semitones * shape_of(window).scale.px_per_semitone))
    QTest.mousePress(lane, LEFT, modifiers, start)
    move(lane, (start + end) / 2, modifiers)
    move(lane, end, modifiers)
    QTest.mouseRelease(lane, LEFT, modifiers, end)


def test_a_handle_that_is_dragged_asks_the_voice_for_its_pitch(qtbot: QtBot, window: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, lane = requests_of(window, monkeypatch), window.melody_lane
    assert not shape_of(window).melody.is_measured, "nobody has heard it yet"
    steps = window.undo_stack.count()
    drag(window, 4, 3.0)
    assert list(pitches(window)) == [4]
    assert pitches(window)[4] == pytest.approx(3.0, abs=0.2)
    assert window.undo_stack.count() == steps + 1
    drag(window, 4, 1.0)
    assert window.undo_stack.count() == steps + 2, "each gesture is a step, however soon it follows"
    speak(qtbot, window)
    assert {edit.mora: edit.pitch for edit in seen[-1].overrides.moras} == pitches(window)
    qtbot.waitUntil(lambda: shape_of(window).melody.is_measured, timeout=WAIT_MS)
    own = shape_of(window).melody.own
    drag(window, 5, -2.0)
    assert shape_of(window).melody.own == own, "the voice's own pitch is no other because of what is drawn"
    assert shape_of(window).melody.is_measured
    for _step in range(3):
        window.undo_stack.undo()
    assert pitches(window) == {}
    QTest.mouseDClick(lane, LEFT, PLAIN, handle(window, 4))
    assert window.undo_stack.index() == steps, "there was nothing to reset"


def test_the_bubble_grid_and_bounds_of_a_drag(window: WindowDriver) -> None:
    lane, start = window.melody_lane, handle(window, 4)
    QTest.mousePress(lane, LEFT, PLAIN, start)
    move(lane, start - QPoint(0, 2000))
    assert shape_of(window).melody.offsets[4] == 12.0
    assert pitches(window) == {}, "the document changes when the mouse lets go"
    assert 0 <= shape_of(window).find_handle_y(4) <= LANE_HEIGHT_PX, "the scale shows all of it"
    lane.grab()
    QTest.keyClick(lane, Qt.Key.Key_Escape)
    QTest.mouseRelease(lane, LEFT, PLAIN, start)
    assert shape_of(window).melody.offsets[4] == 0.0
    assert pitches(window) == {}
    assert 2 * HANDLE_REACH_PX >= 20
    lane.set_theme(DARK_THEME)
    lane.grab()


def test_shift_moves_the_phrase_and_a_double_click_resets(window: WindowDriver) -> None:
    drag(window, 4, 2.0, SHIFT)
    moved = pitches(window)
    assert list(moved) == list(PHRASE)
    assert len(set(moved.values())) == 1
    QTest.mouseDClick(window.melody_lane, LEFT, PLAIN, handle(window, 4))
    assert list(pitches(window)) == [3, 5]
    QTest.mouseDClick(window.melody_lane, LEFT, SHIFT, handle(window, 3))
    assert pitches(window) == {}
    drag(window, 4, 2.0, SHIFT)
    window.strip_panel.reset_phrase.click()
    assert pitches(window) == {}, "resetting the phrase resets its melody"


def test_the_keys_move_and_raise_and_say_it(window: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    lane = window.melody_lane
    said: list[str] = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: said.append(event.message()))
    lane.setFocus()
    QTest.keyClick(lane, Qt.Key.Key_Home)
    for _step in PHRASE:
        QTest.keyClick(lane, Qt.Key.Key_Right)
    assert lane.current_index == 3
    assert window.phone_strip.current_index == 3, "both have the keys at the same sound"
    steps = window.undo_stack.count()
    for _press in range(3):
        QTest.keyClick(lane, Qt.Key.Key_Up)
    QTest.keyClick(lane, Qt.Key.Key_Down, CONTROL)
    assert pitches(window) == {3: 1.4}
    assert lane.accessibleDescription().startswith("ト, +1.4 semitones")
    assert said[-1] == lane.accessibleDescription()
    assert window.undo_stack.count() == steps + 1, "presses that follow each other"
    QTest.keyClick(lane, Qt.Key.Key_Down, SHIFT)
    assert pitches(window) == {3: 0.9, 4: -0.5, 5: -0.5}
    QTest.keyClick(lane, Qt.Key.Key_Delete)
    assert pitches(window) == {4: -0.5, 5: -0.5}
    QTest.keyClick(lane, Qt.Key.Key_Backspace, SHIFT)
    assert pitches(window) == {}
    QTest.keyClick(lane, Qt.Key.Key_End)
    assert lane.current_index == len(KANA) - 2, "キョ is one"


def test_the_pen_draws_across_morae_in_one_step(window: WindowDriver) -> None:
    lane, steps = window.melody_lane, window.undo_stack.count()
    lane.setFocus()
    QTest.keyClick(lane, Qt.Key.Key_P)
    assert window.window_actions["melody_pen"].isChecked()
    shape = shape_of(window)
    left, right = shape.cells[2], shape.cells[8]
    QTest.mousePress(lane, LEFT, PLAIN, QPoint(round(left.middle), 20))
    move(lane, QPoint(round(right.middle), 60))  # as a quick hand does, past all those between
    QTest.mouseRelease(lane, LEFT, PLAIN, QPoint(round(right.middle), 60))
    assert list(pitches(window)) == list(range(2, 9))
    heights = [height for height in shape_of(window).melody.heights[2:9] if height is not None]
    assert heights == sorted(heights, reverse=True)
    steepness = {round(there - here, 1) for here, there in itertools.pairwise(heights)}
    assert len(steepness) <= 5, "a straight line, but for gaps between phrases and the grid"
    assert heights[0] == pytest.approx(shape.scale.convert_to_semitones(20), abs=0.3)
    assert window.undo_stack.count() == steps + 1
    QTest.keyClick(lane, Qt.Key.Key_Escape)
    assert not lane.is_pen
    window.undo_stack.undo()
    assert pitches(window) == {}


def test_commands_from_the_menu_the_keys_and_the_search(qtbot: QtBot, window: WindowDriver) -> None:
    actions, lane = window.window_actions, window.melody_lane
    assert not actions["melody_paste"].isEnabled()
    window.script.setFocus()
    QTest.keyClick(window, Qt.Key.Key_Up, CONTROL | SHIFT)
    assert pitches(window) == {11: 1.5, 12: 4.0}, "one key raises the end"
    lane.select_cell(4)
    actions["melody_flatten"].trigger()
    heights = [shape_of(window).melody.heights[mora] for mora in PHRASE]
    assert heights == pytest.approx([heights[0]] * 3, abs=0.11)
    actions["melody_copy"].trigger()
    assert actions["melody_paste"].isEnabled()
    lane.setFocus()
    lane.select_cell(0)
    QTest.keyClick(lane, Qt.Key.Key_V, CONTROL)
    pasted = [shape_of(window).melody.heights[mora] for mora in range(3)]
    assert np.ptp(np.subtract(pasted, heights)) <= 0.11, "what was copied, on the grid of what is pasted"
    actions["melody_reset"].trigger()
    assert not {0, 1, 2} & pitches(window).keys()
    before = shape_of(window).melody.heights
    actions["melody_smooth"].trigger()
    assert shape_of(window).melody.heights != before
    place = handle(window, 7)
    QApplication.sendEvent(lane, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, lane.mapToGlobal(place)))
    menu = lane.findChild(QMenu)
    assert menu is not None
    assert lane.current_index == 7
    assert menu.actions()[0].text().startswith("Rise at the end"), "two clicks"
    menu.close()


def test_an_unvoiced_mora_says_so_and_is_not_moved(qtbot: QtBot, window: WindowDriver) -> None:
    lane = window.melody_lane
    write(window, "あっち。")
    qtbot.waitUntil(lambda: lane.shape is not None and len(lane.shape.cells) == 3, timeout=WAIT_MS)
    assert shape_of(window).melody.own[1] is None, "a closed throat"
    drag(window, 1, 3.0)
    lane.setFocus()
    lane.select_cell(1)
    QTest.keyClick(lane, Qt.Key.Key_Up)
    assert pitches(window) == {}
    assert "no pitch" in lane.accessibleDescription()
    place = handle(window, 1)
    QApplication.sendEvent(lane, QHelpEvent(QHelpEvent.Type.ToolTip, place, lane.mapToGlobal(place)))
    lane.grab()


def test_offsets_stay_while_the_text_around_them_changes(qtbot: QtBot, window: WindowDriver) -> None:
    drag(window, 4, 2.0)
    kept = pitches(window)[4]
    line = window.lines[0]
    window.document.apply_edit("test", replace_text(window.document.script, line.id, f"えっと、{TEXT}"))
    qtbot.waitUntil(lambda: len(shape_of(window).cells) == len(KANA) + 2, timeout=WAIT_MS)
    assert shape_of(window).melody.offsets[7] == kept
    assert sum(map(bool, shape_of(window).melody.offsets)) == 1


def test_the_lane_folds_and_that_is_remembered(qtbot: QtBot, window: WindowDriver) -> None:
    panel, action = window.strip_panel, window.window_actions["show_melody"]
    assert action.isChecked()
    high = panel.view.height()
    panel.melody.fold.click()
    assert panel.view.height() == high - LANE_HEIGHT_PX
    assert not action.isChecked()
    assert not panel.melody.pen.isVisible()
    assert window.settings.value.melody == "folded"
    QTest.keyClick(window, Qt.Key.Key_M, CONTROL)
    assert window.melody_lane.isVisible()
    assert window.settings.value.melody == "open"


def test_the_playhead_passes_through_the_lane(qtbot: QtBot, window: WindowDriver) -> None:
    speak(qtbot, window)
    qtbot.waitUntil(lambda: shape_of(window).strip.axis.is_timed, timeout=WAIT_MS)
    cell = shape_of(window).cells[5]
    window.strip_panel.view.show_played((cell.start_s + cell.end_s) / 2)
    assert window.melody_lane.highlights.playing == 5
    window.melody_lane.grab()
    window.strip_panel.view.show_played(None)
    assert window.melody_lane.highlights.playing == -1


def test_what_is_drawn_is_what_is_heard(qtbot: QtBot, window: WindowDriver) -> None:
    """The voice's own pitch is what was measured less what was drawn: it stays where it was if the voice followed what was drawn."""
    speak(qtbot, window)
    qtbot.waitUntil(lambda: shape_of(window).melody.is_measured, timeout=WAIT_MS)
    own = shape_of(window).melody.own
    assert window.melody_lane.highlights.dragged == -1
    with qtbot.waitSignal(window.strip.pitches.measured, timeout=WAIT_MS):
        drag(window, 4, 3.0, SHIFT)
        speak(qtbot, window)
    pairs = [(here, there) for here, there in zip(own, shape_of(window).melody.own, strict=True) if None not in (here, there)]
    assert len(pairs) >= 8
    assert np.median([abs(here - there) for here, there in pairs]) <= 0.3


def test_a_reading_that_comes_late_takes_no_edit_back(qtbot: QtBot, window: WindowDriver) -> None:
    window.strip._request_reading()
    drag(window, 4, 2.0)
    kept = pitches(window)
    for _answer in range(2):  # the late one, and the one that is asked for instead
        with qtbot.waitSignal(window.controller.line_read, timeout=WAIT_MS):
            pass
    assert shape_of(window).melody.offsets[4] == kept[4]
    drag(window, 8, 2.0)
    assert list(pitches(window)) == [4, 8]
