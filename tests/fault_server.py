"""A local HTTP server that misbehaves as told: what real servers, lines and proxies do to downloads."""

from __future__ import annotations

import gzip
import http.server
import re
import socket
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import pytest

from app.common.errors import DownloadError


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]


@dataclass(frozen=True)
class Reply:
    """One answer and its faults.

    Attributes:
        drop_at: position in the body at which the connection is cut.
        announced: a Content-Length that lies.
        stall_at: position at which the server falls silent until it is closed; -1: before the head.
        trickle: bytes a step, a few milliseconds each.
        ranges: whether Range is honoured; `wrong_range` answers another range than the one asked for.
        framing: "length", "chunked" or "close" (neither length nor chunks).
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    etag: str | None = '"one"'
    ranges: bool = True
    wrong_range: bool = False
    drop_at: int | None = None
    announced: int | None = None
    stall_at: int | None = None
    trickle: int | None = None
    framing: str = "length"
    zipped: bool = False
    endless: bool = False

    def send(self, handler: FaultHandler) -> None:
        """Answers the request of the handler."""
        if self.stall_at == -1:
            handler.faults.closing.wait(60)
            return
        body = gzip.compress(self.body) if self.zipped else self.body
        start = self._start(handler, body)
        if start is not None and start >= len(body):
            handler.send_response(416)
            handler.send_header("Content-Range", f"bytes */{len(body)}")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        self._send_head(handler, body, start)
        if handler.command != "HEAD":
            self._send_body(handler, body, start or 0)

    def _start(self, handler: FaultHandler, body: bytes) -> int | None:
        match = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
        same = handler.headers.get("If-Range") in (None, self.etag, self.headers.get("Last-Modified"))
        return int(match[1]) if match and self.ranges and same and self.status == 200 else None

    def _send_head(self, handler: FaultHandler, body: bytes, start: int | None) -> None:
        handler.send_response(self.status if start is None else 206)
        if start is not None:
            shown = start - 1 if self.wrong_range else start
            handler.send_header("Content-Range", f"bytes {shown}-{len(body) - 1}/{len(body)}")
        if self.etag is not None:
            handler.send_header("ETag", self.etag)
        if self.zipped:
            handler.send_header("Content-Encoding", "gzip")
        if self.framing == "length":
            length = len(body) - (start or 0) if self.announced is None else self.announced
            handler.send_header("Content-Length", str(length))
        elif self.framing == "chunked":
            handler.send_header("Transfer-Encoding", "chunked")
        for name, value in self.headers.items():
            handler.send_header(name, value)
        if self.framing != "length" or self.announced is not None:
            handler.close_connection = True
        handler.end_headers()

    def _send_body(self, handler: FaultHandler, body: bytes, start: int) -> None:
        stop = min(value for value in (len(body), self.drop_at, self.stall_at) if value is not None)
        step = self.trickle or 1 << 16
        position = start
        while position < stop or self.endless:
            block = body[position : min(position + step, stop)] or bytes(step)
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(block), block) if self.framing == "chunked" else block)
            position += len(block)
            if self.trickle:
                time.sleep(0.005)
        if self.stall_at is not None:
            handler.faults.closing.wait(60)
        if self.drop_at is not None or self.stall_at is not None:
            handler.cut()
        elif self.framing == "chunked":
            handler.wfile.write(b"0\r\n\r\n")


@dataclass(frozen=True)
class Raw(Reply):
    """An answer byte by byte, its head included, which need not be HTTP at all; the connection ends with it.

    Attributes:
        sent: at once.
        again, every_s: what comes after that, over and over, and with what rests, until the server or the client closes.
    """

    sent: bytes = b""
    again: bytes = b""
    every_s: float = 0.0

    def send(self, handler: FaultHandler) -> None:
        """Answers the request of the handler."""
        handler.close_connection = True
        handler.wfile.write(self.sent)
        while self.again and not handler.faults.closing.wait(self.every_s):
            handler.wfile.write(self.again)


class FaultHandler(http.server.BaseHTTPRequestHandler):
    """Looks up the reply for the path; the last one of several is repeated."""

    protocol_version = "HTTP/1.1"
    server: _Server

    @property
    def faults(self) -> FaultServer:
        """Whose handler it is."""
        return self.server.faults

    def do_GET(self) -> None:
        """Any request; as a proxy it is asked for a whole address."""
        path = urllib.parse.unquote(re.sub(r"^https?://[^/]+", "", self.path))
        self.faults.asked.append(Asked(self.command, self.path, {name.title(): value for name, value in self.headers.items()}))
        replies = self.faults.replies.get(path, [Reply(status=404)])
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        (reply if isinstance(reply, Reply) else reply()).send(self)

    do_HEAD = do_GET  # noqa: N815
    do_CONNECT = do_GET  # noqa: N815

    def cut(self) -> None:
        """Ends the connection without a word."""
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silent."""


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    faults: FaultServer

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are part of the tests."""


class FaultServer:
    """Serves `replies[path]` on a free port of 127.0.0.1 while its `with` block runs, and keeps what was `asked`."""

    def __init__(self, certificate: Path | None = None) -> None:
        self.replies: dict[str, list[Reply | Callable[[], Reply]]] = {}
        self.asked: list[Asked] = []
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), FaultHandler)
        self._server.faults = self
        self._scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self._scheme = "https"

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.server_address[1]

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """The address of a path."""
        return f"{self._scheme}://{host}:{self.port}{path}"

    def reply(self, path: str, *replies: Reply | Callable[[], Reply]) -> str:
        """Sets the answers of a path, one a request, the last one repeated; returns its address."""
        self.replies[path] = list(replies)
        return self.url(path)

    def ranges(self) -> list[str | None]:
        """The Range of each request so far."""
        return [item.headers.get("Range") for item in self.asked]

    def __enter__(self) -> FaultServer:
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextmanager
def failing_kindly() -> Iterator[None]:
    """The block succeeds, or fails with an error of a download that says what the user can do."""
    hint = "nothing to do"
    try:
        yield
    except DownloadError as error:
        hint = error.hint
    assert hint


def hub_server(monkeypatch: pytest.MonkeyPatch, end: str = "") -> Iterator[FaultServer]:
    """For a fixture: a server that stands for every hub, reached without a proxy or a login; `end` closes the addresses it is named by."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with FaultServer() as server:
        monkeypatch.setenv("KOEBAKO_AIVISHUB", server.url(f"/v1{end}"))
        monkeypatch.setenv("HF_ENDPOINT", server.url(end))
        yield server
