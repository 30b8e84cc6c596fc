"""A word in doubt: a dotted line under it, its other reading as a button, and what a click makes of it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.adapters.openjtalk.reading_choices import READING_CHOICES, clear_reading_choices
from app.core.sound.line_reading import LineWord
from app.ui.reading.strip_panel import AlternativeReadingsBar, ReadingDoubt
from tests.ui.conftest import WAIT_MS, OpenWindow, write
from tests.ui.window_driver import WindowDriver

TEXT = "彼奴を呼ぶ。"


def kana(window: WindowDriver) -> str:
    shape = window.phone_strip.shape
    return "" if shape is None else "".join(mora.kana for mora in shape.reading.moras)


def offered(window: WindowDriver) -> list[QPushButton]:
    return window.strip_panel.others.buttons


def test_a_click_takes_the_other_reading(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, TEXT)
    qtbot.waitUntil(lambda: kana(window).startswith("アイツ"), timeout=WAIT_MS)
    assert [button.text() for button in offered(window)] == ["彼奴 → キャツ"]
    qtbot.waitUntil(lambda: offered(window)[0].isVisible(), timeout=WAIT_MS)
    qtbot.mouseClick(offered(window)[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: kana(window).startswith("キャツ"), timeout=WAIT_MS)
    line = window.document.script.find_line(window.script.current_id)
    assert line is not None
    assert [(one.surface, one.reading) for one in line.overrides.readings] == [("彼奴", "キャツ")]
    assert offered(window) == []  # the user has settled it
    window.undo_stack.undo()
    qtbot.waitUntil(lambda: kana(window).startswith("アイツ"), timeout=WAIT_MS)


def test_a_reading_without_doubt_offers_nothing(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, "今日は晴れです。")
    qtbot.waitUntil(lambda: kana(window).startswith("キョー"), timeout=WAIT_MS)
    assert offered(window) == []


def test_choices_of_reading_count_at_once(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, "四月一日さん")
    qtbot.waitUntil(lambda: kana(window) == "ワタヌキサン", timeout=WAIT_MS)
    try:
        window.settings.change_settings(built_in_words=False)
        qtbot.waitUntil(lambda: kana(window).startswith("シガツ"), timeout=WAIT_MS)
        window.settings.change_settings(built_in_words=True)
        qtbot.waitUntil(lambda: kana(window) == "ワタヌキサン", timeout=WAIT_MS)
        write(window, "http://test.jp/a")
        qtbot.waitUntil(lambda: kana(window) == "テストドットジェイピー", timeout=WAIT_MS)
        window.settings.change_settings(links="all")
        qtbot.waitUntil(lambda: kana(window).startswith("エイチ"), timeout=WAIT_MS)
    finally:
        READING_CHOICES.built_in_words = READING_CHOICES.links = READING_CHOICES.memos_everywhere = None
        clear_reading_choices()


@pytest.mark.parametrize(("width", "seen"), [(20, 0), (2000, 3)])
def test_only_what_fits_is_shown(qtbot: QtBot, width: int, seen: int) -> None:
    row = AlternativeReadingsBar()
    qtbot.addWidget(row)
    word = LineWord(0, 2, 0, 4, 0, 0, ("a",), "カラダ")
    row.show_doubts([ReadingDoubt(word, "身体", f"カラダ{number}") for number in range(3)])
    row.resize(width, 30)
    row.show()
    assert sum(button.isVisible() for button in row.buttons) == seen
