"""The local service asked by strangers: hostile texts, damaged bodies, odd parameters, and bytes that are no request."""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote_from_bytes, urlencode

from app.common.files import paths
from app.compose.speaker_opening import open_speaker
from app.engine.engine import EngineThread
from app.engine.open_voices import OpenVoices
from app.service.access import AccessRules, bind_sockets
from app.service.http_service import HttpService
from app.service.openapi_document import DESCRIBED_ROUTES
from app.service.service_job import ServiceJobQueue
from app.service.speech_server import SpeechServer
from app.service.style_catalogue import build_catalogue
from app.voices.installed_voices import list_installed_voices
from tests.campaigns.attack.area import LIMIT_S, Area, Case
from tests.campaigns.attack.hostile.json_damage import Damages
from tests.campaigns.attack.hostile.texts import hostile_text

NUMBERS = ("0", "-1", "1e999", "NaN", "١", "", "0x10", "9" * 400, "1.5", "true", "null", "%00")
HOSTS = ("evil.example", "localhost", "127.0.0.1", "[::1]", "", "localhost\x00", "localhost, evil.example", "[", "::1", "127.1")
HEADERS = (
    b"Origin: null",
    b"Transfer-Encoding: chunked",
    b"Content-Length: 5",
    b"Expect: 100-continue",
    b"Upgrade: websocket",
    b"X: " + b"a" * 70_000,
)
KEPT = ("presets.json", "service_presets.json", "dictionary.json")


class Services(Area):
    """One request a try."""

    def prepare(self) -> None:
        """A service that lets nobody change anything."""
        sockets = bind_sockets("127.0.0.1", 0)
        self._port = sockets[0].getsockname()[1]
        speaker = open_speaker(None, "cpu")
        voices = OpenVoices(lambda _opening: speaker)
        catalogue = build_catalogue(list_installed_voices(paths.list_voice_dirs()))
        service = HttpService(catalogue, ServiceJobQueue(EngineThread(voices).engine), AccessRules(self._port), voices.is_open)
        SpeechServer(sockets, service).start()
        first = catalogue.first_style
        self._style = 0 if first is None else first.id
        made = self._asked("POST", f"/audio_query?speaker={self._style}&text=" + quote_from_bytes("やあ、元気？".encode()))
        self._damages = Damages(made[1])

    def attempt(self, case: Case) -> str:
        """Asks, and looks whether anything but an answer came of it."""
        kind = case.draw.random()
        outcome = self._raw(case) if kind < 0.3 else self._route(case)
        case.doing("is it still there?")
        if self._asked("GET", "/version")[0] != 200:
            case.complain("hang", "the service does not answer any more")
        for name in KEPT:
            if (self.place.home / name).exists():
                case.complain("wrong", f"{name} was written without leave")
        return outcome

    def _route(self, case: Case) -> str:
        """A route, with parameters and a body as nobody should send them."""
        draw, route = case.draw, case.draw.choice(DESCRIBED_ROUTES)
        values = {text.partition("?")[0].partition(":")[0]: self._value(case, text) for text in route.parameters if draw.random() < 0.9}
        target = route.path.replace("{word_uuid}", quote_from_bytes(hostile_text(draw)[:40].encode("utf-8", "replace")))
        body = None if route.body is None else self._body(case)
        address = target + "?" + urlencode(values, errors="surrogatepass")
        case.doing(f"{route.method} {address[:300]!a} {body[:300] if body else b''!a}")
        found = case.call(address[:200], lambda: self._asked(route.method.upper(), address, body), http.client.HTTPException, OSError)
        if found is None:
            return "closed"
        status, content = found
        if status >= 500 and status not in (501, 503):
            case.complain("traceback", f"{status} for {route.method} {address[:500]!a} {body!a}: {content[:500]!r}", route.path)
        if b"Traceback" in content:
            case.complain("traceback", f"shown to a client: {content[:500]!r}", route.path)
        return str(status)

    def _value(self, case: Case, parameter: str) -> str:
        draw = case.draw
        if parameter.startswith("speaker:") and draw.random() < 0.8:
            return str(self._style)
        if parameter.endswith(":string"):
            return hostile_text(draw)[:200]
        return draw.choice((*NUMBERS, "1", "true"))

    def _body(self, case: Case) -> bytes:
        draw = case.draw
        if draw.random() < 0.5:
            return self._damages[draw.randrange(len(self._damages))][1]
        own: dict[str, Any] = {
            "text": hostile_text(draw)[:100],
            "input": hostile_text(draw)[:100],
            "voice": draw.choice(("Mei", "", "x", 1, None)),
        }
        if draw.random() < 0.5:
            own["format"] = own["response_format"] = draw.choice(("pcm", "wav", "mp3", "flac", "opus"))
        for name in ("speed", "pauses", "format", "rate", "seed", "style_id", "response_format", "speaker", "style", "post_silence_s"):
            if draw.random() < 0.2:
                own[name] = draw.choice((0, -1, 1e300, "x", None, [], {"、": 1}, {"x" * 99: "y"}, True))
        return json.dumps(draw.choice((own, [own], [[]], "x", 1))).encode()

    def _raw(self, case: Case) -> str:
        """Bytes that are almost a request."""
        draw = case.draw
        head = [draw.choice((b"GET", b"POST", b"OPTIONS", b"\x00", b"PRI")) + b" " + draw.choice((b"/version", b"*", b"//x", b"http://e/", b"/\xff", b"/%ff%00/..")) + b" HTTP/1." + draw.choice((b"1", b"0", b"9"))]  # fmt: skip
        host = draw.choice(HOSTS)
        mine = host in ("localhost", "127.0.0.1", "[::1]") and draw.random() < 0.7
        head.append(f"Host: {host}:{self._port if mine else 80}".encode())
        head += draw.sample(HEADERS, draw.randrange(3))
        content = draw.choice((b"\r\n", b"\n")).join(head) + b"\r\n\r\n" + draw.choice((b"", b"5\r\nhello\r\n0\r\n\r\n", b"hello"))
        if case.once_in(4):
            place = draw.randrange(len(content))
            content = content[:place] + bytes([draw.randrange(256)]) + content[place + 1 :]
        case.doing(f"raw {content[:300]!a}")
        answer = b""
        with self._connection() as own:
            try:
                own.sendall(content)
                own.shutdown(socket.SHUT_WR)
                while piece := own.recv(1 << 16):
                    answer += piece
            except (ConnectionError, TimeoutError):
                pass
        if answer.startswith(b"HTTP/1.1 200") and b'"0.' in answer and not mine:
            case.complain("escape", f"answered to a stranger: {content[:300]!r}", "the Host")
        if answer[9:10] == b"5" and answer[9:12] not in (b"501", b"503"):
            case.complain("traceback", f"{answer[:300]!r} for {content[:500]!r}", "a raw request")
        return answer[9:12].decode("latin-1") or "closed"

    @contextmanager
    def _connection(self) -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self._port), timeout=LIMIT_S) as own:
            yield own

    def _asked(self, method: str, address: str, body: bytes | None = None) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=LIMIT_S)
        try:
            connection.request(method, address, body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


ATTACKS = Services
