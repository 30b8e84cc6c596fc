"""How long the window's thread is busy at a stretch: while voices load, warm up, come in and speak, and while long scripts are edited.

`python -m pytest tests/benchmarks/heartbeat/stories.py --record` on a quiet machine; each figure is printed beside the one last recorded on
such a processor, and appended to trend.tsv. Nothing fails for a figure: a host decides too much of it.
"""

import importlib
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QListView, QTabWidget
from pytestqt.qtbot import QtBot

from app.adapters.user_dictionary import change_dictionary
from app.core.script.project import Project
from app.core.script.script import Line, LineSettings, Script
from app.core.text.dictionary_entries import make_entry
from app.interchange.koebako_files import write_project
from app.settings.user_settings import Settings
from app.ui.tasks.process_task import TaskState
from app.ui.voices.voice_dialogs import MissingBertDialog
from app.ui.widgets.text_dialog import TextDialog
from tests.benchmarks.heartbeat.heart import Heart
from tests.benchmarks.heartbeat.trend import Trend
from tests.install.voice_files import TERMS, aivmx
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, wait_idle
from tests.ui.long_script_deeds import close_dialogs, fill_hundred_lines, list_long_script_deeds, list_ordinary_deeds
from tests.ui.projects.project_deeds import opened
from tests.ui.voices.test_voice_controller import dialog_of, drop_on, until
from tests.ui.window_driver import WindowDriver

TEXT = "今日はとてもいい天気です。駅前の公園まで歩きました。"
Beating = Callable[..., Any]


@pytest.fixture
def beating(trend: Trend, capsys: pytest.CaptureFixture[str]) -> Beating:
    """Watches what is done within, and notes it in the trend."""

    @contextmanager
    def beating(name: str) -> Iterator[None]:
        with Heart() as heart:
            yield
        with capsys.disabled():
            print(f"\n{trend.add(name, heart.beats)}", end="")

    return beating


def test_load_warm_up_and_speech(qtbot: QtBot, open_window: OpenWindow, beating: Beating) -> None:
    player = RecordingPlayer(pace=30.0)
    for library in ("onnxruntime", "pyopenjtalk", "sounddevice"):  # Python keeps its lock while it opens one, once a process
        importlib.import_module(library)
    with beating("pyqtgraph, once a process"):
        importlib.import_module("app.ui.latency.latency_chart")
        qtbot.wait(100)  # a stop is seen by the beats around it
    window = open_window(Settings(text=TEXT * 4), lambda _device, _rate: player, ready=False)
    QApplication.processEvents()  # the first picture of the window is not what is measured here
    with beating("load and warm up"):
        wait_idle(qtbot, window)
        qtbot.wait(500)  # what follows by itself: the chart; and of fewer than a hundred beats p99 would be the longest
    with beating("speak"):
        for style in range(3):
            window.styles.setCurrentIndex(style)
            speak(qtbot, window)


def test_import_and_the_first_words_of_the_voice(
    qtbot: QtBot, open_window: OpenWindow, tiny_models: Path, tmp_path: Path, beating: Beating
) -> None:
    """The real preparation in a real child process; then its graphs are opened beside the window."""
    player = RecordingPlayer(pace=30.0)
    window = open_window(Settings(text=TEXT), lambda _device, _rate: player)
    source = aivmx(tiny_models, tmp_path / "花子.aivmx", name="花子", license=TERMS)
    with beating("import"):
        voice = bring_in(qtbot, window, source)
        qtbot.wait(3000)  # what follows an import by itself: settings and script are kept, precisions checked
    with beating("open the imported voice and speak"):
        dialog = dialog_of(qtbot, window, MissingBertDialog)
        assert isinstance(dialog, MissingBertDialog)
        dialog.force.click()
        until(qtbot, lambda: voice in window.controller.voices)
        speak(qtbot, window)


def bring_in(qtbot: QtBot, window: WindowDriver, source: Path) -> str:
    """Drops a voice on the window and accepts its licence; its id."""
    drop_on(window, source)
    (job,) = window.task_queue.jobs
    until(qtbot, lambda: job.stage is TaskState.ASKING)
    licence = dialog_of(qtbot, window, TextDialog)
    assert isinstance(licence, TextDialog)
    licence.accept_button.click()
    until(qtbot, lambda: job.stage is TaskState.DONE)
    return window.lines[0].settings.voice


def test_a_hundred_lines_played_through(qtbot: QtBot, open_window: OpenWindow, beating: Beating) -> None:
    player = RecordingPlayer(pace=20.0)
    window = fill_hundred_lines(open_window(open_player=lambda _device, _rate: player))
    with beating("a hundred lines"):
        window.play_commands.play_through()
        qtbot.waitUntil(lambda: len(player.requests) == 100, timeout=6 * WAIT_MS)
        wait_idle(qtbot, window)


def test_everything_that_is_done_to_ten_thousand_lines(qtbot: QtBot, open_window: OpenWindow, beating: Beating) -> None:
    window = open_window(Settings(text="", theme="light"))
    deeds = list_long_script_deeds(window, 10_000)
    for name, deed in deeds:
        with beating(f"10,000 lines: {name}"):
            qtbot.wait(20)
            deed()
            qtbot.wait(50)
            qtbot.waitUntil(lambda: not window.script.gradual.is_running, timeout=WAIT_MS)
            qtbot.wait(50)


def test_ordinary_actions_one_after_the_other(
    qtbot: QtBot, open_window: OpenWindow, beating: Beating, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_arguments: ([], ""))  # Qt's own dialog apart
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_arguments: ("", ""))
    player = RecordingPlayer(pace=10.0)
    window = fill_hundred_lines(open_window(Settings(text="", theme="light"), lambda _device, _rate: player))
    wait_idle(qtbot, window)
    QGuiApplication.clipboard().setText("貼り付けた行です。")
    for name, deed in list_ordinary_deeds(window):
        with beating(f"ordinary: {name}"):
            qtbot.wait(20)
            deed()
            qtbot.wait(400)
        close_dialogs(window)
    window.settings.change_settings(loop=False, live=False)
    window.window_actions["stop"].trigger()
    wait_idle(qtbot, window)


def test_a_melody_that_is_dragged_and_drawn(qtbot: QtBot, open_window: OpenWindow, beating: Beating) -> None:
    """A line of more than sixty morae, on a wide screen: each movement of the mouse shapes and paints it again."""
    window = open_window(Settings(text=TEXT * 3, strip="open", melody="open", theme="light"))
    window.resize(3000, 1000)
    speak(qtbot, window)
    lane = window.melody_lane
    qtbot.waitUntil(lambda: lane.shape is not None and lane.shape.melody.is_measured, timeout=WAIT_MS)
    assert lane.shape is not None
    assert len(lane.shape.cells) >= 60
    for name, is_pen in (("a phrase is dragged", False), ("the pen draws", True)):
        window.window_actions["melody_pen"].setChecked(is_pen)
        cells, mora = lane.shape.cells, next(at for at, own in enumerate(lane.shape.melody.own) if own is not None)
        start = QPointF(cells[mora].middle, lane.shape.find_handle_y(mora))
        with beating(name):
            for step in range(150):
                x = cells[step * len(cells) // 150].middle if is_pen else start.x()
                place = QPointF(x, start.y() + 20 * math.sin(step / 10))
                kind = QEvent.Type.MouseButtonPress if step == 0 else QEvent.Type.MouseMove
                shift, left = Qt.KeyboardModifier.ShiftModifier, Qt.MouseButton.LeftButton
                QApplication.sendEvent(lane, QMouseEvent(kind, place, lane.mapToGlobal(place), left, left, shift))
                qtbot.wait(4)
            QTest.mouseRelease(lane, Qt.MouseButton.LeftButton)
            qtbot.wait(300)  # what follows the one edit: the list, the files, the duration
    assert any(lane.shape.melody.offsets)


def test_rooms_that_are_opened_when_they_are_wanted(qtbot: QtBot, open_window: OpenWindow, beating: Beating) -> None:
    window = fill_hundred_lines(open_window(Settings(text="", theme="light")))
    with beating("the service is switched on"):
        window.settings.change_settings(service=True, service_port=1024 + os.getpid() % 60000)
        qtbot.waitUntil(lambda: bool(window.service.url), timeout=WAIT_MS)
        qtbot.wait(100)
    with beating("the lab opens"):
        window.window_actions["lab"].trigger()
        qtbot.waitUntil(lambda: bool(window.lab.window and window.lab.window.pages), timeout=WAIT_MS)
        qtbot.wait(200)
    window.script.selectAll()
    with beating("a board of a hundred lines opens"):
        window.window_actions["audition"].trigger()
        qtbot.wait(1000)


CLIENTS = """
import json, sys, threading
from urllib.parse import quote
from urllib.request import Request, urlopen

url, each = sys.argv[1], int(sys.argv[2])
answered = [0] * 8

def ask(target, body=b""):
    with urlopen(Request(url + target, body), timeout=120) as answer:
        return answer.read()

def client(number):
    for index in range(each // 2):
        text = f"{number}人目の{index}番目のリクエストです。"
        if index % 2:
            query = ask(f"/audio_query?speaker={style}&text={quote(text)}")
            answered[number] += "accent_phrases" in json.loads(query)
            answered[number] += ask(f"/synthesis?speaker={style}", query)[:4] == b"RIFF"
        else:
            body = json.dumps({"text": text}).encode()
            answered[number] += ask("/v1/speak", body)[:4] == b"RIFF"
            answered[number] += json.loads(ask("/v1/timings", body))["samples"] > 0

style = json.loads(urlopen(url + "/speakers").read())[0]["styles"][0]["id"]
threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(answered))
"""


def test_a_thousand_lines_are_typed_in_and_scrolled_while_they_are_played(qtbot: QtBot, open_window: OpenWindow, beating: Beating) -> None:
    player = RecordingPlayer(pace=3.0)
    window = open_window(open_player=lambda _device, _rate: player)
    window.commands.add_text("\n".join(f"{number} 行目。今日はとてもいい天気です。" * (1 + number % 3) for number in range(1000)), 0)
    window.script.select_lines([window.lines[500].id])
    QApplication.processEvents()
    with beating("1,000 lines"):
        window.play_commands.play_through()
        qtbot.waitUntil(lambda: len(player.requests) >= 4, timeout=WAIT_MS)
        window.script.edit_line(501)
        for letter in "abcdefghij" * 4:
            qtbot.keyClicks(window.script.editor, letter)
            qtbot.wait(15)
        window.script.end_editing()
        for row in range(0, 1000, 50):
            window.script.scrollTo(window.model.index(row))
            qtbot.wait(15)
    window.play_commands.stop_playing()
    wait_idle(qtbot, window)


def test_other_programs_that_ask_all_the_time(qtbot: QtBot, open_window: OpenWindow, beating: Beating, at_length: bool) -> None:
    """Eight clients of the service in a program of their own, which the window's synthesis thread computes for; none is lost."""
    each = 100 if at_length else 12
    window = open_window(Settings(text=TEXT, service=True, service_port=1024 + os.getpid() % 60000))
    qtbot.waitUntil(lambda: bool(window.service.url), timeout=WAIT_MS)
    with beating("no client"):
        qtbot.wait(2000)
    command = [sys.executable, "-c", CLIENTS, window.service.url, str(each)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as clients, beating(f"eight clients, {each} requests each"):
        qtbot.waitUntil(lambda: clients.poll() is not None, timeout=2 * each * WAIT_MS)
        assert clients.stdout is not None
        answered = json.loads(clients.stdout.read())
    assert answered == [each] * 8


def test_another_look_and_every_page_of_the_dialogs(qtbot: QtBot, open_window: OpenWindow, beating: Beating) -> None:
    window = fill_hundred_lines(open_window(Settings(text="", theme="light")))
    with beating("theme"):
        for theme in ("dark", "light") * 2:
            window.settings.change_settings(theme=theme)
            qtbot.wait(200)
    for name in ("settings", "about", "diagnose", "show_log", "find_command"):
        with beating(name):
            window.window_actions[name].trigger()
            qtbot.wait(200)
            dialog = window.dialogs.shown
            assert dialog is not None
            tabs = dialog.findChild(QTabWidget)
            for page in range(tabs.count() if tabs is not None else 0):
                tabs.setCurrentIndex(page)
                qtbot.wait(200)
            dialog.reject()
            qtbot.wait(100)


def test_the_dictionary_with_many_words(qtbot: QtBot, open_window: OpenWindow, beating: Beating) -> None:
    words = tuple(make_entry("声" * (1 + number % 9) + f"箱{number}", "コエバコ", number % 5) for number in range(3000))
    change_dictionary(lambda _: words)
    window = fill_hundred_lines(open_window(Settings(text="", theme="light")))
    with beating("dictionary"):
        window.window_actions["dictionary"].trigger()
        dialog = window.dictionary.dialog
        assert dialog is not None
        qtbot.waitUntil(lambda: len(dialog.table.words.words) == 3000, timeout=WAIT_MS)
        qtbot.wait(200)
        dialog.search.setText("声箱1")
        qtbot.wait(200)
        dialog.reject()
        qtbot.wait(100)


def test_a_project_of_thirty_thousand_lines_is_opened(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, beating: Beating) -> None:
    window = open_window()
    text = "今日はとてもいい天気です。駅前の公園まで歩きました。"
    script = Script(tuple(Line(f"{row} {text * (row % 3)}", LineSettings(speed=1.2), id=f"l{row}") for row in range(30_000)))
    file = tmp_path / "a.koebako"
    write_project(file, Project(script=script, current="l20000"))
    with beating("a project of 30,000 lines"):
        opened(qtbot, window, file)
        qtbot.waitUntil(lambda: window.script.layoutMode() is QListView.LayoutMode.SinglePass, timeout=WAIT_MS)
    assert window.script.currentIndex().row() == 20_000
    assert window.script.visualRect(window.script.currentIndex()).intersects(window.script.viewport().rect())
    assert window.script.visualRect(window.model.index(29_999)).height() > 0
    assert not window.project.is_changed
