"""Settings are kept without the window waiting for the disk."""

import threading
from functools import partial

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.common.errors import OutputFileError
from app.core.script.script import Line, Script
from app.settings.user_settings import Settings, find_settings_path, load_settings, save_settings
from app.ui import background_thread
from app.ui.background_thread import AutosavedFile
from app.ui.parameters.preset_bar import load_presets
from app.ui.script.autosave import locate_autosave_file, write_autosave
from app.ui.settings.settings_store import SettingsStore
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.gui_thread_watch import watch_gui_thread


@pytest.mark.usefixtures("_slow_disk")
def test_a_slow_disk_holds_nobody_up(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SettingsStore(Settings())
    told: list[tuple[float, float]] = []
    found: list[float] = []
    store.changed.connect(lambda before, after: told.append((before.speed, after.speed)))
    with watch_gui_thread(monkeypatch) as watch:
        for speed in (1.1, 1.2, 1.2, 1.3):
            store.change_settings(speed=speed)
            store.file.save_now(lambda: found.append(load_settings()[0].speed))
        qtbot.waitUntil(lambda: len(found) == 4, timeout=WAIT_MS)
    assert not any("fsync" in call for call in watch.list_unexpected())
    assert told == [(1.0, 1.1), (1.1, 1.2), (1.2, 1.3)], "equal values change nothing"
    assert found[-1] == 1.3
    assert found == sorted(found), "they are written in the order of asking"
    store.change_settings(speed=1.4)
    assert store.file.begin_flush()() is None
    store.file.close()
    assert load_settings()[0].speed == 1.4


def test_what_a_command_chose_beside_the_window_stays(qtbot: QtBot) -> None:
    save_settings(Settings(speed=1.5, theme="dark"))
    store = SettingsStore(load_settings()[0])
    save_settings(Settings(speed=1.5, theme="light", bert="another", fast_voices=("mei",)))
    for theme in ("dark", "system"):  # the second is a change, the first is none
        store.change_settings(theme=theme)
        assert (stop := store.file.begin_flush()()) is None, stop
    assert load_settings() == (Settings(speed=1.5, theme="system", bert="another", fast_voices=("mei",)), None)
    store.change_settings(bert="mine")
    store.file.begin_flush()()
    assert load_settings()[0].bert == "mine", "the last choice counts"
    find_settings_path().write_text("{", encoding="utf-8")
    store.change_settings(speed=1.2)
    store.file.begin_flush()()
    store.file.close()
    assert load_settings() == (Settings(speed=1.2, theme="system", bert="mine"), None), "a file that cannot be read is written whole"


def test_a_window_that_is_only_tried_out_keeps_nothing(qtbot: QtBot, open_window: OpenWindow) -> None:
    write_autosave(Script((Line("わたしの文章。"),)), "")
    save_settings(Settings(speed=1.5))
    own = {path: path.read_bytes() for path in (locate_autosave_file(), find_settings_path())}
    window = open_window(ready=False)
    window.keeping.stop_saving()
    window.document.reset_script(Script())
    window.commands.add_text("雨が降る。", 0)
    window.sliders["speed"].set_value(1.3)
    window.presets.keep_settings_as("fast")
    window.settings.file.save_now()
    qtbot.wait(50)
    window.close()
    assert {path: path.read_bytes() for path in own} == own
    assert load_presets() == ({}, None)


def test_loop_and_live_are_as_they_were(open_window: OpenWindow) -> None:
    window = open_window()
    for name in ("loop", "live", "follow"):
        window.window_actions[name].trigger()
    window.close()
    settings, _ = load_settings()
    assert (settings.loop, settings.live, settings.follow) == (True, True, True)
    again = open_window(settings)
    assert again.playback.loop
    assert [again.window_actions[name].isChecked() for name in ("loop", "live")] == [True, True]
    again.window_actions["live"].trigger()
    assert not again.settings.value.live


def test_one_write_at_a_time_and_the_newest_next(qtbot: QtBot) -> None:
    owner, written, released = QObject(), list[int](), threading.Event()
    state = [0]

    def write(number: int) -> None:
        assert released.wait(10)
        written.append(number)

    file = AutosavedFile(owner, "test", lambda: partial(write, state[0]), delay_ms=0)
    for state[0] in range(1, 6):
        file.schedule_save()
        qtbot.wait(5)
    released.set()
    qtbot.waitUntil(lambda: written == [1, 5], timeout=WAIT_MS)
    assert file.begin_flush()() is None
    file.close()
    assert written == [1, 5], "there was nothing new"


def test_trouble_is_told_once_and_its_end_too(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_thread, "WRITE_RETRY_MS", 5)
    owner, told, tries, called = QObject(), list[str](), list[str](), list[str]()
    reasons = ["full"] * 3 + ["read-only"] * 2

    def write() -> None:
        tries.append("")
        if reasons:
            raise OutputFileError("not kept", reasons.pop(0))

    file = AutosavedFile(owner, "test", lambda: write, delay_ms=0)
    file.failed.connect(lambda error: told.append(error.hint))
    file.recovered.connect(lambda error: told.append(f"over: {error.hint}"))
    file.save_now(lambda: called.append("then"))
    qtbot.waitUntil(lambda: len(told) == 3, timeout=WAIT_MS)
    assert told == ["full", "read-only", "over: read-only"]
    assert (len(tries), called) == (6, ["then"]), "who waited is called when it is done"
    reasons.append("full")
    file.schedule_save()
    wait = file.begin_flush()
    error = wait()
    assert error is not None
    assert (error.hint, told[3:]) == ("full", ["full"])
    qtbot.waitUntil(lambda: told[3:] == ["full", "over: full"], timeout=WAIT_MS)
    file.close()
    file.schedule_save()
    file.save_now()
    assert file.begin_flush()() is None
    assert len(tries) == 8
