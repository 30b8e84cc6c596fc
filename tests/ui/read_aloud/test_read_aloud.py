"""Reading aloud in the window: the player, its pauses, rules and requests of other processes."""

import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.adapters.window_requests import (
    MAX_READ_BYTES,
    ReadRequest,
    find_requests_dir,
    parse_read_request,
    send_read_request,
)
from app.cli.commands.read import run as read_command
from app.cli.main import main
from app.common.errors import AppError, InputError
from app.settings.user_settings import Settings
from app.ui.read_aloud import clipboard_reader
from app.ui.read_aloud.clipboard_reader import find_own_text
from app.ui.shell.request_watcher import RequestWatcher
from app.ui.shell.single_instance import acquire_window_lock
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle, write
from tests.ui.read_aloud.reading_deeds import LONG, copy_text, wait_read

MAIN = Path(__file__).parents[3] / "main.py"


def test_a_text_is_read_beside_the_script(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    assert not window.is_made("read_aloud"), "the start has nothing of it"
    before = len(window.lines)
    copy_text("一つ目の行。\n\n……\n二つ目の行。")
    shown: list[str] = []
    window.read_aloud.player.changed.connect(lambda: shown.append(window.read_aloud.player.passage))
    window.window_actions["read_clipboard"].trigger()
    qtbot.waitUntil(lambda: len(player.requests) == 2, timeout=WAIT_MS)
    wait_read(qtbot, window)
    assert len(window.lines) == before, "no line of the script"
    assert [text for text in dict.fromkeys(shown) if text] in (["一つ目の行。", "二つ目の行。"], ["二つ目の行。"])
    assert list(window.read_aloud.player.last_texts) == ["一つ目の行。\n\n……\n二つ目の行。"]
    assert all(player.sound(name).size for name in player.requests), "both are heard"
    assert not window.history.utterances, "no copied text stands in the table of measurements"


def test_the_word_that_sounds_is_marked(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(open_player=lambda _device, _rate: RecordingPlayer(pace=0.5))
    reading = window.read_aloud
    text = "😀今日はとてもいい天気です。"
    words: list[tuple[int, int]] = []
    reading.player.word_changed.connect(lambda start, end: words.append((start, end)))
    marked: list[str] = []
    shown = reading.mini_player.text
    reading.player.word_changed.connect(lambda _start, _end: marked.extend(item.cursor.selectedText() for item in shown.extraSelections()))
    reading.player.speak_text(text)
    wait_read(qtbot, window)
    spans = [span for span in words if span != (0, 0)]
    assert spans == sorted(set(spans)), "each once, in order"
    spoken = [text[start:end] for start, end in spans]
    # Where the machine is busy, the first words may have sounded before it is known where they stand.
    assert {"天気", "です"} <= set(spoken)
    assert [word for word in marked if word] == spoken, "Qt counts an emoji as two"


def test_pausing_keeps_the_place(qtbot: QtBot, open_window: OpenWindow) -> None:
    sound = RecordingPlayer(pace=1.0)
    window = open_window(open_player=lambda _device, _rate: sound)
    reading, computed = window.read_aloud, []
    window.controller.speech_computed.connect(computed.append)
    reading.player.speak_text("今日はとてもいい天気です。散歩に出かけましょう。公園の桜が、もうすぐ咲きそうです。")
    qtbot.waitUntil(lambda: bool(computed) and window.speech_state.played_s > 0.5, timeout=WAIT_MS)
    reading.mini_player.play.click()
    assert reading.player.is_paused
    assert reading.player.passage.startswith("今日は")
    wait_idle(qtbot, window)
    whole = sum(len(chunk.samples) for chunk in sound.requests[next(iter(sound.requests))])
    window.settings.change_settings(read_speed=2.0)
    with qtbot.waitSignal(window.controller.speech_computed, timeout=WAIT_MS) as resumed:
        reading.player.pause_or_resume()
    assert resumed.args[0].request.speed == 1.0, "the rest of the passage is where it was at the former speed"
    wait_read(qtbot, window)
    rest = sum(len(chunk.samples) for chunk in list(sound.requests.values())[-1])
    assert len(sound.requests) == 2
    assert 0 < rest < whole, "not from the beginning"
    with qtbot.waitSignal(window.controller.speech_computed, timeout=WAIT_MS) as following:
        reading.player.speak_text("次の文。")
    assert following.args[0].request.speed == 2.0
    wait_read(qtbot, window)


def test_the_window_and_the_reading_give_way_to_each_other(qtbot: QtBot, open_window: OpenWindow) -> None:
    sound = RecordingPlayer(pace=1.0)
    window = open_window(open_player=lambda _device, _rate: sound)
    write(window, LONG)
    window.play_commands.play_or_stop()
    qtbot.waitUntil(lambda: window.playback.is_on and window.speech_state.played_s > 0, timeout=WAIT_MS)
    window.read_aloud.player.queue_text("コピーしたテキスト。")
    qtbot.wait(200)
    assert window.playback.is_on, "what was copied waits for the lines"
    window.read_aloud.player.speak_text(LONG)
    assert not window.playback.is_on, "what the user asks for does not wait"
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0, timeout=WAIT_MS)
    window.play_commands.play_or_stop_line(window.script.current_id)
    qtbot.waitUntil(lambda: window.playback.is_on, timeout=WAIT_MS)
    assert window.read_aloud.player.is_paused, "playing a line pauses the reading"
    window.read_aloud.player.pause_or_resume()
    assert not window.playback.is_on
    window.read_aloud.player.stop_reading()
    wait_idle(qtbot, window)
    assert not window.read_aloud.player.is_on


def test_what_is_copied_after_a_stop_is_read(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(open_player=lambda _device, _rate: RecordingPlayer(pace=1.0))
    reading, pause = window.read_aloud.player, window.window_actions["pause_reading"]
    assert not pause.isEnabled()
    reading.queue_text(LONG)
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0, timeout=WAIT_MS)
    window.window_actions["stop"].trigger()
    assert reading.is_paused
    reading.queue_text("コピーした文。")
    qtbot.waitUntil(lambda: reading.passage == "コピーした文。", timeout=WAIT_MS)
    assert pause.isEnabled()
    pause.trigger()
    reading.queue_text("次の文。")
    wait_idle(qtbot, window)
    assert reading.is_paused, "the user wants it so"
    assert reading.passage == "コピーした文。"
    pause.trigger()
    qtbot.waitUntil(lambda: reading.passage == "次の文。", timeout=WAIT_MS)
    wait_read(qtbot, window)
    assert not pause.isEnabled()


def test_secret_and_empty_clipboards_are_refused(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    for marked in (
        "x-kde-passwordManagerHint",
        'application/x-qt-windows-mime;value="ExcludeClipboardContentFromMonitorProcessing"',
        'application/x-qt-windows-mime;value="Clipboard Viewer Ignore"',
    ):
        copy_text("hunter2", marked)
        window.window_actions["read_clipboard"].trigger()
        assert "secret" in window.banner.message.text()
        with pytest.raises(InputError):
            window.read_request_aloud(ReadRequest("clipboard"))
    copied_file = QMimeData()
    copied_file.setUrls([QUrl.fromLocalFile("/tmp/a.wav")])
    for show in (lambda: copy_text(" "), lambda: QGuiApplication.clipboard().setMimeData(copied_file)):
        window.banner.message.setText("")
        show()
        window.window_actions["read_clipboard"].trigger()
        assert "no text" in window.banner.message.text()
    copy_text("あ" * MAX_READ_BYTES)
    window.window_actions["read_clipboard"].trigger()
    assert "too long" in window.banner.message.text()
    assert not window.read_aloud.player.is_on


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (None, ""),
        ("file:///tmp/%E5%A3%B0%201.wav\nfile:///tmp/b.wav", ""),
        ("/tmp/声 1.wav\n/tmp/b.wav\n", ""),
        ("二つのファイルです。", "二つのファイルです。"),
    ],
)
def test_copied_files_are_no_text(text: str | None, read: str) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(f"/tmp/{name}") for name in ("声 1.wav", "b.wav")])
    if text is not None:
        data.setText(text)
    assert data.hasText()
    assert find_own_text(data) == read


def test_a_copied_address_is_text() -> None:
    data = QMimeData()
    data.setUrls([QUrl("https://example.com/")])
    data.setText("https://example.com/")
    assert find_own_text(data) == "https://example.com/"


def test_the_watched_clipboard_follows_its_rules(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window(Settings(text="", read_watch=True, read_shortest=3, read_longest=20, read_skipped_programs="KeePassXC.exe, calc"))
    monkeypatch.setattr(type(QGuiApplication.clipboard()), "ownsClipboard", lambda _self: False)
    qtbot.waitUntil(lambda: window.is_made("read_aloud"), timeout=WAIT_MS)
    program = ""
    window.read_aloud.watcher.find_program = lambda: program
    texts = window.read_aloud.player.last_texts
    for text in ("はい", "https://example.com/ www.example.org", "長い" * 20, "…………"):
        copy_text(text)
    copy_text("読まれる文。")
    copy_text("読まれる文。")
    program = "keepassxc"
    copy_text("合言葉です。")
    assert list(texts) == ["読まれる文。"]
    program = "firefox"
    copy_text("秘密の文。", "x-kde-passwordManagerHint")
    window.settings.change_settings(read_watch=False)
    copy_text("もう読まれない文。")
    assert list(texts) == ["読まれる文。"]
    wait_read(qtbot, window)


def test_a_program_whose_name_the_system_refuses_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_process_id: int) -> None:
        raise OSError(22, "Invalid parameter")  # as Windows' own errors come through psutil

    monkeypatch.setattr(clipboard_reader, "psutil", SimpleNamespace(Process=refuse, Error=psutil.Error))
    assert clipboard_reader.find_process_name(1) == ""


def test_another_process_asks_and_is_answered(qtbot: QtBot, open_window: OpenWindow) -> None:
    lock = acquire_window_lock([])
    assert lock is not None
    window = open_window()
    assert RequestWatcher(window, window.show_in_front, window.open_files, window.read_request_aloud).parent() is window
    copy_text("hunter2", "x-kde-passwordManagerHint")
    asked: list[object] = []

    def ask() -> None:
        for request in (ReadRequest("text", "これを読む。"), ReadRequest("clipboard")):
            try:
                asked.append(send_read_request(request))
            except AppError as error:
                asked.append(error.message)

    thread = threading.Thread(target=ask)
    thread.start()
    qtbot.waitUntil(lambda: not thread.is_alive(), timeout=WAIT_MS)
    assert asked == [True, "The content is marked as secret and is not read."]
    assert list(find_requests_dir().iterdir()) == []
    wait_read(qtbot, window)
    assert list(window.read_aloud.player.last_texts) == ["これを読む。"]
    lock.release()
    assert not send_read_request(ReadRequest("clipboard")), "no window, nobody to ask"


def test_another_process_pauses_skips_and_stops(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = RecordingPlayer(pace=1.0)
    window = open_window(open_player=lambda _device, _rate: sound)
    player = window.read_aloud.player

    def send(option: str) -> int:
        return main(["read", option])

    # The window answers at once, in this thread.
    monkeypatch.setattr(read_command, "send_read_request", lambda request: window.read_request_aloud(request) or True)
    assert (send("--pause"), send("--skip"), send("--stop")) == (2, 2, 0), "nothing is being read"
    player.speak_text("一つ目の、とても長い文です。\n二つ目の、とても長い文です。\n三つ目の、とても長い文です。")
    qtbot.waitUntil(lambda: player.passage.startswith("一つ目") and window.speech_state.played_s > 0, timeout=WAIT_MS)
    assert send("--skip") == 0
    qtbot.waitUntil(lambda: player.passage.startswith("二つ目"), timeout=WAIT_MS)
    assert not player.is_paused
    assert send("--pause") == 0
    assert player.is_paused
    assert send("--skip") == 0
    assert (player.is_paused, player.passage) == (True, "三つ目の、とても長い文です。")
    assert send("--pause") == 0
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0, timeout=WAIT_MS)
    assert send("--stop") == 0
    wait_read(qtbot, window)


@pytest.mark.parametrize(
    "content",
    [b"\xff", b"[]", b'{"source": "file", "text": ""}', b'{"source": "text", "text": 1}', b'{"source": "text", "text": ""}', b"{}"],
)
def test_a_file_that_is_no_request_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  whatever is wrong with it
        parse_read_request(content)


def test_without_a_window_a_child_reads_the_clipboard() -> None:
    done = subprocess.run([sys.executable, MAIN, "read", "--clipboard"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "There is no text on the clipboard." in done.stderr
