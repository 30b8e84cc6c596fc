"""A server that says whatever bytes it is given, as slowly as it is told, and keeps what it was asked."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Sequence

LONGEST_HEAD = 1 << 20
MOST_DRIP_S = 0.5
Piece = bytes | float
Answer = Sequence[Piece]
"""What to send, and seconds to wait in between; the connection is closed at the end."""


class HostileServer:
    """Listens on a port of 127.0.0.1 until it is closed.

    Attributes:
        answer: from the head of a request to what is sent.
        heads: every request so far.
    """

    def __init__(self) -> None:
        self.answer: Callable[[bytes], Answer] = lambda _head: []
        self.heads: list[bytes] = []
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, name="hostile server", daemon=True).start()

    def url(self, path: str) -> str:
        """The address of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def _serve(self) -> None:
        while True:
            with contextlib.suppress(OSError):
                connection, _ = self._listening.accept()
                threading.Thread(target=self._talk, args=(connection,), name="hostile answer", daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.settimeout(MOST_DRIP_S)
            head = b""
            while b"\r\n\r\n" not in head and len(head) < LONGEST_HEAD:
                if not (data := connection.recv(1 << 16)):
                    break
                head += data
            self.heads.append(head)
            for piece in self.answer(head):
                if isinstance(piece, float):
                    time.sleep(piece)
                else:
                    connection.sendall(piece)


def drip(data: bytes, step: int, wait_s: float) -> Answer:
    """A few bytes at a time."""
    pieces: list[Piece] = []
    for start in range(0, len(data), step):
        pieces += [data[start : start + step], wait_s]
    return pieces[: int(2 * MOST_DRIP_S / wait_s)]


def reply(status: str, headers: Sequence[tuple[str, str | bytes]] = (), body: bytes = b"", *, length: bool = True) -> bytes:
    """An answer that is well formed as far as its parts are."""
    lines = [b"HTTP/1.1 " + status.encode("utf-8", "surrogateescape")]
    for name, value in headers:
        lines.append(name.encode() + b": " + (value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")))
    if length and not any(name.lower() == "content-length" for name, _ in headers):
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([*lines, b"Connection: close", b"", b""]) + body
