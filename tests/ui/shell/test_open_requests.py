"""Files given at the start, and what a second start does while a window is open."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.adapters.files.file_lock import FileLock
from app.adapters.window_requests import find_requests_dir
from app.common.files.paths import find_data_dir
from app.start import choose_module
from app.ui.shell import single_instance
from app.ui.shell.request_watcher import RequestWatcher
from app.ui.shell.single_instance import acquire_window_lock, take_requests
from tests.ui.conftest import OpenWindow

MAIN = Path(__file__).parents[3] / "main.py"


@pytest.mark.parametrize(
    ("arguments", "shell"),
    [
        ([], "app.ui.main"),
        (["voice.aivmx"], "app.ui.main"),
        (["声.AIVM", "台本.txt"], "app.ui.main"),
        (["/home/user/a folder"], "app.ui.main"),
        (["./folder/voice"], "app.ui.main"),
        (["speak", "a.txt"], "app.cli.main"),
        (["speek"], "app.cli.main"),
        (["--help"], "app.cli.main"),
        (["voice.aivmx", "--json"], "app.cli.main"),
        (["--selftest", "--report", "a.json"], "app.ui.selftest"),
    ],
)
def test_arguments_choose_the_shell(arguments: list[str], shell: str) -> None:
    assert choose_module(arguments) == shell


def test_text_becomes_lines_and_voices_are_told(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window()
    (tmp_path / "台本.txt").write_text("雨。\n雪。\n", encoding="utf-8")
    told: list[list[Path]] = []
    window.incoming.others_found.connect(told.append)
    with qtbot.waitSignal(window.importing.finished):
        window.incoming.open_files([tmp_path / "台本.txt", tmp_path / "声.aivmx"])
    assert told == [[tmp_path / "声.aivmx"]]
    assert [line.text for line in window.lines][-2:] == ["雨。", "雪。"]


def test_a_later_start_gives_its_files_to_the_open_window(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    lock = acquire_window_lock([])
    assert lock is not None
    window = open_window()
    opening = RequestWatcher(window, window.show_in_front, window.incoming.open_files, window.read_request_aloud)
    (tmp_path / "a.txt").write_text("風。\n", encoding="utf-8")
    answers: list[FileLock | None] = []
    later = threading.Thread(target=lambda: answers.append(acquire_window_lock([tmp_path / "a.txt"])))
    later.start()
    qtbot.waitUntil(lambda: not later.is_alive(), timeout=8000)
    assert answers == [None]
    qtbot.waitUntil(lambda: [line.text for line in window.lines[-1:]] == ["風。"], timeout=8000)
    assert list(find_requests_dir().iterdir()) == []
    lock.release()
    assert opening.parent() is window


def test_beside_a_window_that_stands_still_another_one_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_instance, "INSTANCE_TIMEOUT_S", 0.1)
    lock = acquire_window_lock([])
    assert lock is not None
    assert acquire_window_lock([Path("a.aivmx")]) is not None
    assert take_requests() == []
    lock.release()


def test_a_window_that_closes_meanwhile_leaves_its_place() -> None:
    lock = acquire_window_lock([])
    assert lock is not None
    threading.Timer(0.2, lock.release).start()
    after = acquire_window_lock([Path("a.aivmx")])
    assert after is not None
    assert take_requests() == []
    assert not FileLock(find_data_dir() / "window.lock").acquire()
    after.release()


def test_a_folder_that_cannot_be_written_stops_no_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path / "file" / "home"))
    assert acquire_window_lock([]) is not None


def test_a_damaged_request_is_passed_over() -> None:
    find_requests_dir().mkdir(parents=True)
    (find_requests_dir() / "a.json").write_bytes(b"\xff")
    (find_requests_dir() / "b.json").write_text('["x.aivmx"]', encoding="utf-8")
    assert take_requests() == [[Path("x.aivmx")]]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="closes the window by a signal")
def test_two_starts_are_one_window(tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "KOEBAKO_HOME": str(home)}
    (tmp_path / "台本.txt").write_text("二つ目の起動から。\n", encoding="utf-8")
    first = subprocess.Popen([sys.executable, MAIN], env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not (home / "requests").is_dir() and time.monotonic() < deadline:
        time.sleep(0.05)
    second = subprocess.run([sys.executable, MAIN, tmp_path / "台本.txt"], env=environment, stderr=subprocess.DEVNULL, timeout=60)
    kept = home / "autosave.json"  # the window reads files in the background
    while not (kept.is_file() and "二つ目の起動から。" in kept.read_text(encoding="utf-8")) and time.monotonic() < deadline + 30:
        time.sleep(0.05)
    first.send_signal(signal.SIGTERM)
    assert (second.returncode, first.wait(30)) == (0, 0)
    assert json.loads((home / "autosave.json").read_text(encoding="utf-8"))["lines"][-1]["text"] == "二つ目の起動から。"


def test_a_line_of_a_million_characters_becomes_lines_that_can_be_shown(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window()
    (tmp_path / "一行.txt").write_text("今日はとてもいい天気です。" * 77_000, encoding="utf-8")
    before = len(window.lines)
    with qtbot.waitSignal(window.importing.finished):
        window.incoming.open_files([tmp_path / "一行.txt"])
    lines = window.lines[before:]
    assert sum(len(line.text) for line in lines) == 1_001_000
    assert max(len(line.text) for line in lines) <= 2_000
    assert all(line.text.endswith("。") for line in lines)
    assert "were split" in window.banner.hint.text()
    assert window.script.selected_ids == [line.id for line in lines], "a few hundred can be changed at once"
    window.undo_stack.undo()
    assert len(window.lines) == before, "one step back"


def test_of_very_many_lines_the_first_is_selected(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window()
    (tmp_path / "台本.txt").write_text("雨。\n" * 1_001, encoding="utf-8")
    before = len(window.lines)
    with qtbot.waitSignal(window.importing.finished):
        window.incoming.open_files([tmp_path / "台本.txt"])
    assert window.script.selected_ids == [window.lines[before].id]
    window.script.select_lines([line.id for line in window.lines if line.text == "雨。"][5:900:2])
    assert len(window.script.selected_ids) == 448


def test_a_pipe_with_the_name_of_a_text_does_not_hold_up_the_window(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("pipes of Unix have names in folders")
    window = open_window()
    os.mkfifo(tmp_path / "台本.txt")
    with qtbot.waitSignal(window.importing.finished):
        window.incoming.open_files([tmp_path / "台本.txt"])
    assert "cannot be opened" in window.banner.message.text()
