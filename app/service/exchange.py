"""A request and its answer on their way: within limits of bytes and of time, with the headers of every answer."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable

from starlette.types import Message, Receive, Send

from app.language import localized
from app.service.body_room import HURRY_S, BodyRoom, FullError

BODY_S = 30.0
PIECE_BYTES = 1 << 16
EVERY = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
)


class BodyError(Exception):
    """A body that is too large, too slow or one too many; `status` is HTTP's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Body:
    """`receive` within a limit of bytes and of time, and within the room that all bodies share."""

    def __init__(self, receive: Receive, limit: int, announced: int, room: BodyRoom) -> None:
        self._receive, self._limit, self._announced, self._room = receive, limit, announced, room
        self._bytes, self._whole = 0, False
        self._waited_s = 0.0  # for the sender, and not for room
        self._since: float | None = None
        self._patience: asyncio.Timeout | None = None

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()  # until the client goes away
        self._check(self._announced)
        message = await self._next()
        self._bytes += len(message.get("body", b""))
        self._check(self._bytes)
        try:
            await self._room.take(self, self._bytes)
        except FullError as exc:
            raise BodyError(503, localized("リクエストが多すぎます。", "Too many requests are queued.")) from exc
        self._whole = not message.get("more_body", False)
        return message

    @property
    def pace(self) -> float:
        """As `BodyRoom` asks for it."""
        if self._since is None:
            return math.inf
        waited_s = self._waited_s + asyncio.get_running_loop().time() - self._since
        return self._bytes / waited_s if waited_s > HURRY_S else math.inf

    def give_up(self) -> None:
        """Ends the wait for the sender."""
        if self._patience is not None and not self._patience.expired():
            self._patience.reschedule(asyncio.get_running_loop().time())

    def release(self) -> None:
        """Nothing of it is in memory any more."""
        self._room.give_back(self)

    async def _next(self) -> Message:
        self._since = since = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(since + max(0.0, BODY_S - self._waited_s)) as self._patience:
                return await self._receive()
        except TimeoutError as exc:
            raise BodyError(408, localized("リクエストの受信に時間がかかりすぎました。", "The request took too long to arrive.")) from exc
        finally:
            self._waited_s += asyncio.get_running_loop().time() - since
            self._since = self._patience = None

    def _check(self, size: int) -> None:
        if size > self._limit:
            most = self._limit >> 20
            raise BodyError(413, localized(f"リクエストは {most} MB までです。", f"A request may have up to {most} MB."))


class Answer:
    """`send` with the headers of every answer, in pieces, of which the next waits until the client has taken the last.

    Attributes:
        begun: something of it was sent.
        on_begin: called before.
    """

    def __init__(self, send: Send, shared: Iterable[tuple[bytes, bytes]]) -> None:
        self._send, self._shared = send, tuple(shared)
        self.begun = False
        self.on_begin: Callable[[], object] = lambda: None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            self.on_begin()
            known = {name for name, _ in message.get("headers", [])}
            added = [item for item in (*EVERY, *self._shared) if item[0] not in known]
            await self._send({**message, "headers": [*message.get("headers", []), *added]})
            return
        body, more = message.get("body", b""), message.get("more_body", False)
        for start in range(0, max(1, len(body)), PIECE_BYTES):
            last = start + PIECE_BYTES >= len(body)
            piece: Message = {"type": message["type"], "body": body[start : start + PIECE_BYTES], "more_body": more or not last}
            await self._send(piece)


class Headers:
    """Headers of a request, of which each name may come more than once."""

    def __init__(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        self._pairs = list(pairs)

    def all(self, name: bytes) -> list[str]:
        return [value.decode("latin-1").strip() for key, value in self._pairs if key == name]

    def one(self, name: bytes) -> str | None:
        """The value of a header that came exactly once."""
        found = self.all(name)
        return found[0] if len(found) == 1 else None
