"""A request and its answer on their way: within limits of bytes and of time, with the headers of every answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from starlette.types import Message, Receive, Send

from app.language import localized

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
    """A body that is too large or too slow; `status` is HTTP's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Body:
    """`receive` within a limit of bytes and of time."""

    def __init__(self, receive: Receive, limit: int, announced: int) -> None:
        self._receive, self._limit, self._announced = receive, limit, announced
        self._bytes, self._whole = 0, False
        self._until: float | None = None

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()  # until the client goes away
        self._check(self._announced)
        now = asyncio.get_running_loop().time()
        self._until = self._until or now + BODY_S
        try:
            message = await asyncio.wait_for(self._receive(), max(0.0, self._until - now))
        except TimeoutError as exc:
            raise BodyError(408, localized("リクエストの受信に時間がかかりすぎました。", "The request took too long to arrive.")) from exc
        self._bytes += len(message.get("body", b""))
        self._check(self._bytes)
        self._whole = not message.get("more_body", False)
        return message

    def _check(self, size: int) -> None:
        if size > self._limit:
            most = self._limit >> 20
            raise BodyError(413, localized(f"リクエストは {most} MB までです。", f"A request may have up to {most} MB."))


class Answer:
    """`send` with the headers of every answer, in pieces, of which the next waits until the client has taken the last."""

    def __init__(self, send: Send, shared: Iterable[tuple[bytes, bytes]]) -> None:
        self._send, self._shared = send, tuple(shared)
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
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
