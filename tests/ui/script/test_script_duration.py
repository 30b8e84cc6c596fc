"""The total length counts what was heard as it was, and estimates the rest from its letters."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.core.script.script import ESTIMATED_SECONDS_PER_CHAR, Line, LineSettings, Script
from app.ui.script.script_model import STEADYING_LETTERS, LastRendering, LineState, ScriptDuration, measure_script_duration
from tests.ui.conftest import WAIT_MS, OpenWindow, speak


def measure(lines: list[Line], heard_s: dict[str, float]) -> ScriptDuration:
    """How long the lines take, of which some were heard, by id."""
    states = {line.id: LineState(last_rendering=LastRendering("r", line, heard_s[line.id])) for line in lines if line.id in heard_s}
    return measure_script_duration(lines, lambda line_id: states.get(line_id, LineState()))


def test_heard_lines_set_the_pace_of_the_others() -> None:
    quiet = LineSettings(pre_silence_s=0.5, post_silence_s=0.25)
    heard, other, empty = Line("十文字の行です。。。", quiet, id="a"), Line("五文字です", id="b"), Line(" ", id="c")
    found = measure([heard, other, empty], {"a": 4.0})
    pace_s = (4.0 + STEADYING_LETTERS * ESTIMATED_SECONDS_PER_CHAR) / (10 + STEADYING_LETTERS)
    silence_s = 0.75 + other.settings.pre_silence_s + other.settings.post_silence_s
    assert found == ScriptDuration(pytest.approx(silence_s + 4.0 + 5 * pace_s), False)  # type: ignore[arg-type]
    assert measure([heard], {"a": 2.0}) == ScriptDuration(pytest.approx(2.75), True)  # type: ignore[arg-type]
    plain = Line("五文字です", LineSettings(pre_silence_s=0, post_silence_s=0, speed=2.0))
    assert measure([plain], {}).seconds == pytest.approx(5 * ESTIMATED_SECONDS_PER_CHAR / 2)


def test_a_pause_counts_in_place_of_the_silences_between_two_lines() -> None:
    quiet = LineSettings(pre_silence_s=0.5, post_silence_s=0.25)
    first, empty, last = Line("雨", quiet, id="a", pause_after_s=2.0), Line("", quiet), Line("雪", quiet, id="b", pause_after_s=9.0)
    assert measure([first, empty, last], {"a": 1.0, "b": 1.0}) == ScriptDuration(pytest.approx(4.75), True)  # type: ignore[arg-type]


def test_one_short_slow_line_does_not_double_the_length_of_all() -> None:
    lines = [Line("はい。", id="short"), *(Line("あ" * 50, id=str(row)) for row in range(20))]
    before, after = measure(lines, {}).seconds, measure(lines, {"short": 1.8}).seconds
    assert before < after < before * 1.3
    many = {str(row): 15.0 for row in range(15)}  # twice as slow as usual, and enough to be believed
    assert measure(lines, many).seconds == pytest.approx(20 * 15.0, rel=0.05)


def test_a_voice_is_estimated_by_its_own_pace() -> None:
    still = LineSettings(pre_silence_s=0, post_silence_s=0)
    slow, quick = (replace(still, voice=name) for name in ("slow", "quick"))
    text = "あ" * 400
    alone = measure([Line(text, quick, id="q")], {}).seconds
    both = [Line(text, slow, id="heard", character="x"), Line(text, slow, id="s", character="y"), Line(text, quick, id="q", character="x")]
    found = measure(both, {"heard": 200.0}).seconds - 200.0 - alone
    assert found == pytest.approx(200.0, rel=0.1), (
        "a slow voice counts as slow for every character, and leaves the quick voice's pace alone"
    )


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
