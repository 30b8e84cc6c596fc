"""What waits for slow readers: little of it in memory, and none of it for the synthesis thread."""

import errno
import socket
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.common.errors import OutputFileError
from app.service import routes_query, service_job
from app.service.query_synthesizer import QuerySynthesizer
from app.service.service_job import ResponseSpool, SpoolQuota

PIECE = 1 << 20
PIECES = 32


def made(_speech: QuerySynthesizer, _query: object, **_options: object) -> Iterator[Any]:
    """A long sound, of which each byte shows its place."""
    yield PIECE * PIECES
    for index in range(PIECES):
        yield bytes([index]) * PIECE


def test_few_bytes_wait_in_memory_and_more_on_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_job, "MAX_HELD_BYTES", 10)
    room = SpoolQuota(15, 100)
    first, second = ResponseSpool(room), ResponseSpool(room)
    pieces = [first.put_bytes(bytes([index]) * 4) for index in range(4)]
    assert [piece.content is None for piece in pieces] == [False, False, True, True]
    assert second.put_bytes(b"12345678").content is None  # all together have no more
    assert [first.take_bytes(piece) for piece in pieces] == [bytes([index]) * 4 for index in range(4)]
    assert second.put_bytes(b"abc").content == b"abc"  # what was read has made room
    first.close()
    second.close()
    assert second.put_bytes(b"abc").size == 0
    assert room.reserve_memory(15)
    room.reserve_disk(100)


def test_the_disk_has_a_limit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_job, "MAX_HELD_BYTES", 0)
    own = ResponseSpool(SpoolQuota(0, 10))
    piece = own.put_bytes(b"12345678")
    with pytest.raises(OutputFileError, match="unread audio"):
        own.put_bytes(b"abc")
    assert own.take_bytes(piece) == b"12345678"
    own.close()
    assert own.take_bytes(piece) == b""


def asked(url: str, path: str, query: bytes) -> socket.socket:
    """A connection that has asked, and takes little of the answer."""
    own = socket.socket()
    own.settimeout(30)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    own.connect(("127.0.0.1", int(url.rpartition(":")[2])))
    own.sendall(f"POST {path} HTTP/1.1\r\nHost: {url[7:]}\r\nConnection: close\r\nContent-Length: {len(query)}\r\n\r\n".encode() + query)
    return own


@pytest.mark.parametrize("path", ["/streaming_synthesis", "/synthesis"])
def test_a_slow_reader_costs_little_memory(client: httpx.Client, url: str, style: int, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """And gets every byte in the end; others are answered while it waits."""
    query = client.post("/audio_query", params={"text": "はい", "speaker": style}).content
    monkeypatch.setattr(routes_query, "synthesize_pieces", made)
    tracemalloc.start()
    try:
        with asked(url, f"{path}?speaker={style}", query) as own:
            answer = own.recv(4096)
            assert answer.startswith(b"HTTP/1.1 200")
            assert client.post("/initialize_speaker", params={"speaker": style}).status_code == 204  # after all of it was made
            assert tracemalloc.get_traced_memory()[1] < service_job.MAX_HELD_BYTES + 8 * PIECE
            found = answer.partition(b"\r\n\r\n")[2]
            total, wrong = len(found), found.count(0) != len(found)
            while total < PIECE * PIECES:
                piece = own.recv(1 << 16)
                assert piece
                wrong |= piece[0] != total // PIECE or piece[-1] != (total + len(piece) - 1) // PIECE
                total += len(piece)
        assert not wrong
        assert tracemalloc.get_traced_memory()[1] < service_job.MAX_HELD_BYTES + 8 * PIECE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("path", ["/streaming_synthesis", "/synthesis", "/multi_synthesis"])
def test_a_full_disk_ends_that_answer_alone(
    client: httpx.Client, url: str, style: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    class Full:
        def write(self, _data: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        def seek(self, *_place: int) -> int:
            return 0

        def tell(self) -> int:
            return 0

        def close(self) -> None:
            pass

    values = client.post("/audio_query", params={"text": "はい", "speaker": style}).content
    with monkeypatch.context() as patch:
        patch.setattr(routes_query, "synthesize_pieces", made)
        patch.setattr(service_job, "_open_file", Full)
        body = b"[" + values + b"]" if path == "/multi_synthesis" else values
        with asked(url, f"{path}?speaker={style}", body) as own:
            time.sleep(0.3)
            content = b""
            while piece := _received(own):
                content += piece
        assert len(content) < PIECE * PIECES
        if path != "/streaming_synthesis":
            assert content.startswith(b"HTTP/1.1 500")
            assert b"the disk is full" in content
    assert client.post("/synthesis", params={"speaker": style}, content=values).content[:4] == b"RIFF"
    (told,) = [record for record in caplog.records if record.name == "koebako"]
    assert "the disk is full" in told.getMessage()
    assert told.exc_info is None


def _received(own: socket.socket) -> bytes:
    try:
        return own.recv(1 << 16)
    except (ConnectionResetError, TimeoutError):
        return b""
