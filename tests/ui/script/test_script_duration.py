"""The total length counts what was heard as it was, and estimates the rest from its letters."""

import pytest
from pytestqt.qtbot import QtBot

from app.core.script.script import ESTIMATED_SECONDS_PER_CHAR, Line, LineSettings, Script
from app.ui.script.script_model import LastRendering, LineState, ScriptDuration, measure_script_duration
from tests.ui.conftest import WAIT_MS, OpenWindow, speak


def test_heard_lines_set_the_pace_of_the_others() -> None:
    quiet = LineSettings(pre_silence_s=0.5, post_silence_s=0.25)
    heard, other, empty = Line("十文字の行です。。。", quiet, id="a"), Line("五文字です", id="b"), Line(" ", id="c")
    states = {"a": LineState(last_rendering=LastRendering("r", heard, 2.0))}
    found = measure_script_duration([heard, other, empty], lambda line_id: states.get(line_id, LineState()))
    assert found == ScriptDuration(pytest.approx(0.75 + 2.0 + 1.0 + other.settings.pre_silence_s + other.settings.post_silence_s), False)  # type: ignore[arg-type]
    assert measure_script_duration([heard], lambda _: states["a"]) == ScriptDuration(pytest.approx(2.75), True)  # type: ignore[arg-type]
    plain = Line("五文字です", LineSettings(pre_silence_s=0, post_silence_s=0, speed=2.0))
    assert measure_script_duration([plain], lambda _: LineState()).seconds == pytest.approx(5 * ESTIMATED_SECONDS_PER_CHAR / 2)


def test_the_status_line_shows_it(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.document.reset_script(Script((Line("あ" * 4000),)))
    qtbot.waitUntil(lambda: window.status.total.text() == "Total ≈ 10:00", timeout=WAIT_MS)
    window.document.reset_script(Script((Line("短い。", id="a"),)))
    window.script.select_lines(["a"])
    speak(qtbot, window)
    qtbot.waitUntil(lambda: window.status.total.text() in ("Total 0:01", "Total 0:00"), timeout=WAIT_MS)
    window.document.reset_script(Script(()))
    qtbot.waitUntil(lambda: not window.status.total.text(), timeout=WAIT_MS)
