"""`koebako mcp`: JSON-RPC by hand, the guards of its folder, and the official client against the program itself."""

import asyncio
import errno
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from app.adapters import speech_activity
from app.adapters.files import part_file
from app.adapters.files.part_file import PartFile
from app.cli.commands.mcp.run import MAX_LINE_BYTES, iterate_lines, serve_lines
from app.cli.main import main
from app.common.errors import InputError, OutputFileError
from app.common.files import paths
from app.compose.speaker_opening import open_speaker
from app.core.sound.stage_clock import RequestStopped
from app.core.synthesis_types import AudioChunk
from app.engine.engine import Engine, EngineThread
from app.engine.open_voices import OpenVoices
from app.service.agents.agent_folder import AgentFolder
from app.service.agents.agent_session import MAX_CANCELLED_CALLS, PROTOCOL_VERSIONS, STATELESS_VERSION, AgentSession
from app.service.agents.agent_tools import TOOLS
from app.settings.user_settings import load_settings
from tests.speech_tools import create_speech_tools

ROOT = Path(__file__).parents[3]
FOLDER_NAME = "sounds"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with EngineThread(OpenVoices(lambda opening: open_speaker(opening.voice, "cpu"))) as engine:
        yield engine


@pytest.fixture
def session(engine: Engine, tmp_path: Path) -> AgentSession:
    """A conversation over the voices that are there."""
    return AgentSession(create_speech_tools(engine, tmp_path / FOLDER_NAME))


def ask(session: AgentSession, method: str, **params: Any) -> dict[str, Any]:
    answer = session.handle_line(json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode())
    assert answer["id"] == 7
    return dict(answer)


def initialise(session: AgentSession, version: str = PROTOCOL_VERSIONS[1], name: str = "tester") -> dict[str, Any]:
    return dict(ask(session, "initialize", protocolVersion=version, capabilities={}, clientInfo={"name": name, "version": "1"})["result"])


def call(session: AgentSession, tool: str, **values: Any) -> dict[str, Any]:
    return dict(ask(session, "tools/call", name=tool, arguments=values)["result"])


def test_versions_are_negotiated(session: AgentSession) -> None:
    assert ask(session, "tools/list")["error"]["code"] == -32600
    assert ask(session, "ping")["result"] == {}
    for version in PROTOCOL_VERSIONS:
        assert initialise(session, version)["protocolVersion"] == version
    assert initialise(session, "1999-01-01")["protocolVersion"] == PROTOCOL_VERSIONS[0]
    assert [tool["name"] for tool in ask(session, "tools/list")["result"]["tools"]] == [tool["name"] for tool in TOOLS]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"1", -32600),
        (b"[]", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', -32602),
    ],
)
def test_what_is_no_request_is_an_error(session: AgentSession, line: bytes, code: int) -> None:
    assert session.handle_line(line)["error"]["code"] == code


def test_a_client_of_the_version_without_sessions_is_served_at_once(session: AgentSession) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": STATELESS_VERSION, "io.modelcontextprotocol/clientInfo": {"name": "stateless"}}
    discovered = ask(session, "server/discover", _meta=meta)["result"]
    assert discovered["supportedVersions"] == [STATELESS_VERSION, *PROTOCOL_VERSIONS]
    assert discovered["serverInfo"]["name"] == "koebako"
    assert ask(session, "tools/list", _meta=meta)["result"]["tools"]
    assert session.agent == "stateless"
    assert ask(session, "ping", _meta=meta)["error"]["code"] == -32601
    assert ask(session, "tools/list")["error"]["code"] == -32600, "without its version it is a client that must begin a session"
    unknown = ask(session, "tools/list", _meta=meta | {"io.modelcontextprotocol/protocolVersion": "2027-01-01"})["error"]
    assert STATELESS_VERSION in unknown["message"]


def test_null_is_none_and_what_no_tool_knows_is_left_alone(session: AgentSession, tmp_path: Path) -> None:
    begin = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": PROTOCOL_VERSIONS[1]}})
    assert session.handle_line(begin.encode("utf-8-sig"))["result"]
    for params in ("null", "[]", "3"):
        assert session.handle_line(b'{"jsonrpc":"2.0","method":"notifications/initialized","params":%s}' % params.encode()) is None
    assert session.handle_line(b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}')["result"]["tools"]
    assert not call(session, "voices", sessionId="a", chatInput="x")["isError"]
    assert not ask(session, "tools/call", name="voices", arguments=None)["result"]["isError"]
    spoken = call(session, "speak", text="テスト", file="b", voice=None, style=None, speed=None, format=None, toolCallId="call_1")
    assert spoken["structuredContent"]["files"][0]["file"] == "b.wav"
    spoken = call(session, "speak", text="テスト", file="c.MP3")
    assert spoken["structuredContent"]["files"][0]["file"] == "c.mp3"
    assert soundfile.info(tmp_path / FOLDER_NAME / "c.mp3").format == "MP3"
    assert call(session, "speak", text=None, file="d")["isError"]


def test_other_methods_tools_and_notifications(session: AgentSession) -> None:
    initialise(session)
    assert ask(session, "resources/list")["error"]["code"] == -32601
    assert ask(session, "tools/call", name="delete", arguments={})["error"]["code"] == -32602
    assert session.handle_line(b'{"jsonrpc":"2.0","method":"notifications/initialized"}') is None
    assert session.handle_line(b'{"jsonrpc":"2.0","id":3,"result":{}}') is None
    both = session.handle_line(b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]')
    assert both == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=9), lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "2.0"]), inner)))  # fmt: skip
def test_any_json_has_an_answer_or_none(value: Any) -> None:
    class NoTools:
        def list_tools(self) -> list[dict[str, Any]]:
            return []

        def call_tool(self, name: str, arguments: dict[str, Any], agent: str, is_cancelled: object) -> dict[str, Any]:
            raise AssertionError((name, arguments, agent, is_cancelled))

        def stop_sound(self) -> None:
            raise AssertionError

    answer = AgentSession(NoTools()).handle_line(json.dumps(value).encode())
    assert answer is None or json.dumps(answer)


@pytest.mark.parametrize(
    ("tool", "values"),
    [
        ("speak", {}),
        ("speak", {"text": ""}),
        ("speak", {"text": "あ" * 10_001}),
        ("speak", {"text": "あ", "speed": 9}),
        ("speak", {"text": "あ", "speed": True}),
        ("speak", {"text": "あ", "format": "exe", "file": "a"}),
        ("speak", {"text": "あ", "voice": "nobody", "file": "a"}),
        ("export", {"name": "a", "lines": []}),
        ("export", {"name": "a", "lines": [{"text": "あ" * 6000}, {"text": "い" * 6000}]}),
        ("export", {"name": "a", "lines": [{"text": "あ"}, {"text": "い", "voice": "nobody"}]}),
    ],
)
def test_wrong_arguments_are_said_and_write_nothing(session: AgentSession, tmp_path: Path, tool: str, values: dict[str, Any]) -> None:
    initialise(session)
    result = call(session, tool, **values)
    assert result["isError"]
    assert result["content"][0]["text"]
    assert not list(tmp_path.rglob("*.wav"))


@pytest.mark.parametrize("name", ["../a.wav", "/tmp/a.wav", "a/b", "a\\b", "C:a", "..", " . ", "a\0b"])
def test_a_path_is_no_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        AgentFolder(tmp_path).choose_path(name, ".wav")
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten_and_no_link_followed(tmp_path: Path) -> None:
    folder, outside = tmp_path / FOLDER_NAME, tmp_path / "outside.wav"
    folder.mkdir()
    (folder / "a.wav").write_bytes(b"mine")
    (folder / "b.wav").symlink_to(outside)
    for name in ("a.wav", "b"):
        chosen = AgentFolder(folder).choose_path(name, ".wav")
        assert chosen == folder.resolve() / f"{name[0]} 2.wav"
        assert not chosen.exists()
        part = PartFile(chosen)
        part.write(b"sound")
        chosen.write_bytes(b"somebody was faster")
        placed = AgentFolder(folder).place_part(part, name, ".wav")
        assert placed == folder.resolve() / f"{name[0]} 3.wav"
        assert placed.read_bytes() == b"sound"
        assert chosen.read_bytes() == b"somebody was faster"
    assert (folder / "a.wav").read_bytes() == b"mine"
    assert not outside.exists()


def test_a_name_that_cannot_be_given_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = AgentFolder(tmp_path)
    part = PartFile(folder.choose_path("a", ".wav"))

    def refuse(_source: Path, _target: Path) -> None:
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(part_file, "move_to_free_name", refuse)
    with pytest.raises(OutputFileError):
        folder.place_part(part, "a", ".wav")
    assert not list(tmp_path.iterdir())


def test_a_cancelled_call_ends_without_an_answer_or_a_file(session: AgentSession, tmp_path: Path) -> None:
    initialise(session)
    text = "とても長い文です。" * 400
    called = {"name": "speak", "arguments": {"text": text, "file": "long"}}
    request = json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": called}).encode()
    cancel = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}'
    timer = threading.Timer(0.5, session.handle_at_once, [cancel])
    timer.start()
    assert session.handle_line(request) is None
    timer.join()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert ask(session, "ping")["result"] == {}


def test_calls_can_be_cancelled_however_many_were_cancelled_too_late(session: AgentSession, tmp_path: Path) -> None:
    initialise(session)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    for number in range(2 * MAX_CANCELLED_CALLS):
        session.handle_at_once(json.dumps(cancel | {"params": {"requestId": f"late {number}"}}).encode())
    session.handle_at_once(json.dumps(cancel | {"params": {"requestId": 9}}).encode())
    called = {"name": "speak", "arguments": {"text": "はい。", "file": "a"}}
    assert session.handle_line(json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": called}).encode()) is None
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


class SlowTools:
    """Tools whose call ends once a ping was answered meanwhile, and the call itself was cancelled."""

    def __init__(self, client_end: BinaryIO, answers: BinaryIO) -> None:
        self._client_end, self._answers = client_end, answers
        self._stopped, self.has_ended = threading.Event(), threading.Event()
        self.pinged: dict[str, Any] = {}
        self.was_cancelled = False

    def list_tools(self) -> list[dict[str, Any]]:
        return []

    def call_tool(self, _name: str, _arguments: dict[str, Any], _agent: str, is_cancelled: Callable[[], bool]) -> dict[str, Any]:
        self._client_end.write(b'{"jsonrpc":"2.0","id":"still there?","method":"ping"}\n')
        self.pinged = json.loads(self._answers.readline())
        self._client_end.write(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}\n')
        self._stopped.wait(60)
        self.was_cancelled = is_cancelled()
        self.has_ended.set()
        raise RequestStopped

    def stop_sound(self) -> None:
        self._stopped.set()


def test_a_ping_is_answered_and_a_call_cancelled_while_one_computes() -> None:
    (asked, asking), (answers, answered) = os.pipe(), os.pipe()
    with os.fdopen(asked, "rb") as stdin, os.fdopen(answers, "rb") as client_answers, os.fdopen(answered, "wb") as output:
        with os.fdopen(asking, "wb", 0) as client_end:
            tools = SlowTools(client_end, client_answers)
            server = threading.Thread(target=serve_lines, args=(AgentSession(tools), stdin, output))
            server.start()
            client_end.write(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\n')
            assert json.loads(client_answers.readline())["id"] == 1
            client_end.write(b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"speak"}}\n')
            assert tools.has_ended.wait(60)
        server.join(60)
    assert tools.pinged == {"jsonrpc": "2.0", "id": "still there?", "result": {}}
    assert tools.was_cancelled


class SilentPlayer:
    """Takes sound."""

    queued_s = 0.0

    def write_chunk(self, _chunk: AudioChunk) -> None:
        pass

    def finish_request(self) -> None:
        pass


def test_what_is_not_urgent_waits_while_an_agent_speaks(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stages: list[str] = []
    monkeypatch.setattr(speech_activity, "record_speech", lambda: stages.append("stage"))
    tools = create_speech_tools(engine, tmp_path / FOLDER_NAME, open_output=lambda _device, _rate: cast(Any, SilentPlayer()))
    assert tools.call_tool("speak", {"text": "聞こえますか。はい。"}, "tester")["structuredContent"]["seconds"] > 0.5
    assert len(stages) >= 4


def test_lines_that_never_end_are_dropped() -> None:
    data = b"1\n\n" + b"x" * (2 * MAX_LINE_BYTES + 5) + b"\n2"
    assert list(iterate_lines(io.BytesIO(data))) == [b"1\n", None, b"2"]


@pytest.mark.skipif(sys.platform == "win32", reason="of the shell")
@pytest.mark.parametrize(("closed", "code"), [("<&-", 2), ("</dev/null 2>&-", 0)])
def test_a_closed_stream_is_one_sentence(closed: str, code: int) -> None:
    command = f'exec "$0" main.py mcp --backend cpu {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith("koebako: Standard input or output is closed." if code else "")


@pytest.mark.parametrize("stdout", [io.StringIO(), None], ids=["no file", "closed"])
def test_an_output_that_is_no_file_is_one_sentence(
    stdout: io.StringIO | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A program in Python that runs the command within itself may have replaced it; Python has none where it is closed."""
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        monkeypatch.setattr(sys, "stdout", stdout)
        assert main(["mcp", "--backend", "cpu"]) == 2
    assert capsys.readouterr().err.startswith("koebako: Standard input or output is closed.")


@pytest.mark.slow
def test_the_official_client(tmp_path: Path) -> None:
    mcp = pytest.importorskip("mcp")
    from mcp.client.stdio import stdio_client

    folder = tmp_path / FOLDER_NAME

    async def converse() -> None:
        program = mcp.StdioServerParameters(
            command=sys.executable, args=["main.py", "mcp", "--folder", str(folder), "--backend", "cpu"], env=dict(os.environ), cwd=ROOT
        )
        async with stdio_client(program) as streams, mcp.ClientSession(*streams) as client:
            await client.initialize()
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {tool["name"] for tool in TOOLS}
            found = json.loads((await client.call_tool("voices", {})).content[0].text)["voices"]
            assert not any(str(place) in json.dumps(found) for folder in paths.list_voice_dirs() for place in (folder, folder.parent))
            voice = found[-1]
            written = await client.call_tool(
                "speak", {"text": "はい、聞こえています。", "voice": voice["name"], "style": voice["styles"][0], "file": "hello"}
            )
            assert json.loads(written.content[0].text)["files"][0]["file"] == "hello.wav"
            timings = json.loads((await client.call_tool("read_timings", {"text": "はい。"})).content[0].text)
            assert timings["reading"] == "ハイ"
            made = await client.call_tool("export", {"name": "line", "lines": [{"text": "一。"}, {"text": "二。"}], "format": "flac"})
            assert [one["file"] for one in json.loads(made.content[0].text)["files"]] == ["line 001.flac", "line 002.flac"]

    asyncio.run(asyncio.wait_for(converse(), 240))
    assert {path.name for path in folder.iterdir()} == {"hello.wav", "line 001.flac", "line 002.flac"}
    assert all(soundfile.info(path).duration > 0.2 for path in folder.iterdir())
    (choice,) = load_settings()[0].agent_voices
    assert choice.partition("=")[0]
    assert choice.partition("=")[2].isdigit()
