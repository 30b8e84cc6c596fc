"""Lines under the hands of a person: keys, mouse, clipboard, files, and the way back."""

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.script.script import Line, LineSettings, Script
from app.settings.user_settings import Settings
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, text_of, wait_idle
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")

SHIFT, CTRL, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
KEY = Qt.Key


def filled(window: WindowDriver, text: str) -> WindowDriver:
    """A window with a line for every word, the first one selected, nothing to undo."""
    window.document.reset_script(Script(tuple(Line(word, id=word) for word in text.split())))
    window.script.select_lines([text.split()[0]])
    return window


def words(window: WindowDriver) -> str:
    return text_of(window).replace("\n", " ")


def chosen(window: WindowDriver) -> str:
    return " ".join(line.text for line_id in window.script.selected_ids if (line := window.document.script.find_line(line_id)))


def compose(window: WindowDriver, text: str) -> None:
    """As an input method does: first unsettled, then settled."""
    target = QApplication.focusWidget() or window.script
    QApplication.sendEvent(target, QInputMethodEvent(text[:1], []))
    settled = QInputMethodEvent()
    settled.setCommitString(text)
    QApplication.sendEvent(window.script.editor or target, settled)


def test_typing_into_the_empty_list_begins_a_line(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.script.setFocus()
    compose(window, "雨が降る。")
    assert text_of(window) == "雨が降る。"
    compose(window, "傘。")
    assert text_of(window) == "雨が降る。傘。"
    qtbot.keyClick(window.script.editor, KEY.Key_Return)
    assert window.script.editor is None
    assert window.script.hasFocus()


def test_lines_are_written_one_after_the_other_like_in_an_editor(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    qtbot.keyClick(window, KEY.Key_Return, SHIFT)
    qtbot.keyClicks(window.script.editor, "one")
    qtbot.keyClick(window.script.editor, KEY.Key_Return, SHIFT)
    qtbot.keyClicks(window.script.editor, "two")
    assert words(window) == "one two"
    qtbot.keyClick(window.script.editor, KEY.Key_Up)
    assert window.script.editor.text == "one"
    qtbot.keyClicks(window.script.editor, "!")
    assert words(window) == "one! two"
    qtbot.keyClick(window.script.editor, KEY.Key_Right)
    qtbot.keyClicks(window.script.editor, "?")
    assert words(window) == "one! ?two", "to the right of a line is the beginning of the next"
    for _ in range(4):
        qtbot.keyClick(window.script.editor, KEY.Key_Delete)
    qtbot.keyClick(window.script.editor, KEY.Key_Home)
    for _ in range(9):
        qtbot.keyClick(window.script.editor, KEY.Key_Delete)
    assert words(window).strip() == "one!"
    qtbot.keyClick(window.script.editor, KEY.Key_Backspace)
    assert words(window) == "one!", "an empty line goes away with Backspace"
    assert window.script.editor.text == "one!"


def test_undo_takes_back_word_for_word_and_step_for_step(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = filled(open_window(), "a b c")
    qtbot.keyClick(window.script, KEY.Key_F2)
    qtbot.keyClicks(window.script.editor, "xyz")
    assert words(window) == "axyz b c"
    qtbot.keyClick(window.script.editor, KEY.Key_Z, CTRL)
    assert words(window) == "a b c", "what is typed quickly is one step"
    assert window.script.editor.text == "a"
    qtbot.keyClick(window.script.editor, KEY.Key_Y, CTRL)
    assert words(window) == window.script.editor.text + " b c" == "axyz b c"
    qtbot.keyClick(window.script.editor, KEY.Key_Return)
    qtbot.keyClick(window.script, KEY.Key_D, CTRL)
    qtbot.keyClick(window.script, KEY.Key_Down, ALT)
    qtbot.keyClick(window.script, KEY.Key_Delete, SHIFT)
    window.sliders["speed"].set_value(1.3)
    window.sliders["speed"].set_value(1.5)
    assert words(window) == "axyz b c"
    states = [words(window)]
    while window.undo_stack.canUndo():
        qtbot.keyClick(window.script, KEY.Key_Z, CTRL)
        states.append(words(window))
    assert states == ["axyz b c", "axyz b c", "axyz b axyz c", "axyz axyz b c", "axyz b c", "a b c"]
    while window.undo_stack.canRedo():
        qtbot.keyClick(window.script, KEY.Key_Z, CTRL | SHIFT)
    assert words(window) == "axyz b c"
    assert not window.window_actions["redo"].isEnabled()


def test_keys_move_duplicate_and_delete_what_is_selected(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = filled(open_window(), "a b c d")
    qtbot.keyClick(window.script, KEY.Key_Down, SHIFT)
    assert chosen(window) == "a b"
    qtbot.keyClick(window.script, KEY.Key_Down, ALT)
    assert (words(window), chosen(window)) == ("c a b d", "a b")
    qtbot.keyClick(window.script, KEY.Key_Up, ALT)
    qtbot.keyClick(window.script, KEY.Key_D, CTRL)
    assert (words(window), chosen(window)) == ("a b a b c d", "a b")
    qtbot.keyClick(window.script, KEY.Key_Delete)
    assert (words(window), chosen(window)) == ("a b c d", "c")
    qtbot.keyClick(window.script, KEY.Key_A, CTRL)
    qtbot.keyClick(window.script, KEY.Key_Delete, SHIFT)
    assert words(window) == ""
    assert not window.sliders["speed"].isEnabled()
    qtbot.keyClick(window.script, KEY.Key_Z, CTRL)
    assert (words(window), chosen(window)) == ("a b c d", "a b c d")


def test_a_new_line_has_the_settings_of_the_selected_one(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = filled(open_window(), "a b")
    window.sliders["speed"].set_value(1.5)
    qtbot.keyClick(window, KEY.Key_Return, SHIFT)
    assert [line.settings.speed for line in window.lines] == [1.5, 1.5, 1.0]


def test_the_panel_shows_the_current_line_and_edits_all_selected_ones(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = filled(open_window(), "a b c")
    window.sliders["speed"].set_value(1.5)
    qtbot.keyClick(window.script, KEY.Key_Down)
    assert window.sliders["speed"].value == 1.0
    qtbot.keyClick(window.script, KEY.Key_Up, SHIFT)
    assert window.sliders["speed"].value == 1.5
    window.styles.setCurrentIndex(2)
    lines = window.lines
    assert [line.settings.style for line in lines] == ["Bashful", "Bashful", ""]
    assert [line.settings.speed for line in lines] == [1.5, 1.0, 1.0], "only what was touched changes"
    window.presets.names.activated.emit(0)
    assert [line.settings for line in window.lines[:2]] == [LineSettings(style="Bashful")] * 2


def test_pasted_lines_become_lines(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = filled(open_window(), "a b")
    QGuiApplication.clipboard().setText("雨\n\n 雪 \r\n風")
    qtbot.keyClick(window.script, KEY.Key_V, CTRL)
    assert (words(window), chosen(window)) == ("a 雨 雪 風 b", "雨 雪 風")
    qtbot.keyClick(window.script, KEY.Key_Z, CTRL)
    assert words(window) == "a b"
    window.script.edit_line(0)
    qtbot.keyClick(window.script.editor, KEY.Key_V, CTRL)
    assert words(window) == "a雨 雪 風 b"
    QGuiApplication.clipboard().setText("x y\n")
    window.script.edit_line(3)
    qtbot.keyClick(window.script.editor, KEY.Key_V, CTRL)
    assert window.lines[3].text == "bx y"


def test_copied_lines_keep_their_settings(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = filled(open_window(), "a b")
    window.sliders["speed"].set_value(1.5)
    qtbot.keyClick(window.script, KEY.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "a"
    qtbot.keyClick(window.script, KEY.Key_Down)
    qtbot.keyClick(window.script, KEY.Key_V, CTRL)
    assert [(line.text, line.settings.speed) for line in window.lines] == [("a", 1.5), ("b", 1.0), ("a", 1.5)]
    assert len({line.id for line in window.lines}) == 3
    qtbot.keyClick(window.script, KEY.Key_X, CTRL)
    assert words(window) == "a b"
    qtbot.keyClick(window.script, KEY.Key_V, CTRL)
    assert [(line.text, line.settings.speed) for line in window.lines] == [("a", 1.5), ("b", 1.0), ("a", 1.5)]


def drop(window: WindowDriver, data: QMimeData, place: QPoint) -> None:
    actions = Qt.DropAction.CopyAction
    event = QDropEvent(QPointF(place), actions, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    window.script.dropEvent(event)


def test_text_and_files_are_dropped_between_lines(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    window = filled(open_window(), "a b")
    below_first = QPoint(40, window.script.visualRect(window.model.index(0)).bottom() - 2)
    text = QMimeData()
    text.setText("x\ny")
    drop(window, text, below_first)
    assert words(window) == "a x y b"
    (tmp_path / "一.csv").write_bytes("Mei,雨。\nTaro,雪。\n".encode("cp932"))
    (tmp_path / "二.txt").write_text("風。\n", encoding="utf-8")
    (tmp_path / "voice.aivmx").write_bytes(b"")
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("一.csv", "二.txt", "voice.aivmx")])
    with qtbot.waitSignal(window.incoming.others_found) as voices:
        drop(window, files, QPoint(40, window.script.viewport().height() - 1))
    assert voices.args == [[tmp_path / "voice.aivmx"]]
    qtbot.waitUntil(lambda: window.importing.dialog is not None, timeout=8000)  # nobody here is called Taro
    (taro,) = window.importing.dialog.names.rows
    taro.voice.setCurrentIndex(0)  # later
    with qtbot.waitSignal(window.importing.finished):
        window.importing.dialog.import_button.click()
    assert words(window) == "a x y b 雨。 雪。 風。"
    assert [line.settings.voice for line in window.lines[-3:]] == ["", "Taro", ""]  # Mei is the voice we ship
    window.window_actions["undo"].trigger()
    assert words(window) == "a x y b"


def test_a_file_that_is_no_text_changes_nothing_and_is_told(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    window = filled(open_window(), "a")
    (tmp_path / "a.txt").write_bytes(b"\xff\xd8\x00\x00")
    for name in ("a.txt", "none.txt"):
        with qtbot.waitSignal(window.importing.finished):
            window.importing.import_files([tmp_path / name], 0)
        assert words(window) == "a"
        assert name in window.banner.message.text()


def test_dragged_lines_go_where_they_are_dropped(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window = filled(open_window(), "a b c d")
    window.script.select_lines(["a", "c"])
    data = window.model.mimeData(window.script.selectedIndexes())
    assert data.text() == "a\nc"
    monkeypatch.setattr(QDropEvent, "source", lambda _event: window.script)
    drop(window, data, QPoint(40, window.script.visualRect(window.model.index(3)).bottom() - 2))
    assert (words(window), chosen(window)) == ("b d a c", "a c")
    qtbot.keyClick(window.script, KEY.Key_Z, CTRL)
    assert words(window) == "a b c d"


def place_on(window: WindowDriver, row: int, part: str) -> QPoint:
    parts = window.script.cards.layout.compute_rects(QRectF(window.script.visualRect(window.model.index(row))))
    rect: QRectF = getattr(parts, part)
    return rect.center().toPoint() if part == "button" else QPoint(round(rect.left()) + 2, round(rect.top()) + 4)


def test_a_click_selects_and_space_plays(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = filled(open_window(), "雨。 雪が降る。")
    qtbot.mouseClick(window.script.viewport(), Qt.MouseButton.LeftButton, pos=place_on(window, 1, "text"))
    assert (window.script.editor, chosen(window)) == (None, "雪が降る。")
    with qtbot.waitSignal(window.playback.line_began) as began:
        qtbot.keyClick(window.script, KEY.Key_Space)
    assert began.args == ["雪が降る。"]
    assert words(window) == "雨。 雪が降る。"
    wait_idle(qtbot, window)
    for key in (KEY.Key_Return, KEY.Key_F2):
        qtbot.keyClick(window.script, key)
        assert window.script.editor is not None
        window.script.end_editing()


def test_a_double_click_into_the_text_puts_the_cursor_there(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = filled(open_window(), "abc defghi")
    qtbot.mouseDClick(window.script.viewport(), Qt.MouseButton.LeftButton, pos=place_on(window, 1, "text"))
    editor = window.script.editor
    assert editor is not None
    assert (editor.text, editor.textCursor().position()) == ("defghi", 0)
    qtbot.mouseClick(window.script.viewport(), Qt.MouseButton.LeftButton, pos=place_on(window, 0, "number"))
    assert window.script.editor is None
    assert chosen(window) == "abc"


def test_the_button_of_a_card_plays_that_line(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = filled(open_window(), "雨。 雪が降る。")
    with qtbot.waitSignal(window.playback.line_began) as began:
        qtbot.mouseClick(window.script.viewport(), Qt.MouseButton.LeftButton, pos=place_on(window, 1, "button"))
    assert began.args == ["雪が降る。"]
    wait_idle(qtbot, window)
    assert len(player.requests) == 1
    state = window.model.find_state("雪が降る。")
    assert state.is_done(window.lines[1])
    assert state.last_rendering is not None
    assert 0.3 < state.last_rendering.length_s < 3
    window.script.select_lines(["雪が降る。"])
    window.sliders["speed"].set_value(1.5)
    assert not window.model.find_state("雪が降る。").is_done(window.lines[1]), "it was changed since"


def test_words_for_those_who_do_not_see(open_window: OpenWindow) -> None:
    window = filled(open_window(Settings(text="あ")), "雨。 雪。")
    assert window.model.data(window.model.index(1), Qt.ItemDataRole.AccessibleTextRole) == "Line 2, 雪。, Mei, Neutral"


def test_long_text_wraps_and_the_card_grows(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = filled(open_window(), "雨。 " + "とても長い文章です。" * 20)
    heights = [window.script.visualRect(window.model.index(row)).height() for row in range(2)]
    assert heights[1] > 2 * heights[0]
    window.script.edit_line(1)
    editor = window.script.editor
    assert editor is not None
    assert editor.verticalScrollBar().maximum() == 0, "all of the text is in sight while it is edited"
    window.script.edit_line(0)
    assert window.script.editor is not None
    window.script.editor.insertPlainText("とても長い文章です。" * 20)
    QApplication.processEvents()
    first, second = (window.script.visualRect(window.model.index(row)) for row in range(2))
    assert first.height() > 2 * heights[0]
    assert second.top() > first.bottom(), "the next card gives way"
    assert window.script.editor.verticalScrollBar().maximum() == 0


def test_what_is_in_sight_stays_there_while_very_many_lines_are_laid_out_again(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="", theme="light"))
    window.document.reset_script(Script(tuple(Line(f"{row}番目の行です。" * (1 + row % 9)) for row in range(3000))))
    view = window.script
    qtbot.waitUntil(lambda: view.visualRect(view.model().index(2999, 0)).height() > 0, timeout=WAIT_MS)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    index = view.indexAt(QPoint(view.viewport().width() // 2, 1))
    assert index.row() > 1000
    for change in (lambda: window.resize(window.width() - 150, window.height()), lambda: window.settings.change_settings(theme="dark")):
        top = view.visualRect(index).top()
        change()
        qtbot.wait(100)  # it is laid out a moment later
        qtbot.waitUntil(lambda: not view.gradual.is_running and view.viewport().updatesEnabled(), timeout=WAIT_MS)
        qtbot.wait(50)
        assert view.visualRect(index).top() == top
        assert view.visualRect(index).height() == view.cards.compute_row_height(index.row())


def test_a_click_on_a_blank_place_keeps_the_selected_lines(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="一行目"))
    window.commands.add_text("二行目", 1)
    ids = [line.id for line in window.lines]
    window.script.select_lines(ids)
    blank = QPoint(window.script.viewport().width() // 2, window.script.viewport().height() - 6)
    assert not window.script.indexAt(blank).isValid()
    for modifier in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier):
        qtbot.mouseClick(window.script.viewport(), Qt.MouseButton.LeftButton, modifier, blank)
        assert window.script.selected_ids == ids
    assert window.sliders["speed"].isEnabled()
    assert window.script.current_id == ids[0]


def test_a_letter_begins_the_first_line_wherever_the_focus_is(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text=""))
    focused = window.transport.buttons["live"]
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    for modifier in (Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier):
        QApplication.sendEvent(focused, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_J, modifier, "j"))
        assert not window.lines
    qtbot.keyClick(focused, Qt.Key.Key_Space)
    assert not window.lines, "it presses the button"
    qtbot.keyClicks(focused, "a")
    assert window.script.editor is not None
    assert window.script.editor.hasFocus()
    qtbot.keyClicks(window.script.editor, "i")
    assert window.lines[0].text == "ai"
    window.script.end_editing()
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClicks(focused, "u")
    assert [line.text for line in window.lines] == ["ai"], "only an empty script asks for it"
