"""The script survives: closing, crashes, broken files, and the change from older versions."""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.script.script import Line, LineSettings, Script
from app.settings.user_settings import Settings, save_settings
from app.ui.script.autosave import AUTOSAVE_DELAY_MS, GREETING_TEXT, ScriptOrigin, load_autosave, locate_autosave_file, write_autosave
from tests.ui.conftest import WAIT_MS, OpenWindow, text_of
from tests.ui.window_driver import start_window_program

TYPE_AND_WAIT = """
window.commands.add_line()
def type_more():
    QTest.keyClicks(window.script.editor, "x")
    print(window.lines[-1].text, flush=True)
timer = QTimer(window)
timer.timeout.connect(type_more)
timer.start(200)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kill -9")
def test_at_most_five_seconds_are_lost_when_it_is_killed(tmp_path: Path) -> None:
    save_settings(Settings(load_voice="first_use"), tmp_path / "settings.json")  # nothing is spoken
    process = start_window_program(TYPE_AND_WAIT, home=tmp_path)
    assert process.stdout is not None
    typed: list[tuple[float, str]] = []
    began = None
    for line in process.stdout:
        began = began or time.monotonic()
        typed.append((time.monotonic(), line.strip()))
        if typed[-1][0] - began > 6:
            break
    process.kill()
    killed = time.monotonic()
    process.communicate(timeout=30)
    kept = json.loads((tmp_path / "autosave.json").read_text(encoding="utf-8"))["lines"]
    must_be_there = [text for at, text in typed if killed - at > 5]
    assert must_be_there
    assert kept[0]["text"] == GREETING_TEXT
    assert kept[1]["text"].startswith(must_be_there[-1])
    assert len(list(tmp_path.glob(".autosave.json-*.part"))) <= 1, "at most the writing that was cut off, which a later start sweeps"


def test_the_script_comes_back_with_the_line_it_was_left_at(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="雨。"), ready=False)
    window.commands.add_text("雪。\n風。", 1)
    window.script.select_lines([window.lines[1].id])
    window.sliders["speed"].set_value(1.5)
    window.close()
    again = open_window(Settings(text="とても古い文章"), ready=False)
    assert again.document.script == window.document.script
    assert again.script.currentIndex().row() == 1
    again.commands.delete_lines()
    again.script.selectAll()
    again.commands.delete_lines()
    again.close()
    assert open_window(Settings(), ready=False).document.script.lines == (), "an emptied script stays empty"


def test_the_seed_of_a_line_that_was_heard_is_written_though_nothing_was_edited(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="雨。"), ready=False)
    line = window.lines[0]
    window.document.apply_edit("x", Script((replace(line, settings=replace(line.settings, seed_locked=False)),)))
    qtbot.waitUntil(lambda: load_autosave()[0] == window.document.script, timeout=WAIT_MS)
    seed = window.seeds.roll_seed(window.lines[0]).settings.seed
    assert seed != line.settings.seed
    qtbot.waitUntil(lambda: load_autosave()[0].lines[0].settings.seed == seed, timeout=WAIT_MS)


def test_it_is_written_soon_and_never_half(qtbot: QtBot, open_window: OpenWindow) -> None:
    assert AUTOSAVE_DELAY_MS < 5000
    window = open_window(Settings(text="雨。"), ready=False)
    window.commands.add_text("\n".join(f"{number} 行目の文章。" for number in range(1000)), 1)
    qtbot.waitUntil(lambda: load_autosave()[0] == window.document.script, timeout=WAIT_MS)
    assert [item.name for item in locate_autosave_file().parent.glob("*.part")] == []


def test_old_settings_become_one_line_with_their_sound(open_window: OpenWindow) -> None:
    old = Settings(text="一行目。\n二行目。", style="Sad", speed=1.5, seed=7, volume=0.5)
    window = open_window(old, ready=False)
    (line,) = window.lines
    assert line.text == "一行目。\n二行目。"
    assert line.settings == LineSettings(style="Sad", speed=1.5, seed=7, volume=0.5)


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"version": 1, "lines": [3]}', b"\xff\xfe\x00", b"[" * 100_000])
def test_a_broken_file_is_told_and_kept(open_window: OpenWindow, content: bytes) -> None:
    locate_autosave_file().parent.mkdir(parents=True)
    locate_autosave_file().write_bytes(content)
    window = open_window(Settings(), ready=False)
    assert text_of(window) == GREETING_TEXT
    assert "previous script" in window.notice.message.text()
    assert locate_autosave_file().with_name("autosave.json.unreadable").read_bytes() == content


def test_any_text_can_be_kept() -> None:
    script = Script((Line('\ud800\0\u2028"\\'), Line("🎐")), "題")
    write_autosave(script, "x")
    assert load_autosave() == (script, "x", ScriptOrigin(), None)


def test_a_line_too_long_to_be_shown_is_cut_at_the_start(open_window: OpenWindow) -> None:
    write_autosave(Script((Line("短い。", id="a"), Line("今日はいい天気です。" * 30_000, LineSettings(speed=1.5), id="b"))), "b")
    window = open_window(ready=False)
    lines = window.lines
    assert lines[0] == Line("短い。", id="a")
    assert max(len(line.text) for line in lines) <= 2_000
    assert "".join(line.text for line in lines[1:]) == "今日はいい天気です。" * 30_000
    assert {line.settings.speed for line in lines[1:]} == {1.5}
    assert window.script.current_id == "b"
