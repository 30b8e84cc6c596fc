"""An ellipsis is one pause in the strip, though it is read as several full stops."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.settings.user_settings import Settings
from app.ui.reading.strip.strip_shape import CellKind, StripShape, describe_cell, find_cell_text
from tests.ui.conftest import WAIT_MS, OpenWindow, speak
from tests.ui.window_driver import WindowDriver


def shape_of(qtbot: QtBot, window: WindowDriver) -> StripShape:
    qtbot.waitUntil(lambda: window.phone_strip.shape is not None, timeout=WAIT_MS)
    assert window.phone_strip.shape is not None
    return window.phone_strip.shape


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("はい……。", ["…"]),
        ("はい。", ["。"]),
        ("はい、ええ…そうです。", ["、", "…", "。"]),
        ("はい！？", ["！", "？"]),
        ("あ……はい。", ["…", "。"]),
    ],
)
def test_a_run_of_full_stops_is_one_cell(qtbot: QtBot, open_window: OpenWindow, text: str, signs: list[str]) -> None:
    shape = shape_of(qtbot, open_window(Settings(text=text, strip="open")))
    pauses = [cell for cell in shape.axis.cells if cell.kind is CellKind.MARK]
    assert [find_cell_text(shape, cell) for cell in pauses] == signs
    assert sum(cell.count for cell in pauses) == len(shape.reading.marks)


def test_its_length_is_that_of_all_its_marks(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ。", strip="open"))
    speak(qtbot, window, "はい……。")
    qtbot.waitUntil(lambda: window.phone_strip.shape is not None and window.phone_strip.shape.times is not None, timeout=WAIT_MS)
    shape = window.phone_strip.shape
    assert shape is not None
    assert shape.times is not None
    pause = shape.axis.cells[-1]
    assert pause.length_s == pytest.approx(sum(span.length_s for span in shape.times.marks))
    assert pause.end_s == shape.times.marks[-1].end_s
    window.phone_strip.setFocus()
    QTest.keyClick(window.phone_strip, Qt.Key.Key_End)
    QTest.keyClick(window.phone_strip, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    edits = window.lines[0].overrides.pauses
    assert len(edits) == len(shape.times.marks)
    longer = window.phone_strip.shape.axis.cells[-1]
    assert longer.is_exact
    assert longer.length_s == pytest.approx(sum(edit.length_s for edit in edits))
    assert longer.length_s > pause.length_s
    assert describe_cell(window.phone_strip.shape, longer).startswith("Pause …")
    QTest.keyClick(window.phone_strip, Qt.Key.Key_Delete)
    assert window.lines[0].overrides.pauses == ()
