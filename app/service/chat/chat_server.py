"""The two ports of the chat reader, on a thread of their own; both are bound to 127.0.0.1 and nothing else.

No text is logged, and of a connection that breaks the protocol nothing but its end is seen.
HTTP is read by hand: comment viewers send one line and a few headers, and for long texts a form.
"""

import asyncio
import itertools
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from app.common.errors import InputError
from app.common.language import localize
from app.service.access import LOOPBACK, AccessRules, bind_sockets
from app.service.chat.caption_page import CAPTION_HEADERS, CAPTION_PAGE, PAGE_PATH, STATE_PATH
from app.service.chat.chat_captions import CaptionBoard, CaptionState
from app.service.chat.chat_protocol import (
    MAX_TEXT_BYTES,
    UNSET,
    ChatCommand,
    ChatMessage,
    ChatMessageParser,
    ChatProtocolError,
    ChatTalk,
)
from app.service.chat.chat_queue import ChatQueue

CHAT_PORT, CHAT_HTTP_PORT = 50001, 50080
CONNECTION_LIMIT_S = 5.0
MAX_CONNECTIONS = 16  # connections of a port that are served at once
MAX_WAITING_CONNECTIONS = 32
"""Connections of a port that wait for their turn; viewers open one for each comment, and comments come in bursts."""
# Longer than Windows holds back a second packet (200 ms), where a viewer sends several commands through one connection.
COMMAND_GAP_S = 0.3
"""Seconds without a byte after a complete command, after which the connection is closed; many viewers leave that to the server."""
CAPTION_HOLD_S, CAPTION_POLL_S = 4.0, 0.04
"""Seconds that an answer waits for other captions, less than a connection may last, and between two looks at them."""
MAX_HELD_PAGES = 4  # pages that wait so; more of them are answered at once, so that they take no turn from comments
_READ_BYTES = 16 << 10
_STOP_TIMEOUT_S = 2.0
_REASONS = {
    200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
    413: "Content Too Large", 415: "Unsupported Media Type",
}  # fmt: skip
ChatConnectionHandler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

MAX_HEAD_BYTES = 3 * MAX_TEXT_BYTES  # a byte of a text is three characters of an address
HEAD_END = b"\r\n\r\n"
_MAX_FIELDS = 16
_LONGEST_LENGTH = 9  # digits
_COMMANDS_BY_PATH = {
    "/talk": ChatCommand.TALK, "/pause": ChatCommand.PAUSE, "/resume": ChatCommand.RESUME, "/skip": ChatCommand.SKIP, "/clear": ChatCommand.CLEAR,
    "/getpause": ChatCommand.GET_PAUSED, "/getnowplaying": ChatCommand.GET_PLAYING, "/gettalktaskcount": ChatCommand.GET_WAITING,
}  # fmt: skip
_VOICES_PATH = "/getvoicelist"
_NUMBER_BOUNDS = (-(1 << 15), (1 << 15) - 1)


class TalkRefusalError(Exception):
    """A request that is not carried out."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status  # of HTTP


@dataclass(frozen=True, slots=True)
class RequestHead:
    """The head of a request."""

    method: str
    target: str
    headers: dict[str, str]  # by name in lower case; one that comes twice is joined by commas, as HTTP has it


def parse_head(content: bytes) -> RequestHead:
    """Return the head that these bytes hold up to the empty line; raise TalkRefusalError."""
    lines = content.removesuffix(HEAD_END).decode("latin-1").split("\r\n")
    words_of_line = lines[0].split(" ")
    if len(words_of_line) != 3 or not words_of_line[2].startswith("HTTP/1."):
        raise TalkRefusalError(400)
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        key = name.lower()
        if not colon or not key or key != key.strip():
            raise TalkRefusalError(400)
        headers[key] = f"{headers[key]}, {value.strip()}" if key in headers else value.strip()
    return RequestHead(words_of_line[0], words_of_line[1], headers)


def check_access(head: RequestHead, access: AccessRules) -> None:
    """Raise TalkRefusalError for a request that another computer's name or a browser's page may have brought about; no page but ours reads captions."""
    origin = head.headers.get("origin", "").lower()
    is_own = head.headers.get("sec-fetch-site", "none") in ("none", "same-origin")
    is_allowed = origin in access.origins and not _is_about_captions(head) if origin else is_own
    if not (is_allowed and access.is_host_allowed(head.headers.get("host", ""))):
        raise TalkRefusalError(403)


def _is_about_captions(head: RequestHead) -> bool:
    return head.target.partition("?")[0] in (PAGE_PATH, STATE_PATH)


def parse_request(head: RequestHead, form: bytes = b"") -> ChatMessage | None:
    """Return the command of a request, or None for the list of voices; `form` is its body, with the same fields as an address. Raise TalkRefusalError."""
    if head.method not in ("GET", "POST"):
        raise TalkRefusalError(405)
    try:
        address = urlsplit(head.target)
        query = f"{address.query}&{form.decode('ascii')}" if form else address.query
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise TalkRefusalError(400) from None
    path = address.path.lower()
    if path == _VOICES_PATH:
        return None
    if path not in _COMMANDS_BY_PATH:
        raise TalkRefusalError(404)
    command = _COMMANDS_BY_PATH[path]
    return ChatMessage(command, _parse_talk({key.lower(): value for key, value in pairs}) if command is ChatCommand.TALK else None)


def _parse_talk(fields: Mapping[str, str]) -> ChatTalk:
    if "text" not in fields:
        raise TalkRefusalError(400)
    if len(fields["text"].encode("utf-8", "surrogatepass")) > MAX_TEXT_BYTES:
        raise TalkRefusalError(413)
    speed, tone, volume = (_parse_number(fields.get(name), UNSET) for name in ("speed", "tone", "volume"))
    return ChatTalk(fields["text"], speed, tone, volume, _parse_number(fields.get("voice"), 0))


def _parse_number(text: str | None, default: int) -> int:
    if not text:
        return default
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 6):
        raise TalkRefusalError(400)
    number = int(text)
    if not _NUMBER_BOUNDS[0] <= number <= _NUMBER_BOUNDS[1]:
        raise TalkRefusalError(400)
    return number


def _parse_version(text: str) -> int:
    """Return the version of captions that a page has, -1 for none; raise TalkRefusalError."""
    if text in ("", "-1"):
        return -1
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_LENGTH):
        raise TalkRefusalError(400)
    return int(text)


def _measure_form(head: RequestHead) -> int:
    """Return the bytes of the form behind a head; raise TalkRefusalError for a body that is none, or too long."""
    text = head.headers.get("content-length", "0")
    if head.method != "POST" or text == "0":
        return 0
    if not (text.isascii() and text.isdigit()) or "transfer-encoding" in head.headers:
        raise TalkRefusalError(400)
    if len(text) > _LONGEST_LENGTH or int(text) > MAX_HEAD_BYTES:
        raise TalkRefusalError(413)
    if head.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        raise TalkRefusalError(415)
    return int(text)


class ChatServer:
    """Listens from its making until `stop_server`; both wait, so neither is for the window's thread. Raises InputError where a port is taken.

    Args:
        origins: of pages, such as a browser source, that may use HTTP.
        captions: what the page of captions shows while they are served.
    """

    def __init__(
        self,
        queue: ChatQueue,
        port: int = CHAT_PORT,
        http_port: int = CHAT_HTTP_PORT,
        origins: frozenset[str] = frozenset(),
        captions: CaptionBoard | None = None,
    ) -> None:
        self._queue, self._talk_numbers = queue, itertools.count(1)
        self._captions, self._held_pages = captions or CaptionBoard(), 0
        with ExitStack() as opened:
            sockets = [opened.enter_context(_bind_chat_socket(number)) for number in (port, http_port)]
            opened.pop_all()
        self.port, self.http_port = (listener.getsockname()[1] for listener in sockets)  # as they are, where 0 was asked for
        self._access = AccessRules(self.http_port, origins=origins)
        self._connections: list[set[asyncio.StreamWriter]] = []  # by port
        self._loop = asyncio.new_event_loop()
        self._end_event = asyncio.Event()
        self._thread = threading.Thread(target=self._run_loop, args=(sockets,), name="chat reader", daemon=True)
        self._thread.start()

    def stop_server(self) -> None:
        """Close the ports and all connections."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._end_event.set)
        self._thread.join(_STOP_TIMEOUT_S)

    def _run_loop(self, sockets: list[socket.socket]) -> None:
        with suppress(asyncio.CancelledError):
            asyncio.Runner(loop_factory=lambda: self._loop).run(self._run_servers(sockets))
        self._loop.close()

    async def _run_servers(self, sockets: list[socket.socket]) -> None:
        handlers: tuple[ChatConnectionHandler, ...] = (self._serve_viewer, self._serve_http)
        servers = [
            await asyncio.start_server(self._limit_connection(handler), sock=listener, limit=MAX_HEAD_BYTES)
            for handler, listener in zip(handlers, sockets, strict=True)
        ]
        await self._end_event.wait()
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
        status, head, answer = 200, None, b""
        more: Sequence[str] = ()
        try:
            try:
                head = parse_head(await reader.readuntil(HEAD_END))
            except asyncio.LimitOverrunError:
                raise TalkRefusalError(413) from None
            check_access(head, self._access)
            if _is_about_captions(head):
                answer, more = await self._build_caption_answer(head), CAPTION_HEADERS
            else:
                message = parse_request(head, await reader.readexactly(_measure_form(head)))
                answer = json.dumps(self._handle_message(message), ensure_ascii=False).encode()
        except TalkRefusalError as refusal:
            status = refusal.status
        writer.write(self._build_response(status, head, answer, more) + answer)

    async def _build_caption_answer(self, head: RequestHead) -> bytes:
        """Return the page, or what it shows once that is not the version that it has; raise TalkRefusalError."""
        address, state = urlsplit(head.target), self._captions.state
        if head.method != "GET":
            raise TalkRefusalError(405)
        if not state.is_served:
            raise TalkRefusalError(404)
        if address.path == PAGE_PATH:
            return CAPTION_PAGE
        version = address.query.removeprefix("after=")
        if state.version == _parse_version(version) and self._held_pages < MAX_HELD_PAGES:
            state = await self._wait_for_captions(state)
        return json.dumps(state.convert_to_json()).encode()

    async def _wait_for_captions(self, state: CaptionState) -> CaptionState:
        self._held_pages += 1
        try:
            for _ in range(round(CAPTION_HOLD_S / CAPTION_POLL_S)):
                await asyncio.sleep(CAPTION_POLL_S)
                if self._captions.state != state:
                    break
            return self._captions.state
        finally:
            self._held_pages -= 1

    def _handle_message(self, message: ChatMessage | None) -> dict[str, Any]:
        """Handle a command, and return the answer that 棒読みちゃん gives."""
        if message is None:
            names = {0: "Koebako"} | self._queue.rules.voices
            return {"voiceList": [{"id": number, "kind": "Koebako", "name": name, "alias": ""} for number, name in names.items()]}
        self._queue.handle_message(message)
        match message.command:
            case ChatCommand.TALK:
                return {"taskId": next(self._talk_numbers)}
            case ChatCommand.GET_PAUSED:
                return {"pause": self._queue.is_paused}
            case ChatCommand.GET_PLAYING:
                return {"nowPlaying": self._queue.is_playing}
            case ChatCommand.GET_WAITING:
                return {"talkTaskCount": len(self._queue)}
        return {}

    def _build_response(self, status: int, head: RequestHead | None, answer: bytes, more: Sequence[str] = ()) -> bytes:
        kind = "text/html" if answer is CAPTION_PAGE else "application/json" if answer else "text/plain"
        lines = [
            f"HTTP/1.1 {status} {_REASONS[status]}",
            f"Content-Type: {kind}; charset=utf-8",
            *more,
            f"Content-Length: {len(answer)}",
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
        listener, *twins = bind_sockets(LOOPBACK, port)
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
    return listener
