"""The two ports of the chat reader, on a thread of their own; both are bound to 127.0.0.1 and nothing else.

No text is logged, and of a connection that breaks the protocol nothing but its end is seen.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

from app.common.errors import InputError
from app.common.language import localize
from app.service.access import AccessRules
from app.service.chat.bouyomi_protocol import ChatCommand, ChatMessage, ChatMessageParser, ChatProtocolError
from app.service.chat.chat_queue import ChatQueue
from app.service.chat.talk_request import HEAD_END, MAX_HEAD_BYTES, RequestHead, TalkRefusalError, check_access, parse_head, parse_talk
from app.service.listening_sockets import LOOPBACK, bind_sockets

CHAT_PORT, CHAT_HTTP_PORT = 50001, 50080
CONNECTION_LIMIT_S = 5.0
MAX_CONNECTIONS = 16
"""Connections of a port that are served at once."""
MAX_WAITING_CONNECTIONS = 32
"""Connections of a port that wait for their turn; viewers open one for each comment, and comments come in bursts."""
# Longer than Windows holds back a second packet (200 ms), where a viewer sends several commands through one connection.
COMMAND_GAP_S = 0.3
"""Seconds without a byte after a complete command, after which the connection is closed; many viewers leave that to the server."""
_READ_BYTES = 16 << 10
_STOP_TIMEOUT_S = 2.0
_REASONS = {
    200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
    413: "Content Too Large",
}  # fmt: skip
ChatConnectionHandler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class ChatServer:
    """Listens from its making until `stop_server`; both wait, so neither is for the window's thread.

    Args:
        origins: of pages, such as a browser source, that may use `/Talk`.

    Attributes:
        port, http_port: as they are, where 0 was asked for.

    Raises InputError where a port is taken.
    """

    def __init__(
        self, queue: ChatQueue, port: int = CHAT_PORT, http_port: int = CHAT_HTTP_PORT, origins: frozenset[str] = frozenset()
    ) -> None:
        self._queue = queue
        sockets = [_bind_chat_socket(port)]
        try:
            sockets.append(_bind_chat_socket(http_port))
        except InputError:
            sockets[0].close()
            raise
        self.port, self.http_port = (one.getsockname()[1] for one in sockets)
        self._access = AccessRules(self.http_port, origins=origins)
        self._connections: list[set[asyncio.StreamWriter]] = []  # by port
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._run_loop, args=(sockets,), name="chat reader", daemon=True)
        self._thread.start()

    def stop_server(self) -> None:
        """Close the ports and all connections."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(_STOP_TIMEOUT_S)

    def _run_loop(self, sockets: list[socket.socket]) -> None:
        with suppress(asyncio.CancelledError):
            asyncio.Runner(loop_factory=lambda: self._loop).run(self._run_servers(sockets))
        self._loop.close()

    async def _run_servers(self, sockets: list[socket.socket]) -> None:
        handlers: tuple[ChatConnectionHandler, ...] = (self._serve_viewer, self._serve_http)
        servers = [
            await asyncio.start_server(self._limit_connection(handler), sock=one, limit=MAX_HEAD_BYTES)
            for handler, one in zip(handlers, sockets, strict=True)
        ]
        await self._over.wait()
        for server in servers:
            server.close()
        for writer in [writer for connected in self._connections for writer in connected]:
            writer.transport.abort()

    def _limit_connection(self, handle: ChatConnectionHandler) -> ChatConnectionHandler:
        turns, connected = asyncio.Semaphore(MAX_CONNECTIONS), set[asyncio.StreamWriter]()
        self._connections.append(connected)

        async def handle_limited(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if len(connected) >= MAX_CONNECTIONS + MAX_WAITING_CONNECTIONS:
                writer.transport.abort()
                return
            connected.add(writer)
            try:
                async with asyncio.timeout(CONNECTION_LIMIT_S), turns:
                    await handle(reader, writer)
                    await writer.drain()
            except (TimeoutError, OSError, ChatProtocolError, asyncio.IncompleteReadError):
                writer.transport.abort()
            finally:
                connected.discard(writer)
                writer.close()

        return handle_limited

    async def _serve_viewer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        parser = ChatMessageParser()
        while data := await _read_next_bytes(reader, is_settled=parser.has_only_whole_messages):
            for message in parser.parse_bytes(data):
                if answer := self._queue.handle_message(message):
                    writer.write(answer)
                    await writer.drain()

    async def _serve_http(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        status, head = 200, None
        try:
            try:
                head = parse_head(await reader.readuntil(HEAD_END))
            except asyncio.LimitOverrunError:
                raise TalkRefusalError(413) from None
            check_access(head, self._access)
            self._queue.handle_message(ChatMessage(ChatCommand.TALK, parse_talk(head)))
        except TalkRefusalError as refusal:
            status = refusal.status
        writer.write(self._build_response(status, head))

    def _build_response(self, status: int, head: RequestHead | None) -> bytes:
        lines = [
            f"HTTP/1.1 {status} {_REASONS[status]}",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Length: 0",
            "Connection: close",
        ]
        origin = "" if head is None else head.headers.get("origin", "")
        if origin and origin.lower() in self._access.origins:
            lines.append(f"Access-Control-Allow-Origin: {origin}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _read_next_bytes(reader: asyncio.StreamReader, *, is_settled: bool) -> bytes:
    """Return the next bytes; empty at the end, and where none follow a complete command."""
    if not is_settled:
        return await reader.read(_READ_BYTES)
    with suppress(TimeoutError):
        async with asyncio.timeout(COMMAND_GAP_S):
            return await reader.read(_READ_BYTES)
    return b""


def _bind_chat_socket(port: int) -> socket.socket:
    try:
        # The first one alone: viewers connect to 127.0.0.1, and a twin on ::1 would be one more port to guard.
        own, *twins = bind_sockets(LOOPBACK, port)
    except InputError as error:
        raise InputError(
            error.message,
            localize(
                "棒読みちゃんなど、同じポートを使うアプリを終了するか、「設定」でポート番号を変更してください。",
                "Close the program that uses this port, such as BouyomiChan, or choose another port in the settings.",
            ),
        ) from error
    for twin in twins:
        twin.close()
    return own
