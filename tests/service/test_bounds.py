"""One request, however it is made, costs little and keeps nobody else waiting."""

import base64
import gc
import json
import logging
import socket
import threading
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import httpx
import pytest
from starlette.responses import JSONResponse

from app.common.errors import OutputFileError, VoiceError
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.common.files.whole_files import CorruptFileError
from app.service import asgi_application, http_exchange, http_service, routes_query, speech_server
from app.service.http_exchange import UNCOUNTED_BODY_BYTES, BodyQuota, BodySender
from app.service.request_fields import MAX_LISTED_FAULTS, RefusalError, RequestFields, convert_to_refusal, strip_folders
from app.service.speak_request import parse_speak_request
from app.service.voicevox_query import MAX_QUERY_MORAS, parse_phrases, parse_queries
from app.service.wav_stream import pack_wav_header
from tests.service.conftest import Serve

WRONG_MORAE = [{"moras": [1] * 350} for _ in range(300)]  # 0.3 MB, and 100,000 faults


def test_of_many_faults_some_are_listed(client: httpx.Client, style: int) -> None:
    answer = client.post("/mora_data", params={"speaker": style}, json=WRONG_MORAE)
    *listed, rest = answer.json()["detail"]
    assert (answer.status_code, len(listed), rest["type"]) == (422, MAX_LISTED_FAULTS, "too_many_errors")
    assert int(rest["msg"].split()[0]) > 10_000
    assert len(answer.content) < 10_000


@pytest.mark.parametrize(
    ("read", "values"),
    [
        (parse_phrases, WRONG_MORAE),
        (parse_phrases, [{}] * 5000),
        (parse_queries, [{"accent_phrases": [0] * 100}] * 100),
        (lambda values: parse_speak_request(values, None), {"text": 1, "pauses": {str(number): 1 for number in range(100_000)}}),
    ],
)
def test_faults_take_little_memory(read: Any, values: Any) -> None:
    tracemalloc.start()
    try:
        with pytest.raises((RefusalError, AttributeError)):
            read(values)
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
    finally:
        tracemalloc.stop()


def test_no_more_than_the_morae_that_are_possible_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    looked, number = [], RequestFields.read_number
    monkeypatch.setattr(RequestFields, "read_number", lambda self, *names, **bounds: looked.append(1) or number(self, *names, **bounds))
    with pytest.raises(RefusalError):
        parse_phrases([{"moras": [{}] * MAX_QUERY_MORAS, "accent": 1}] * 10)
    assert len(looked) <= 2 * 2 * MAX_QUERY_MORAS


def test_a_body_may_have_so_many_values(client: httpx.Client, style: int) -> None:
    content = b"[" + b"[]," * http_service.MAX_BODY_VALUES + b"[]]"
    answer = client.post("/multi_synthesis", params={"speaker": style}, content=content)
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "json_invalid")


def test_others_are_answered_while_long_bodies_are_read(client: httpx.Client, style: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few at a time, in other threads: what is short is read at once, and other routes have threads left."""
    go_on, reading, threads = threading.Event(), threading.Semaphore(0), []

    def read(values: Any) -> Any:
        threads.append(threading.current_thread().name)
        if len(threads) <= http_service.MAX_CONCURRENT_BODIES:
            reading.release()
            assert go_on.wait(30)
        return parse_phrases(values)

    monkeypatch.setattr(routes_query, "parse_phrases", read)
    phrase = client.post("/accent_phrases", params={"speaker": style, "text": "はい。"}).json()
    long = json.dumps(phrase * (2 * http_service.SHORT_BODY_BYTES // len(json.dumps(phrase))))

    def post(content: str) -> int:
        return httpx.post(client.base_url.join("/mora_pitch"), params={"speaker": style}, content=content, timeout=60).status_code

    with ThreadPoolExecutor(6) as others:
        posted = [others.submit(post, long) for _ in range(http_service.MAX_CONCURRENT_BODIES + 4)]
        for _ in range(http_service.MAX_CONCURRENT_BODIES):
            assert reading.acquire(timeout=30)
        assert client.get("/version").status_code == 200
        assert client.get("/presets").status_code == 200
        assert post(json.dumps(phrase)) == 200
        assert len(threads) == http_service.MAX_CONCURRENT_BODIES + 1
        go_on.set()
        assert [one.result() for one in posted] == [200] * (http_service.MAX_CONCURRENT_BODIES + 4)
    serving = threads.pop(http_service.MAX_CONCURRENT_BODIES)
    assert serving == "service"
    assert serving not in threads


def test_what_is_long_is_written_in_other_threads(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making JSON of a long answer takes as long as reading it."""
    made: dict[str, str] = {}
    render = JSONResponse.render

    def note(self: JSONResponse, content: Any) -> bytes:
        made[str(type(content))] = threading.current_thread().name
        return render(self, content)

    monkeypatch.setattr(JSONResponse, "render", note)
    with serve() as address, httpx.Client(base_url=address, timeout=30) as client:
        style = client.get("/speakers").json()[0]["styles"][0]["id"]
        for path in ("/audio_query", "/accent_phrases"):
            made.clear()
            client.post(path, params={"speaker": style, "text": "はい。"})
            assert "service" not in made.values()
        made.clear()
        client.get("/user_dict")
        assert "service" not in made.values()


def wave(seconds: float) -> str:
    """A sound in Base64."""
    samples = round(seconds * 8000)
    return base64.b64encode(pack_wav_header(samples, 8000, 1) + bytes(2 * samples)).decode()


def test_bodies_share_one_room(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """All come to their end, and together they hold no more than the room and one of them."""
    size, rooms = 300_000, []

    class Watched(BodyQuota):
        held = most_held = 0

        async def acquire(self, body: BodySender, arrived: int) -> None:
            await super().acquire(body, arrived)
            self.held = sum(self._bytes_by_body.values())
            self.most_held = max(self.most_held, self.held)

        def release(self, body: BodySender) -> None:
            super().release(body)
            self.held = sum(self._bytes_by_body.values())

    def made() -> Watched:
        rooms.append(Watched(size))
        return rooms[0]

    monkeypatch.setattr(asgi_application, "BodyQuota", made)
    content = json.dumps([wave(15)]).encode()
    with serve() as address, ThreadPoolExecutor(8) as clients:
        post = partial(httpx.post, f"{address}/connect_waves", content=content, timeout=60)
        answers = list(clients.map(lambda _number: post().status_code, range(8)))
    assert answers == [200] * 8
    assert UNCOUNTED_BODY_BYTES < rooms[0].most_held <= size + len(content)
    assert rooms[0].held == 0


@contextmanager
def slow_senders(address: str, count: int, sent: int) -> Iterator[list[socket.socket]]:
    """So many that have sent so much of a longer body, and send nothing more."""
    with ExitStack() as stack:
        senders = []
        for _ in range(count):
            own = stack.enter_context(socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=10))
            head = f"POST /connect_waves HTTP/1.1\r\nHost: {address[7:]}\r\nContent-Length: 2000000\r\n\r\n"
            own.sendall(head.encode() + b"[" + b" " * sent)
            senders.append(own)
        yield senders


def test_slow_senders_lock_nobody_out(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where they have all connections, nor where they have all room."""
    monkeypatch.setattr(speech_server, "MAX_CONNECTIONS", 12)
    monkeypatch.setattr(speech_server, "SENDER_GRACE_S", 0.2)
    with serve() as address, slow_senders(address, 12, 10):
        time.sleep(0.3)  # until a sender counts as slow
        with httpx.Client(base_url=address, timeout=10) as client:
            assert client.post("/connect_waves", json=[wave(0.1)]).status_code == 200

    monkeypatch.setattr(asgi_application, "BodyQuota", lambda: BodyQuota(200_000))
    monkeypatch.setattr(http_exchange, "SENDER_GRACE_S", 0.2)
    with serve() as address, slow_senders(address, 4, 150_000) as senders:
        assert httpx.post(f"{address}/connect_waves", json=[wave(10)], timeout=10).status_code == 200
        assert senders[0].recv(12).endswith(b"408")


def test_a_body_that_finds_no_room_is_refused(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi_application, "BodyQuota", lambda: BodyQuota(100_000))
    monkeypatch.setattr(http_exchange, "QUOTA_WAIT_S", 0.0)
    with serve() as address, slow_senders(address, 1, 400_000):
        time.sleep(0.2)
        refused = httpx.post(f"{address}/connect_waves", json=[wave(10)], timeout=10)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert httpx.post(f"{address}/connect_waves", json=[wave(1)], timeout=10).status_code == 200


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("保存できません: /home/koe bako/.local/箱/presets.json", "保存できません: presets.json"),
        ("“/home/u/x.onnx” could not be read: no such file.", "“x.onnx” could not be read: no such file."),
        ("failed:C:\\Users\\声\\x y.json (access denied)", "failed:x y.json (access denied)"),
        (r"\\server\share\x.json", "x.json"),
        ("(/a/b) and '/c/d/'", "(b) and ''"),
        ("Load model from /v/mei/flow.onnx failed:/v/mei/flow.onnx", "Load model from flow.onnx"),
        ("See https://example.org/a/b, and/or /user_dict.", "See https://example.org/a/b, and/or /user_dict."),
    ],
)
def test_answers_show_no_folders(message: str, shown: str) -> None:
    assert strip_folders(message) == shown
    for error in (OutputFileError(message), VoiceError("", message), CorruptFileError(message, None)):
        assert convert_to_refusal(error).body["detail"] == shown


def test_what_is_ours_is_noted_in_full(client: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    make_private_folder(find_data_dir())
    (find_data_dir() / "dictionary.json").write_text("{", encoding="utf-8")
    answer = client.get("/user_dict")
    assert answer.status_code == 500
    assert "/" not in answer.json()["detail"]
    assert str(find_data_dir()) in "".join(caplog.messages)


def test_words_of_asyncio_stay_off_the_terminal(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """They are for those who write programs: the log has them, where they are no fault of a client."""
    connected = speech_server.HttpConnection.connection_made

    async def break_off() -> None:
        raise RuntimeError("nobody waits for this")

    def connection_made(self: speech_server.HttpConnection, transport: Any) -> None:
        connected(self, transport)
        task = self.loop.create_task(break_off())
        task.add_done_callback(lambda _done: gc.collect())
        logging.getLogger("asyncio").warning("socket.send() raised exception.")

    monkeypatch.setattr(speech_server.HttpConnection, "connection_made", connection_made)
    with serve() as address:
        for _ in range(3):
            httpx.get(f"{address}/version", timeout=60)  # all garbage is collected meanwhile
        gc.collect()
    assert capfd.readouterr().err == ""
    assert "the service: Task exception was never retrieved" in caplog.messages
