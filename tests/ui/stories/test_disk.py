"""Disks that are full, protected, slow or gone while the window is open: nothing is lost, it is said once, and no longer than it lasts."""

import contextlib
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.settings.user_settings import load_settings
from app.ui import background_thread
from app.ui.actions.window_actions import KeyBinding, load_shortcuts
from app.ui.parameters.preset_bar import load_presets
from app.ui.script import autosave
from app.ui.script.autosave import load_autosave, locate_autosave_file
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, text_of, write
from tests.ui.window_driver import WindowDriver

DELAY_S = 0.4
SAVE_AFTER_MS = 500


class Disk:
    """A small disk of its own, with the home on it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._filler = place / "filler"

    def fill(self) -> None:
        """Leaves no room."""
        with contextlib.suppress(OSError), self._filler.open("ab", buffering=0) as file:
            while file.write(bytes(4096)):
                pass

    def free(self) -> None:
        """Makes room again."""
        self._filler.unlink()

    def protect(self, mode: str = "ro") -> None:
        """Allows no writing, or with `rw` allows it again."""
        subprocess.run(["mount", "-o", f"remount,{mode}", self.place], check=True)


@pytest.fixture
def _soon_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script is kept a moment after it was changed, so that the tests need not wait for it."""
    monkeypatch.setattr(autosave, "AUTOSAVE_DELAY_MS", SAVE_AFTER_MS)


@pytest.fixture
def disk(tmp_path: Path, _soon_kept: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "koebako-test", str(place)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a disk can be mounted by root on Linux only")
    monkeypatch.setenv("KOEBAKO_HOME", str(place / "home"))
    monkeypatch.setattr(background_thread, "WRITE_RETRY_MS", 300)
    yield Disk(place)
    subprocess.run(["umount", "-l", place], check=True)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every message that the notice of a window shows."""
    from app.ui.widgets.banner import Banner

    messages: list[str] = []
    tell = Banner.show_message

    def noted(banner: Banner, kind: Any, message: str, *rest: Any, **more: Any) -> None:
        messages.append(message)
        tell(banner, kind, message, *rest, **more)

    monkeypatch.setattr(Banner, "show_message", noted)
    return messages


def is_kept(window: WindowDriver) -> bool:
    return load_autosave()[0] == window.document.script


def changed_again_and_again(window: WindowDriver, qtbot: QtBot) -> None:
    """Types, as long as several tries to keep it take."""
    for number in range(4):
        write(window, f"{number} 回目の変更です。")
        qtbot.wait(SAVE_AFTER_MS // 3)


@pytest.mark.parametrize("error", ["full", "protected"])
def test_a_disk_that_takes_nothing_is_told_once_and_what_was_typed_is_kept_when_it_does(
    qtbot: QtBot, open_window: OpenWindow, disk: Disk, told: list[str], error: str
) -> None:
    begin, end = {"full": (disk.fill, disk.free), "protected": (disk.protect, lambda: disk.protect("rw"))}[error]
    reason = {"full": "Free some space. (the disk is full)", "protected": "folder is writable. (it is read-only)"}[error]
    window = open_window()
    write(window, "最初の文章です。")
    qtbot.waitUntil(lambda: is_kept(window), timeout=WAIT_MS)
    qtbot.wait(SAVE_AFTER_MS // 2)
    kept = locate_autosave_file().read_bytes()
    begin()
    changed_again_and_again(window, qtbot)
    qtbot.waitUntil(lambda: any("script could not be saved" in message for message in told), timeout=WAIT_MS)
    assert window.notice.isVisible()
    assert reason in window.notice.hint.text()
    changed_again_and_again(window, qtbot)
    assert locate_autosave_file().read_bytes() == kept, "whole, as it was"
    assert sorted(set(told)) == sorted(told), "each file once, however often it is tried"
    speak(qtbot, window)
    assert not window.banner.isVisible(), "what needs no disk goes on"
    end()
    qtbot.waitUntil(lambda: is_kept(window), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not window.notice.isVisible(), timeout=WAIT_MS)
    assert [item.name for item in locate_autosave_file().parent.glob(".*.part")] == []
    told.clear()
    begin()
    write(window, "また書けません。")
    qtbot.waitUntil(lambda: any("script could not be saved" in message for message in told), timeout=WAIT_MS)
    end()
    qtbot.waitUntil(lambda: is_kept(window), timeout=WAIT_MS)


def test_a_window_is_not_closed_over_a_script_that_cannot_be_kept(qtbot: QtBot, open_window: OpenWindow, disk: Disk) -> None:
    window = open_window()
    write(window, "大切な文章です。")
    disk.fill()
    assert not window.close()
    assert window.isVisible()
    assert "Closing again discards" in window.notice.hint.text()
    speak(qtbot, window)
    assert window.history.last is not None, "it can be used as before"
    disk.free()
    qtbot.waitUntil(lambda: is_kept(window), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not window.notice.isVisible(), timeout=WAIT_MS)
    write(window, "もっと大切な文章です。")
    disk.fill()
    assert not window.close(), "what was told before is over"
    disk.free()
    assert window.close()
    assert is_kept(window)


@pytest.mark.usefixtures("_soon_kept")
def test_a_home_that_was_removed_is_made_again(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, told: list[str]) -> None:
    window = open_window()
    write(window, "最初の文章です。")
    qtbot.waitUntil(lambda: is_kept(window), timeout=WAIT_MS)
    home = locate_autosave_file().parent
    # Gone at once: what the window writes meanwhile would keep it from being empty.
    shutil.rmtree(home.rename(tmp_path / "removed"))
    write(window, "次の文章です。")
    window.presets.keep_settings_as("fast")
    qtbot.waitUntil(lambda: is_kept(window), timeout=WAIT_MS)
    assert told == []
    if os.name != "nt":
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
    window.close()
    assert "fast" in load_presets()[0]


def slowly(monkeypatch: pytest.MonkeyPatch, name: str, calls: list[str]) -> None:
    call: Callable[..., Any] = getattr(os, name)

    def slow(*given: Any, **more: Any) -> Any:
        calls.append(name)
        time.sleep(DELAY_S)
        return call(*given, **more)

    monkeypatch.setattr(os, name, slow)


def test_a_home_on_a_slow_disk_holds_nobody_up_and_loses_nothing(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    calls: list[str] = []
    for name in ("fsync", "replace"):
        slowly(monkeypatch, name, calls)
    window.commands.add_line()
    window.presets.keep_settings_as("fast")
    window.window_actions.apply_bindings({"duplicate": KeyBinding(("Ctrl+J",))})
    window.dialogs.keys.schedule_save()
    for number in range(60):
        QTest.keyClicks(window.script.editor, "x")
        window.sliders["speed"].set_value(1.0 + number / 500)
        qtbot.wait(20)
    assert calls.count("fsync") <= 12, "one write at a time: versions that nobody needs any more are left out"
    typed, speed = text_of(window), window.sliders["speed"].value
    shown: list[bool] = []
    flush = window.settings.file.begin_flush
    monkeypatch.setattr(
        window.settings.file, "begin_flush", lambda: (lambda wait: lambda: (shown.append(window.isVisible()), wait())[1])(flush())
    )
    window.close()
    assert shown == [False], "the disk is waited for unseen"
    script = load_autosave().script
    assert script is not None
    assert "\n".join(line.text for line in script.lines) == typed
    assert load_settings()[0].speed == speed
    assert "fast" in load_presets()[0]
    assert load_shortcuts()[0] == {"duplicate": KeyBinding(("Ctrl+J",))}
