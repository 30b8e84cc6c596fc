"""The events of OpenAI's speech route: hostile bodies, clients that leave in the middle or read slowly, and many at once."""

import base64
import json
import random
import socket
import struct
import threading
import time
from contextlib import suppress
from typing import Any

from app.service.service_job import MAX_WAITING_JOBS
from tests.campaigns.attack.area import LIMIT_S, Case
from tests.campaigns.attack.areas.services import Services
from tests.campaigns.attack.hostile.texts import hostile_text

FORMATS = ("wav", "pcm", "mp3", "flac", "opus")
LONG_TEXT = "駅前の公園まで歩いて行きました。" * 60
VALUES = (None, True, 0, -1, 1e308, "", "x", [], {}, "SSE", "audio", ["sse"])
RESET = struct.pack("ii", 1, 0)  # a close by which what is on its way is lost


class Events(Services):
    """One client a try, or a crowd of them."""

    def attempt(self, case: Case) -> str:
        """Asks for events, and looks whether they are whole, and the service is still there for others."""
        way = case.draw.choice((self._read_all, self._read_all, self._read_all, self._leave, self._leave, self._read_slowly, self._crowd))
        outcome = way(case)
        case.doing("does it still speak?")
        self._judge_events(
            case, self._exchange(self._build_request({"input": "はい。", "stream_format": "sse", "response_format": "pcm"})), True
        )
        return outcome

    def _read_all(self, case: Case) -> str:
        """A body as nobody should send it."""
        body = self._build_body(case.draw)
        case.doing(f"events {json.dumps(body)[:1000]}")
        self._judge_events(case, self._exchange(self._build_request(body)), False)
        return "read"

    def _leave(self, case: Case) -> str:
        """A client that has seen enough, or never read at all."""
        body = {"input": LONG_TEXT, "stream_format": "sse", "response_format": case.draw.choice(FORMATS)}
        wanted, reset = case.draw.choice((0, 1, 500, 100_000)), case.draw.random() < 0.5
        case.doing(f"a client that leaves after {wanted} bytes, reset {reset}, of {body['response_format']}")
        request = self._build_request(body)
        with socket.create_connection(("127.0.0.1", self._port), timeout=LIMIT_S) as own:
            own.sendall(request[: case.draw.choice((len(request), len(request), len(request) // 2))])
            if wanted == 0:
                time.sleep(case.draw.random() * 0.3)
            own.settimeout(0.5)  # half a request is never answered
            with suppress(TimeoutError):
                while wanted > 0 and (piece := own.recv(min(wanted, 1 << 16))):
                    wanted -= len(piece)
            if reset:
                own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        return "left"

    def _read_slowly(self, case: Case) -> str:
        """A client that takes its time, with a small window; others are served meanwhile."""
        body = {"input": LONG_TEXT[: case.draw.choice((50, 400))], "stream_format": "sse", "response_format": "wav"}
        case.doing(f"a slow reader of {len(body['input'])} characters")
        case.allow(LIMIT_S * 2)
        with socket.socket() as own:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            own.settimeout(LIMIT_S)
            own.connect(("127.0.0.1", self._port))
            own.sendall(self._build_request(body))
            found = own.recv(1)
            for _ in range(20):
                time.sleep(0.02)
                found += own.recv(100)
            if self._asked("GET", "/version")[0] != 200:
                case.complain("hang", "nobody else is served beside a slow reader", "a slow reader")
            while piece := own.recv(1 << 16):
                found += piece
        self._judge_events(case, found, True)
        return "slow"

    def _crowd(self, case: Case) -> str:
        """Many at once; each gets all of its sound, or is sent away."""
        count = case.draw.choice((8, 40))
        case.doing(f"{count} clients at once")
        case.allow(LIMIT_S * 4)
        answers: list[bytes] = []
        request = self._build_request({"input": "はい、聞こえています。", "stream_format": "sse", "response_format": "wav"})
        clients = [threading.Thread(target=lambda: answers.append(self._exchange(request, LIMIT_S * 3))) for _ in range(count)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        if len(answers) != count <= MAX_WAITING_JOBS:
            case.complain("hang", f"{len(answers)} of {count} were answered", "many at once")
        for answer in answers:
            self._judge_events(case, answer, True)
        return "crowd"

    def _build_body(self, draw: random.Random) -> Any:
        body: dict[str, Any] = {"input": hostile_text(draw)[:100], "stream_format": "sse", "response_format": draw.choice(FORMATS)}
        for name in ("stream_format", "response_format", "voice", "speed", "input", "model", "instructions"):
            if draw.random() < 0.08:
                body[name] = draw.choice(VALUES)
        return body if draw.random() < 0.95 else draw.choice(([body], [], None, "sse"))

    def _build_request(self, body: Any) -> bytes:
        content = json.dumps(body).encode()
        head = f"POST /v1/audio/speech HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nConnection: close\r\nContent-Length: {len(content)}"
        return f"{head}\r\n\r\n".encode() + content

    def _exchange(self, request: bytes, limit_s: float = LIMIT_S) -> bytes:
        found = b""
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), timeout=limit_s) as own:
            own.sendall(request)
            while piece := own.recv(1 << 16):
                found += piece
        return found

    def _judge_events(self, case: Case, answer: bytes, must_speak: bool) -> None:
        """Complains of an answer that is neither whole events nor an error with a sentence."""
        head, _, body = answer.partition(b"\r\n\r\n")
        status = head[9:12]
        if status == b"503" or (status[:1] == b"4" and not must_speak):
            return
        if status != b"200":
            case.complain("wrong" if status[:1] != b"5" else "traceback", f"{answer[:600]!r}", "events")
        elif b"text/event-stream" in head:
            self._judge_stream(case, _join_chunks(body))
        elif must_speak:
            case.complain("wrong", f"no events: {head!r}", "events")

    def _judge_stream(self, case: Case, stream: bytes) -> None:
        *events, rest = stream.split(b"\n\n")
        try:
            values = [json.loads(event.removeprefix(b"data: ")) for event in events]
            kinds = [value["type"] for value in values]
            sound = b"".join(base64.b64decode(value["audio"], validate=True) for value in values[:-1])
        except (ValueError, KeyError) as error:
            case.complain("half", f"{error}: {stream[-300:]!r}", "events")
            return
        if rest or not sound or kinds != ["speech.audio.delta"] * (len(kinds) - 1) + ["speech.audio.done"]:
            case.complain("half", f"{kinds[-3:]}, {len(sound)} bytes, then {rest[:100]!r}", "events")


def _join_chunks(body: bytes) -> bytes:
    found = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        count = int(size or b"0", 16)
        found, body = found + body[:count], body[count + 2 :]
    return found


ATTACKS = Events
