"""Ruby and memos in the window: what the strip shows of them, what can be edited, and what the setting changes at once."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.adapters.openjtalk.reading_choices import READING_CHOICES, clear_reading_choices
from app.core.script.script import Line, LineSettings, Script
from app.ui.reading.strip.strip_shape import CellKind, find_cell_text
from tests.ui.conftest import WAIT_MS, OpenWindow, write
from tests.ui.window_driver import WindowDriver

TEXT = "聖剣《エクスカリバー》を「抜く」[小声で。]。"


@pytest.fixture(autouse=True)
def _as_set() -> Iterator[None]:
    yield
    READING_CHOICES.memos_everywhere = None
    clear_reading_choices()


def kana(window: WindowDriver) -> str:
    shape = window.phone_strip.shape
    return "" if shape is None else "".join(mora.kana for mora in shape.reading.moras)


def test_the_strip_shows_the_words_and_edits_them(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.document.reset_script(Script((Line(TEXT, LineSettings(memos=True), id="a"),)))
    window.script.select_lines(["a"])
    qtbot.waitUntil(lambda: kana(window) == "エクスカリバーヲヌク", timeout=WAIT_MS)
    shape = window.phone_strip.shape
    assert shape is not None
    assert [find_cell_text(shape, cell) for cell in shape.axis.cells if cell.kind is CellKind.MARK][:2] == ["「", "」"], (
        "not those of the ruby"
    )
    window.phone_strip.word_requested.emit(0)
    field = window.strip_panel.reading
    assert field.surface == "聖剣", "as the dictionary takes it"
    field.kana_requested.emit("セイケン")
    qtbot.waitUntil(lambda: kana(window).startswith("セイケン"), timeout=WAIT_MS)
    (line,) = window.lines
    assert (line.text, line.overrides.text, line.overrides.memos) == (TEXT, TEXT, True)


def test_a_reading_that_was_typed_is_taken_although_the_line_is_read_again_meanwhile(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, "今日は晴れ。")
    qtbot.waitUntil(lambda: kana(window) == "キョーワハレ", timeout=WAIT_MS)
    window.phone_strip.word_requested.emit(0)
    window.strip_panel.reading.kana_requested.emit("コンニチ")
    window.controller.dictionary_changed.emit()  # as when the dictionary changes
    qtbot.waitUntil(lambda: kana(window).startswith("コンニチ"), timeout=WAIT_MS)


def test_the_setting_counts_for_every_line_at_once(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, TEXT)
    qtbot.waitUntil(lambda: kana(window) == "エクスカリバーヲヌクコゴエデ", timeout=WAIT_MS)
    window.settings.change_settings(memos_everywhere=True)
    qtbot.waitUntil(lambda: kana(window) == "エクスカリバーヲヌク", timeout=WAIT_MS)
    window.settings.change_settings(memos_everywhere=False)
    qtbot.waitUntil(lambda: kana(window) == "エクスカリバーヲヌクコゴエデ", timeout=WAIT_MS)


def test_copies_have_memos_and_text_from_elsewhere_has_none(open_window: OpenWindow) -> None:
    window = open_window()
    window.document.reset_script(Script((Line("花[小声]", LineSettings(memos=True, speed=1.5), id="a"),)))
    window.script.select_lines(["a"])
    commands = window.commands
    commands.insert_copies()
    window.script.select_lines(["a"])
    commands.copy_lines()
    commands.paste_lines()
    QGuiApplication.clipboard().setText("[重要] お知らせ")
    commands.paste_lines()
    commands.add_line()
    lines = window.lines
    assert sorted((line.text, line.settings.memos, line.settings.speed) for line in lines) == [
        ("", False, 1.5),
        ("[重要] お知らせ", False, 1.5),
        *[("花[小声]", True, 1.5)] * 3,
    ]
