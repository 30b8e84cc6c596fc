"""Both ports of the chat reader: cut and damaged commands, lengths that lie, heads that are none, and pages of browsers."""

import random
import socket
import struct
from urllib.parse import quote_from_bytes

from app.service.chat.chat_protocol import ChatCommand
from app.service.chat.chat_queue import ChatQueue, ChatRules
from app.service.chat.chat_server import ChatServer
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.hostile.texts import hostile_text

LENGTHS = (0, 1, -1, -(1 << 31), (1 << 31) - 1, 65_536, 65_537, 100)
FOREIGN = (
    "Origin: http://evil.example",
    "Origin: null",
    "Sec-Fetch-Site: cross-site",
    "Sec-Fetch-Site: same-site",
    "Origin: http://localhost",
)
HOSTS = ("evil.example", "127.0.0.1", "[::1", "localhost, evil.example", "", "127.0.0.1:1")
WAIT_S = 8.0  # longer than a connection may last
MOST_WAITING = 20


class Chat(Area):
    """One connection a try; after each, the reader must still answer."""

    def prepare(self) -> None:
        """A reader that nobody listens to: what it accepts waits."""
        self._queue = ChatQueue(ChatRules(max_waiting=MOST_WAITING))
        self._server = ChatServer(self._queue, 0, 0)

    def attempt(self, case: Case) -> str:
        """Sends, and looks whether the reader lives and let nobody in who must stay out."""
        self._queue.clear()
        outcome = self._send_http(case) if case.draw.random() < 0.4 else self._send_commands(case)
        if len(self._queue) > MOST_WAITING:
            case.complain("memory", f"{len(self._queue)} comments wait")
        alive = case.call("a question", lambda: self._exchange(self._server.port, struct.pack("<h", ChatCommand.GET_WAITING)), OSError)
        if alive is None or len(alive) != 4:
            case.complain("hang", f"no answer to a question: {alive!r}", "chat")
        return outcome

    def _send_commands(self, case: Case) -> str:
        draw = case.draw
        data = b"".join(self._build_command(draw) for _ in range(draw.choice((1, 1, 3, 40))))
        if draw.random() < 0.4 and data:
            at = draw.randrange(len(data))
            data = data[:at] + draw.randbytes(draw.randrange(4)) + data[at + draw.randrange(3) :]
        case.call(f"commands {data[:60]!r}", lambda: self._exchange(self._server.port, data, draw.choice((1, 7, 1 << 16))), OSError)
        return "commands"

    def _build_command(self, draw: random.Random) -> bytes:
        if draw.random() < 0.3:
            return struct.pack("<H", draw.choice((*ChatCommand, 0, 0xFFFF, draw.randrange(1 << 16))))
        text = hostile_text(draw).encode("utf-8", "surrogatepass") if draw.random() < 0.8 else draw.randbytes(draw.randrange(300))
        length = len(text) if draw.random() < 0.8 else draw.choice(LENGTHS)
        numbers = [draw.choice((-1, 0, 100, 32_767, -32_768)) for _ in range(4)]
        return struct.pack("<HhhhhBi", 1, *numbers, draw.choice((0, 0, 1, 2, 255)), length) + text

    def _send_http(self, case: Case) -> str:
        draw = case.draw
        text = quote_from_bytes(hostile_text(draw)[:500].encode("utf-8", "surrogatepass"))
        host, foreign = f"127.0.0.1:{self._server.http_port}", draw.random() < 0.5
        lines = [f"GET /Talk?text={text}&voice={draw.choice(('0', '-1', 'x', '9' * 40, ''))} HTTP/1.1", f"Host: {host}"]
        if foreign and draw.random() < 0.5:
            lines[1] = f"Host: {draw.choice(HOSTS)}"
        elif foreign:
            lines.append(draw.choice(FOREIGN))
        data = ("\r\n".join(lines) + "\r\n\r\n").encode()
        if not foreign and draw.random() < 0.4:
            at = draw.randrange(len(data))
            data = data[:at] + draw.randbytes(draw.randrange(6)) + data[at + draw.randrange(6) :]
        answer = case.call(f"http {data[:200]!r}", lambda: self._exchange(self._server.http_port, data), OSError)
        if foreign and (len(self._queue) or (answer and b" 403 " not in answer[:20])):
            case.complain("escape", f"a stranger was let in: {lines} {answer!r}", "chat over HTTP")
        return "http"

    def _exchange(self, port: int, data: bytes, piece: int = 1 << 16) -> bytes:
        found = b""
        with socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as own:
            for start in range(0, min(len(data), 300 * piece), piece):
                own.sendall(data[start : start + piece])
            own.shutdown(socket.SHUT_WR)
            while part := own.recv(4096):
                found += part
        return found


ATTACKS = Chat
