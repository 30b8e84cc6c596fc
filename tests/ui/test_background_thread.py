"""What is done background the window: in order, its errors told, and nothing of it lost when the window closes."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, QThread
from pytestqt.qtbot import QtBot

from app.common.errors import AppError, InternalError, OutputFileError
from app.common.files import whole_files
from app.core.script.project import LinePreset
from app.install.voice_licence import VoiceLicence, is_accepted
from app.ui.actions.window_actions import KeyBinding, load_shortcuts, locate_shortcuts_file
from app.ui.background_thread import BackgroundThread
from app.ui.parameters.preset_bar import load_presets, locate_presets_file
from app.ui.settings.settings_dialog import SettingsDialog
from app.ui.widgets.text_dialog import TextDialog
from tests.ui.conftest import WAIT_MS, OpenWindow

REPOSITORY = Path(__file__).parents[2]
KEPT_WITHIN_S = 30.0
KEEP_AND_WAIT = """
import sys
from PySide6.QtCore import QTimer
from app.ui.actions.window_actions import KeyBinding
from tests.ui.window_driver import install_driver
WindowDriver = install_driver()
start = WindowDriver.show_and_start
def begin(window):
    start(window)
    window.presets.keep_settings_as("fast")
    window.window_actions.apply_bindings({"duplicate": KeyBinding(("Ctrl+Alt+J",))})
    window.dialogs.keys.schedule_save()
    print("done", flush=True)
WindowDriver.show_and_start = begin
from app.ui.main import main
sys.exit(main())
"""


@pytest.fixture
def _full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_what: object, **_how: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole_files, "write_file_atomically", full)


def keep_something(window: Any) -> None:
    """A preset, a key and a licence."""
    window.presets.keep_settings_as("fast")
    window.dialogs.open_settings()
    dialog = window.dialogs.shown
    assert isinstance(dialog, SettingsDialog)
    dialog.shortcut_page.fields_by_action["duplicate"][0].setKeySequence("Ctrl+Alt+J")
    dialog.ok.click()
    window.licences.ask_for_consent("v", "Voice", "Terms.", lambda: None, lambda: None)
    (licence,) = (item for item in window.findChildren(TextDialog) if item.isVisible())
    licence.accept_button.click()


def test_results_and_errors_come_back_in_order_to_the_windows_thread(qtbot: QtBot) -> None:
    owner = QObject()
    background = BackgroundThread(owner, "test")
    told: list[object] = []
    background.failed.connect(lambda error: told.append(("failed", error.message)))
    refused = AppError("refused", "")

    def fail(error: Exception) -> None:
        raise error

    def note(what: object) -> None:
        assert QThread.currentThread() is owner.thread()
        told.append(what)

    background.run_work(lambda: threading.current_thread().name.split("_")[0], note)
    background.run_work(lambda: fail(refused))
    background.run_work(lambda: fail(refused), note, lambda error: note(("otherwise", error.message)))
    background.run_work(lambda: fail(ZeroDivisionError()), note, lambda error: note(type(error)))
    background.run_work(lambda: 5, note)
    qtbot.waitUntil(lambda: len(told) == 5, timeout=WAIT_MS)
    assert told == ["test", ("failed", "refused"), ("otherwise", "refused"), InternalError, 5]
    background.close()


def test_who_must_have_it_now_waits_and_hears_of_it_first(qtbot: QtBot) -> None:
    owner, told = QObject(), list[object]()
    background = BackgroundThread(owner, "test")
    background.failed.connect(lambda error: told.append(error.message))
    for number in range(3):
        background.run_work(lambda number=number: number, told.append)
    background.run_work(lambda: (_ for _ in ()).throw(AppError("refused", "")))
    background.wait_until_idle()
    assert told == [0, 1, 2, "refused"]
    background.close()


@pytest.mark.parametrize("finish", [True, False])
def test_closing_finishes_what_is_to_be_kept(finish: bool, caplog: pytest.LogCaptureFixture) -> None:
    background, done, released = BackgroundThread(QObject(), "test"), [0], threading.Event()
    background.run_work(released.wait)
    for number in range(1, 4):
        background.run_work(lambda number=number: done.append(number), lambda _nothing: done.append(99))
    background.run_work(lambda: (_ for _ in ()).throw(OutputFileError("full", "make room")))
    threading.Timer(0.1, released.set).start()
    background.close(finish=finish)
    assert done == ([0, 1, 2, 3] if finish else [0])
    assert ("not done before the window closed" in caplog.text) is finish
    errors = [record.exc_info[1] for record in caplog.records if record.exc_info]
    assert any(isinstance(error, OutputFileError) for error in errors) is finish


@pytest.mark.usefixtures("_slow_disk")
def test_a_slow_disk_holds_nobody_up_and_loses_nothing(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    keep_something(window)
    assert not locate_shortcuts_file().exists(), "the disk was waited for"
    window.close()
    assert load_presets() == ({"fast": LinePreset()}, None)
    assert load_shortcuts() == ({"duplicate": KeyBinding(("Ctrl+Alt+J",))}, None)
    assert is_accepted(VoiceLicence("v", "Voice", "Terms."))


@pytest.mark.usefixtures("_full_disk")
def test_what_cannot_be_written_is_told_and_stays_in_use(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    answers: list[str] = []
    window.presets.keep_settings_as("fast")
    qtbot.waitUntil(lambda: "presets could not be saved" in window.notice.message.text(), timeout=WAIT_MS)
    assert window.presets.names.findText("fast") > 0
    window.window_actions.apply_bindings({"duplicate": KeyBinding(("Ctrl+Alt+J",))})
    window.dialogs.keys.schedule_save()
    qtbot.waitUntil(lambda: "shortcuts could not be saved" in window.notice.message.text(), timeout=WAIT_MS)
    assert window.window_actions["duplicate"].shortcut().toString() == "Ctrl+Alt+J"
    window.licences.ask_for_consent("v", "Voice", "Terms.", lambda: answers.append("yes"), lambda: answers.append("no"))
    (licence,) = (item for item in window.findChildren(TextDialog) if item.isVisible())
    licence.accept_button.click()
    qtbot.waitUntil(lambda: answers == ["no"], timeout=WAIT_MS)
    assert "accepted licence could not be recorded" in window.voice_banner.message.text()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kill -9")
def test_presets_and_keys_outlive_a_killed_window(tmp_path: Path) -> None:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "KOEBAKO_HOME": str(tmp_path), "KOEBAKO_LANG": "en"}
    process = subprocess.Popen(
        [sys.executable, "-c", KEEP_AND_WAIT], cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"done\n"
    kept = {tmp_path / locate_presets_file().name: b'"fast"', tmp_path / locate_shortcuts_file().name: b"Ctrl+Alt+J"}
    ends = time.monotonic() + KEPT_WITHIN_S
    while time.monotonic() < ends and not all(file.is_file() and words in file.read_bytes() for file, words in kept.items()):
        time.sleep(0.05)
    process.kill()
    process.communicate(timeout=30)
    for file, words in kept.items():
        assert words in file.read_bytes()
    assert not list(tmp_path.glob("*.part"))
