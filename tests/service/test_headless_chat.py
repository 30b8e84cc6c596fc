"""Comments without a window: read in the synthesis thread of the service, heard one after the other, skipped at once."""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from app.adapters import speech_activity
from app.adapters.portaudio.sample_ring import PlayPosition
from app.common.errors import AppError
from app.common.files import paths
from app.compose.speaker import Speaker
from app.core.synthesis_types import AudioChunk
from app.engine.engine import EngineThread
from app.engine.open_voices import OpenVoices
from app.service.chat import headless_chat
from app.service.chat.chat_captions import CaptionBoard
from app.service.chat.chat_protocol import ChatCommand, ChatMessage, ChatTalk
from app.service.chat.chat_queue import ChatOutcome, ChatQueue, ChatRules
from app.service.chat.headless_chat import HeadlessChatReader
from app.service.style_catalogue import build_catalogue
from app.settings.user_settings import Settings, save_settings
from app.voices.installed_voices import list_installed_voices
from tests.service.test_chat_reader import exchange, pack
from tests.stopped_runs import DECODER, stop_within_run

ROOT = Path(__file__).parents[2]
LIMIT_S = 60.0


class SlowPlayer:
    """Takes sound, and is not done with it before `heard` is set."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.heard = threading.Event()
        self.aborted = 0
        self.queued_s = 0.0
        self.position: PlayPosition | None = None  # what of it was heard, as far as a test says

    def write_chunk(self, chunk: AudioChunk) -> None:
        self.seconds[chunk.request_id] = self.seconds.get(chunk.request_id, 0.0) + len(chunk.samples) / chunk.sampling_rate

    def replace_lost_device(self) -> None:
        pass

    def wait_until_played(self, timeout_s: float | None = None, cancelled: Callable[[], bool] = lambda: False) -> bool:
        while not cancelled() and not self.heard.wait(0.01):
            pass
        return not cancelled()

    def abort_output(self) -> None:
        self.aborted += 1


@pytest.fixture
def player() -> SlowPlayer:
    return SlowPlayer()


@pytest.fixture
def queue(mei: Speaker, player: SlowPlayer) -> Iterator[ChatQueue]:
    """A queue that is read."""
    thread = EngineThread(OpenVoices(lambda _opening: mei))
    made = ChatQueue(ChatRules(voices={3: "nobody"}))
    opened: list[Any] = [player]
    reader = HeadlessChatReader(
        made, thread.engine, build_catalogue(list_installed_voices(paths.list_voice_dirs())), None, open_sink=lambda *_: opened[0]
    )
    yield made
    reader.close()
    thread.close(5.0)


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def say(queue: ChatQueue, text: str, voice: int = 0) -> None:
    queue.handle_message(ChatMessage(ChatCommand.TALK, ChatTalk(text, voice=voice)))


def test_a_comment_that_the_program_stops_has_not_failed(mei: Speaker, player: SlowPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = EngineThread(OpenVoices(lambda _opening: mei))
    made, failures, opened = ChatQueue(ChatRules()), list[AppError](), cast(Any, player)
    catalogue = build_catalogue(list_installed_voices(paths.list_voice_dirs()))
    reader = HeadlessChatReader(made, thread.engine, catalogue, None, failures.append, lambda *_: opened)
    stopped = stop_within_run(monkeypatch, mei.terminate)
    player.heard.set()
    say(made, "一つ目です。")
    say(made, "二つ目です。")
    wait_for(lambda: "chat-2" in player.seconds)
    assert stopped == [DECODER]
    assert not failures
    reader.close()
    thread.close(5.0)


def test_one_after_the_other(queue: ChatQueue, player: SlowPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    computed, heard = list[str](), list[str]()
    monkeypatch.setattr(speech_activity, "record_speech", lambda: computed.append("stage"))
    monkeypatch.setattr(headless_chat, "record_speech", lambda: heard.append("poll"))
    say(queue, "一つ目です。")
    wait_for(lambda: "chat-1" in player.seconds)
    assert computed, "what is not urgent waits while a comment is computed, and while it is heard"
    wait_for(lambda: len(heard) > 2)
    say(queue, "二つ目です。", 2)
    say(queue, "三つ目です。", 3)
    time.sleep(0.1)
    assert list(player.seconds) == ["chat-1"]
    assert queue.is_playing
    player.heard.set()
    wait_for(lambda: not queue.is_playing and not len(queue) and len(player.seconds) == 3)
    assert all(length_s > 0.5 for length_s in player.seconds.values())


def test_a_skipped_comment_ends_and_the_next_one_comes(queue: ChatQueue, player: SlowPlayer) -> None:
    say(queue, "とても長いコメントです。" * 10)
    wait_for(lambda: "chat-1" in player.seconds)
    say(queue, "次です。")
    queue.handle_message(ChatMessage(ChatCommand.SKIP))
    wait_for(lambda: "chat-2" in player.seconds)
    assert player.aborted == 1
    assert player.seconds["chat-1"] < 20


def test_captions_begin_with_the_sound_and_end_with_it(mei: Speaker, player: SlowPlayer) -> None:
    thread = EngineThread(OpenVoices(lambda _opening: mei))
    made, board, opened = ChatQueue(ChatRules(reads_names=False)), CaptionBoard(), cast(Any, player)
    catalogue = build_catalogue(list_installed_voices(paths.list_voice_dirs()))
    reader = HeadlessChatReader(made, thread.engine, catalogue, None, open_sink=lambda *_: opened, captions=board)
    say(made, "太郎：字幕です。")
    wait_for(lambda: "chat-1" in player.seconds)
    time.sleep(0.1)
    assert board.state.talk is None, "made, and not heard yet"
    player.position = PlayPosition("chat-1", 1, 44_100, is_finished=False)
    wait_for(lambda: board.state.talk is not None)
    talk = board.state.talk
    assert talk is not None
    assert (talk.writer, talk.words) == ("太郎", "字幕です。")
    player.heard.set()
    wait_for(lambda: board.state.talk is None)
    assert [record.outcome for record in made.take_snapshot().finished] == [ChatOutcome.READ]
    player.heard.clear()
    say(made, "飛ばします。")
    wait_for(lambda: "chat-2" in player.seconds)
    made.handle_message(ChatMessage(ChatCommand.SKIP))
    wait_for(lambda: not made.is_playing)
    assert made.take_snapshot().finished[0].outcome is ChatOutcome.SKIPPED
    reader.close()
    thread.close(5.0)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C cannot be sent to one program")
@pytest.mark.slow
@pytest.mark.parametrize("option", ["--chat-reader", "--chat-port"])
def test_the_command_listens_on_this_computer_alone(option: str) -> None:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        port, http_port = one.getsockname()[1], other.getsockname()[1]
    save_settings(Settings(chat_port=port if option == "--chat-reader" else 50001, chat_http_port=http_port))
    given = [option] if option == "--chat-reader" else [option, str(port)]
    own = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "serve", "--port", "0", *given, "--host", "0.0.0.0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"KOEBAKO_TOKEN": "0123456789abcdef"},
    )
    try:
        assert own.stdout is not None
        line = json.loads(own.stdout.readline())
        assert (line["chat_port"], line["chat_http_port"]) == (port, http_port)
        exchange(port, struct.pack("<h", ChatCommand.PAUSE) + pack(ChatTalk("はい")))
        assert exchange(port, struct.pack("<h", ChatCommand.GET_WAITING)) == struct.pack("<i", 1)
        with socket.socket() as stranger:
            stranger.settimeout(2)
            assert stranger.connect_ex(("127.0.0.2", port)) != 0
    finally:
        own.send_signal(signal.SIGINT)
        own.communicate(timeout=LIMIT_S)
    assert own.returncode == 130
