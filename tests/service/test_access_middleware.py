"""Who may ask, how much, and for how long: the attacks that pages and programs on the same computer can try."""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import httpx
import pytest

from app.service import asgi_application, http_exchange, speech_server
from app.service.access import AccessRules
from tests.service.conftest import Serve

TOKEN = "a-token-of-some-length"


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def status(url: str, headers: dict[str, str], method: str = "GET", path: str = "/version") -> int:
    return httpx.request(method, url + path, headers=headers).status_code


def raw(url: str, request: bytes, wait_s: float = 5.0) -> bytes:
    """What comes back for bytes that no client would send; nothing where the connection is closed without a word."""
    with socket.create_connection(("127.0.0.1", port_of(url)), timeout=wait_s) as own:
        own.sendall(request)
        own.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while piece := own.recv(65536):
                answer += piece
        except ConnectionResetError:
            pass
        return answer


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1", "localhost.evil.example:{port}", "localhost.:{port}", "[::1", "",
     "127.0.0.1.nip.io:{port}", "0.0.0.0:{port}", "127.0.0.1:{port}@evil.example", "localhost:{port}:{port}", "localhost:٢"],
)  # fmt: skip
def test_a_rebound_name_reads_nothing(serve: Serve, host: str) -> None:
    with serve() as url:
        port = port_of(url)
        for path in (b"/version", b"/nothing", b"/docs"):
            answer = raw(url, b"GET " + path + b" HTTP/1.1\r\nHost: " + host.format(port=port).encode() + b"\r\nConnection: close\r\n\r\n")
            assert answer.split(b" ")[1] in (b"403", b"400"), answer


@pytest.mark.parametrize(
    "host", ["localhost:{port}", "LOCALHOST:{port}", "127.0.0.1:{port}", "[::1]:{port}", "127.8.9.1:{port}", "mine.lan:{port}"]
)
def test_names_of_this_computer_are_answered(serve: Serve, host: str) -> None:
    with serve(hosts=frozenset(["mine.lan"])) as url:
        assert status(url, {"Host": host.format(port=port_of(url))}) == 200


def test_pages_of_strangers_get_nothing(serve: Serve) -> None:
    with serve(origins=frozenset(["https://mine.example"])) as url:
        for origin in (
            "https://evil.example",
            "null",
            "http://localhost.evil.example",
            "file://",
            "https://mine.example.evil",
            "http://[",
            "x",
            "localhost",
        ):
            assert status(url, {"Origin": origin}) == 403, origin
            assert status(url, {"Origin": origin}, "POST", "/audio_query?text=a&speaker=1") == 403
            assert status(url, {"Origin": origin}, "OPTIONS") == 403
        assert status(url, {"Sec-Fetch-Site": "cross-site"}) == 403
        assert status(url, {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:3000"}) == 403
        for allowed in (
            {"Origin": "http://localhost:3000"},
            {"Origin": "http://127.0.0.1"},
            {"Sec-Fetch-Site": "none"},
            {"Sec-Fetch-Site": "same-origin"},
        ):
            assert status(url, allowed) == 200, allowed
        answer = httpx.get(f"{url}/version", headers={"Origin": "https://mine.example", "Sec-Fetch-Site": "cross-site"})
        assert answer.headers["access-control-allow-origin"] == "https://mine.example"
        before = httpx.options(f"{url}/synthesis", headers={"Origin": "https://mine.example", "Access-Control-Request-Method": "POST"})
        assert (before.status_code, before.headers["access-control-allow-origin"]) == (204, "https://mine.example")
        assert "access-control-allow-origin" not in httpx.get(f"{url}/version").headers


def test_a_token_is_asked_for_before_anything_else(serve: Serve) -> None:
    with serve(token=TOKEN) as url:
        for header in (
            {},
            {"Authorization": TOKEN},
            {"Authorization": f"Basic {TOKEN}"},
            {"Authorization": f"Bearer {TOKEN}x"},
            {"Authorization": "Bearer"},
        ):
            assert status(url, header) == 401
            assert status(url, header, path="/nothing") == 401
        assert status(url, {"Authorization": f"Bearer {TOKEN}"}) == 200
        assert (
            raw(
                url, f"GET /version HTTP/1.1\r\nHost: localhost:{port_of(url)}\r\nAuthorization: Bearer \xff\xfe\r\n\r\n".encode("latin-1")
            )[9:12]
            == b"401"
        )
        assert TOKEN not in repr(AccessRules(1, token=TOKEN))


@pytest.mark.parametrize(
    "request_head",
    [
        "POST /connect_waves HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /version HTTP/1.1\r\nHost: {host}\r\n\r\n",
        "POST /connect_waves HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]]",
        "GET http://evil.example/version HTTP/1.1\r\nHost: {host}\r\n\r\n",
        "GET /version HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n",
        "GET /version HTTP/1.1\r\nHost: {host}\r\nX: a\r\n b\x00\r\n\r\n",
        "GET /version HTTP/1.1\r\n\r\n",
        "GET /version HTTP/1.0\r\n\r\n",
        "GET /version\r\n\r\n",
        "\x16\x03\x01\x02\x00",
        "POST /connect_waves HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n",
        "POST /connect_waves HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "GET /version HTTP/1.1\r\nHost: {host}\r\nOrigin: http://localhost\r\nOrigin: https://evil.example\r\n\r\n",
    ],
)
def test_requests_that_mean_two_things_are_refused(serve: Serve, request_head: str) -> None:
    with serve() as url:
        answer = raw(url, request_head.format(host=f"localhost:{port_of(url)}").encode("latin-1"))
        assert b"HTTP/1.1 200" not in answer, answer
        assert status(url, {}) == 200


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nnonsense\r\n", id="what follows is no chunk"),
        pytest.param('Content-Length: 25\r\n\r\n{"text":"はい。"}\x00\xff nonsense\r\n\r\n', id="what follows is no request"),
        pytest.param("Content-Length: 100\r\n\r\n{", id="the client leaves in the middle"),
    ],
)
def test_a_request_that_breaks_off_is_nothing_unexpected(serve: Serve, caplog: pytest.LogCaptureFixture, body: str) -> None:
    with serve() as url:
        for path in ("/v1/speak", "/v1/timings", "/connect_waves"):
            raw(url, f"POST {path} HTTP/1.1\r\nHost: localhost:{port_of(url)}\r\n{body}".encode())
        assert status(url, {}) == 200
    assert [record.getMessage() for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []


def test_headers_of_proxies_mean_nothing(serve: Serve) -> None:
    with serve() as url:
        assert status(url, {"Host": "evil.example", "X-Forwarded-Host": "localhost", "Forwarded": "host=localhost"}) == 403


def test_bodies_and_headers_have_limits(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi_application, "BODY_BYTES", 100_000)
    with serve() as url:
        assert httpx.post(f"{url}/v1/speak", content=b"x" * 100_001).status_code == 413

        def endless() -> Iterator[bytes]:
            while True:
                yield b"[" * 50_000

        with suppress(httpx.TransportError):  # closed while we still send
            assert httpx.post(f"{url}/v1/speak", content=endless()).status_code == 413
        assert raw(url, b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n")[9:12] in (b"", b"400")
        assert httpx.post(f"{url}/connect_waves", content=b"[" * 90_000).status_code == 422  # nested too deeply
        announced = f"POST /v1/speak HTTP/1.1\r\nHost: localhost:{port_of(url)}\r\nContent-Length: 999999999\r\n\r\n".encode()
        assert raw(url, announced)[9:12] == b"413"
        assert status(url, {}) == 200


def test_slow_senders_are_let_go(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech_server, "HEADER_TIMEOUT_S", 0.3)
    monkeypatch.setattr(http_exchange, "BODY_TIMEOUT_S", 0.3)
    with serve() as url:
        host = f"localhost:{port_of(url)}"
        for begun, answer in (
            ("GET /ver", b""),
            ("", b""),
            (f"POST /v1/speak HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n{{", b"408"),
        ):
            with socket.create_connection(("127.0.0.1", port_of(url)), timeout=5) as own:
                own.sendall(begun.encode())
                began = time.perf_counter()
                try:
                    got = own.recv(1000)
                except ConnectionResetError:
                    got = b""
                assert got[9:12] == answer
                assert time.perf_counter() - began < 3


def test_a_thousand_connections_lock_nobody_out(serve: Serve) -> None:
    with serve() as url:
        held = []
        try:
            for index in range(1000):
                own = socket.create_connection(("127.0.0.1", port_of(url)), timeout=5)
                own.sendall(b"" if index % 2 else b"GET /version HTTP/1.1\r\nHost:")
                held.append(own)
                if len(held) > 500:  # as many as a process may have open everywhere
                    held.pop(0).close()
            began = time.perf_counter()
            assert status(url, {}) == 200
            assert time.perf_counter() - began < 2
            with suppress(ConnectionResetError):  # the oldest made room
                assert held[0].recv(1) == b""
            assert time.perf_counter() - began < speech_server.HEADER_TIMEOUT_S / 2
        finally:
            for own in held:
                own.close()


def test_a_slow_reader_is_let_go(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """And holds up nobody while it is here."""
    monkeypatch.setattr(speech_server, "UNREAD_TIMEOUT_S", 0.5)
    with serve() as url:
        style = httpx.get(f"{url}/speakers").json()[0]["styles"][0]["id"]
        text = "遅い相手にも、速い相手にも、同じように答えます。" * 8
        body = b'{"text":"' + text.encode() + b'","rate":192000,"stereo":true}'
        with socket.create_connection(("127.0.0.1", port_of(url)), timeout=20) as own:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            own.sendall(f"POST /v1/speak HTTP/1.1\r\nHost: localhost:{port_of(url)}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            assert own.recv(100).startswith(b"HTTP/1.1 200")
            time.sleep(1.5)
            assert httpx.post(f"{url}/audio_query", params={"text": "はい", "speaker": style}, timeout=20).status_code == 200
            with pytest.raises(ConnectionResetError):
                own.sendall(b"x" * (1 << 23))
