"""Lines are split and joined, and a longer text that is pasted is asked about."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.core.script.script import Line, Script
from app.core.script.text_division import divide_text
from app.ui.script.line_editor import MAX_DIVIDED_CHARS, find_divisions, list_dialogue_names
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.window_driver import WindowDriver

KEY, CTRL, ALT = Qt.Key, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
TEXT = "雨が降る。傘を持つ。\n出かける。\n\n駅に着く。電車に乗る。"


def opened(open_window: OpenWindow, *texts: str) -> WindowDriver:
    window = open_window()
    window.document.reset_script(Script(tuple(Line(text, id=str(row)) for row, text in enumerate(texts))))
    window.script.select_lines(["0"])
    return window


def texts_of(window: WindowDriver) -> list[str]:
    return [line.text for line in window.lines]


def question(window: WindowDriver) -> QMessageBox:
    return next(item for item in window.findChildren(QMessageBox) if item.isVisible())


def answer(window: WindowDriver, words: str) -> None:
    """Presses the button of the question that begins so."""
    next(button for button in question(window).buttons() if button.text().startswith(words)).click()


def test_split_here_split_sentences_and_join(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = opened(open_window, "雨が降る。😀傘を持つ。出かける。")
    window.script.edit_line(0)
    assert window.script.editor is not None
    window.script.editor.place_cursor(6)
    qtbot.keyClick(window.script.editor, KEY.Key_Return, ALT)
    assert texts_of(window) == ["雨が降る。😀", "傘を持つ。出かける。"]
    assert window.script.editor is not None
    assert window.script.editor.selected_range == (0, 0)
    qtbot.keyClick(window.script.editor, KEY.Key_Return, ALT)
    assert len(texts_of(window)) == 2, "there is nothing before the cursor"
    window.script.end_editing()
    window.window_actions["split_sentences"].trigger()
    assert texts_of(window) == ["雨が降る。😀", "傘を持つ。", "出かける。"]
    assert len(window.script.selected_ids) == 2
    window.window_actions["select_all"].trigger()
    qtbot.keyClick(window.script, KEY.Key_J, CTRL)
    assert texts_of(window) == ["雨が降る。😀傘を持つ。出かける。"]
    for _step in range(3):
        window.undo_stack.undo()
    assert texts_of(window) == ["雨が降る。😀傘を持つ。出かける。"]


def test_one_line_is_joined_with_the_next_and_the_last_stays(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = opened(open_window, "一。", "二。", "三。")
    qtbot.keyClick(window.script, KEY.Key_J, CTRL)
    assert texts_of(window) == ["一。二。", "三。"]
    window.script.select_lines(["2"])
    qtbot.keyClick(window.script, KEY.Key_J, CTRL)
    assert texts_of(window) == ["一。二。", "三。"]
    window.window_actions["split_here"].trigger()
    assert "cursor" in window.banner.message.text()


def test_a_longer_text_is_asked_about(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = opened(open_window, "前。")
    QGuiApplication.clipboard().setText(TEXT)
    for words, count in (("By sentence (5 lines)", 6), ("By paragraph (2 lines)", 3), ("As it is (3 lines)", 4), ("Cancel", 1)):
        qtbot.keyClick(window.script, KEY.Key_V, CTRL)
        answer(window, words)
        assert len(texts_of(window)) == count
        if count > 1:
            window.undo_stack.undo()
    window.script.edit_line(0)
    assert window.script.editor is not None
    window.script.editor.place_cursor(0)
    qtbot.keyClick(window.script.editor, KEY.Key_V, CTRL)
    answer(window, "By sentence")
    assert texts_of(window) == ["雨が降る。前。", "傘を持つ。", "出かける。", "駅に着く。", "電車に乗る。"]
    window.undo_stack.undo()
    assert texts_of(window) == ["前。"]


def test_what_needs_no_question() -> None:
    assert list(find_divisions("一。二。三。")) == ["line"]
    assert list(find_divisions("一。\n二。\n三。\n四。\n五。")) == ["line", "paragraph"]
    assert list(find_divisions("あ。" * MAX_DIVIDED_CHARS)) == ["line"]
    assert find_divisions(TEXT)["sentence"] == divide_text(TEXT, "sentence")


DIALOGUE = "アキ：おはよう。\nケン：おはよう。\n雨の音がする。\nアキ：行こうか。\nケン：うん。\n"


def test_pasted_names_become_characters(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = opened(open_window, "前。", "後。")
    QGuiApplication.clipboard().setText(DIALOGUE)
    qtbot.keyClick(window.script, KEY.Key_V, CTRL)
    box = question(window)
    first = min(box.buttons(), key=lambda button: button.x())
    assert first.text() == box.defaultButton().text() == "Make characters (アキ, ケン)"
    accept_characters(qtbot, window)
    assert texts_of(window) == ["前。", "おはよう。", "おはよう。", "雨の音がする。", "行こうか。", "うん。", "後。"]
    names = {character.id: character.name for character in window.document.script.cast}
    assert [names.get(line.character) for line in window.lines[1:6]] == ["アキ", "ケン", None, "アキ", "ケン"]
    window.undo_stack.undo()
    assert texts_of(window) == ["前。", "後。"]


def test_a_dialogue_that_is_pasted_into_an_empty_line_takes_its_place(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = opened(open_window, "", "後。")
    QGuiApplication.clipboard().setText(DIALOGUE)
    window.script.edit_line(0)
    assert window.script.editor is not None
    qtbot.keyClick(window.script.editor, KEY.Key_V, CTRL)
    accept_characters(qtbot, window)
    assert texts_of(window) == ["おはよう。", "おはよう。", "雨の音がする。", "行こうか。", "うん。", "後。"]


def test_names_can_stay_words(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = opened(open_window, "前。")
    QGuiApplication.clipboard().setText(DIALOGUE)
    qtbot.keyClick(window.script, KEY.Key_V, CTRL)
    answer(window, "As it is")
    assert texts_of(window)[1] == "アキ：おはよう。"
    assert window.document.script.cast == ()
    assert list_dialogue_names(TEXT) == list_dialogue_names("場所：東京\n時間：九時\n") == []
    assert list_dialogue_names("ア：" * MAX_DIVIDED_CHARS) == []


def accept_characters(qtbot: QtBot, window: WindowDriver) -> None:
    """Chooses characters, and the voices that are proposed for them."""
    with qtbot.waitSignal(window.importing.finished, timeout=WAIT_MS):
        answer(window, "Make characters")
        qtbot.waitUntil(lambda: window.importing.dialog is not None, timeout=WAIT_MS)
        window.importing.dialog.import_button.click()
