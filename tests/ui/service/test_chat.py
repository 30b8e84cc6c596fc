"""The chat reader of the window: comments speak with the window's player, behind what the user plays."""

import socket
import struct
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from pytestqt.qtbot import QtBot

from app.core.script.script import Character, Line, LineSettings, Script
from app.engine.synthesis_jobs import SpeechJob
from app.settings.user_settings import Settings
from tests.ui.conftest import WAIT_MS, OpenWindow, write
from tests.ui.window_driver import WindowDriver


def find_ports() -> tuple[int, int]:
    """Two free ones."""
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


def send(port: int, *messages: bytes, answer: int = 0) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as own:
        own.sendall(b"".join(messages))
        own.shutdown(socket.SHUT_WR)
        found = b""
        while piece := own.recv(64):
            found += piece
    assert len(found) == answer
    return found


def comment(text: str, voice: int = 0, speed: int = -1) -> bytes:
    content = text.encode()
    return struct.pack("<hhhhhbi", 1, speed, -1, -1, voice, 0, len(content)) + content


def listening(qtbot: QtBot, window: WindowDriver) -> None:
    qtbot.waitUntil(lambda: window.is_made("chat") and window.chat.reader is not None, timeout=WAIT_MS)


def open_chat(qtbot: QtBot, open_window: OpenWindow) -> tuple[int, WindowDriver, list[str]]:
    """The port of a window that reads comments, the window, and the texts that were heard to their end."""
    port, http_port = find_ports()
    window = open_window(Settings(text="", chat_port=port, chat_http_port=http_port, chat_reader=True))
    listening(qtbot, window)
    heard: list[str] = []
    window.controller.speech_played.connect(lambda job: heard.append(job.request.text))
    return port, window, heard


def test_comments_are_heard_in_order_and_can_be_skipped(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, http_port = find_ports()
    window = open_window(Settings(text="", chat_port=port, chat_http_port=http_port))
    assert not window.is_made("chat")
    window.settings.change_settings(chat_reader=True)
    listening(qtbot, window)
    assert str(port) in window.chat.button.text()
    heard: list[str] = []
    window.controller.speech_played.connect(lambda job: heard.append(job.request.text))
    send(port, comment("一つ目。"), comment("www（笑）", 1), comment("。。。"), comment("二つ目。", 2))
    qtbot.waitUntil(lambda: "二つ目。" in heard, timeout=WAIT_MS)
    assert heard[0] == "一つ目。"
    assert not window.history.utterances  # a comment is no measurement, and its text is in no table
    long = comment("これはとても長いコメントです。" * 20)
    send(port, long, comment("次。"))
    qtbot.waitUntil(lambda: window.controller.state.is_speaking, timeout=WAIT_MS)
    assert send(port, struct.pack("<h", 0x0120), answer=1) == b"\x01"
    send(port, struct.pack("<h", 0x0030))
    qtbot.waitUntil(lambda: "次。" in heard, timeout=WAIT_MS)
    assert not any("長い" in text for text in heard)


def test_a_browser_source_that_the_settings_name_may_talk(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, http_port = find_ports()
    settings = Settings(text="", chat_port=port, chat_http_port=http_port, chat_reader=True, service_origins="https://overlay.example")
    window = open_window(settings)
    listening(qtbot, window)
    assert window.chat.status == f"Listening on 127.0.0.1:{port}, 127.0.0.1:{http_port} (HTTP)"
    send(port, struct.pack("<h", 0x0010))

    def ask(origin: str) -> int:
        page = Request(f"http://127.0.0.1:{http_port}/Talk?text=a", headers={"Origin": origin, "Sec-Fetch-Site": "cross-site"})
        try:
            with urlopen(page, timeout=10) as answer:
                return int(answer.status)
        except HTTPError as error:
            with error:
                return error.code

    assert (ask("https://overlay.example"), ask("https://other.example")) == (200, 403)


def test_what_the_user_plays_comes_first(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, heard = open_chat(qtbot, open_window)
    write(window, "私の行です。")
    send(port, struct.pack("<h", 0x0010), comment("コメントです。"))
    qtbot.waitUntil(lambda: len(window.chat.reader.queue) == 1, timeout=WAIT_MS)
    window.play_commands.play_or_stop()
    assert window.controller.state.is_speaking
    send(port, struct.pack("<h", 0x0020))
    qtbot.waitUntil(lambda: heard == ["私の行です。", "コメントです。"], timeout=WAIT_MS)


def test_a_comment_that_playing_cuts_off_is_read_again_and_one_that_esc_ends_is_not(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, heard = open_chat(qtbot, open_window)
    write(window, "私の行です。")
    send(port, comment("これは長いコメントです。" * 3))
    qtbot.waitUntil(lambda: window.controller.state.is_comment, timeout=WAIT_MS)
    assert "Stop" not in window.transport.play.text()
    window.play_commands.play_or_stop()  # as Ctrl+Enter does
    assert window.controller.state.is_playing
    qtbot.waitUntil(lambda: heard == ["私の行です。", "これは長いコメントです。" * 3], timeout=WAIT_MS)
    send(port, comment("飛ばすコメントです。" * 20), comment("最後。"))
    qtbot.waitUntil(lambda: window.controller.state.is_comment, timeout=WAIT_MS)
    window.window_actions["stop"].trigger()
    qtbot.waitUntil(lambda: heard[2:] == ["最後。"], timeout=WAIT_MS)


def test_a_comment_that_ends_while_it_is_asked_for_holds_nobody_up(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other threads may compute and play a short comment before the call that asks for it returns."""
    port, window, heard = open_chat(qtbot, open_window)
    speak_comment = window.controller.speak_comment

    def speak_at_once(*asked: Any) -> SpeechJob:
        job = speak_comment(*asked)
        window.controller.speech_played.emit(job)
        window.controller.skip_job(job)  # so that it is not reported again
        return job

    monkeypatch.setattr(window.controller, "speak_comment", speak_at_once)
    send(port, comment("一つ目。"), comment("。。。"), comment("二つ目。"))
    qtbot.waitUntil(lambda: "二つ目。" in heard, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not window.chat.reader.queue.is_playing, timeout=WAIT_MS)


def test_reading_aloud_does_not_wait_for_the_comments_that_wait(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, heard = open_chat(qtbot, open_window)
    send(port, comment("一つ目のコメントです。"), comment("二つ目のコメントです。"))
    qtbot.waitUntil(lambda: window.controller.state.is_comment, timeout=WAIT_MS)
    window.read_aloud.player.speak_text("今すぐ読みます。")
    qtbot.waitUntil(lambda: len(heard) == 3, timeout=WAIT_MS)
    assert heard == ["今すぐ読みます。", "一つ目のコメントです。", "二つ目のコメントです。"]


def test_characters_of_the_project_read_by_number_and_for_writers(qtbot: QtBot, open_window: OpenWindow) -> None:
    port, window, _heard = open_chat(qtbot, open_window)
    knight = Character("騎士", LineSettings(style="Sad", speed=1.3, volume=0.8), aliases=("ナイト",))
    window.document.reset_script(Script((Line("行です。", character=knight.id),), cast=(knight,)))
    window.settings.change_settings(chat_voices="3=ナイト; 太郎=騎士; 4=いない人")
    spoken: list[SpeechJob] = []
    window.controller.speech_played.connect(spoken.append)
    send(
        port, comment("番号です。", 3), comment("太郎：名前です。", 1), comment("ほかの声です。", 4), comment("速いコメントです。", 3, 200)
    )
    qtbot.waitUntil(lambda: len(spoken) == 4, timeout=WAIT_MS)
    assert [(job.request.speed, job.request.volume) for job in spoken] == [(1.3, 0.8), (1.3, 0.8), (1.0, 1.0), (2.0, 0.8)]
    assert [job.cast.style for job in spoken if job.cast is not None] == ["Sad", "Sad", "", "Sad"]
    window.document.reset_script(Script())
    send(port, comment("もういません。", 3))
    qtbot.waitUntil(lambda: len(spoken) == 5, timeout=WAIT_MS)
    assert spoken[-1].cast.style == ""


@pytest.mark.parametrize("place", [0, 1])
def test_a_taken_port_is_said_once_and_gone_when_it_is_switched_off(qtbot: QtBot, open_window: OpenWindow, place: int) -> None:
    ports = find_ports()
    with socket.socket() as other:
        other.bind(("127.0.0.1", ports[place]))
        other.listen()
        window = open_window(Settings(text="", chat_port=ports[0], chat_http_port=ports[1], chat_reader=True))
        qtbot.waitUntil(lambda: str(ports[place]) in window.banner.message.text(), timeout=WAIT_MS)
        assert "another program is using it" in window.banner.message.text()
        window.settings.change_settings(chat_reader=False)
        qtbot.waitUntil(lambda: not window.chat.button.isVisible(), timeout=WAIT_MS)
    assert window.chat.reader is None
