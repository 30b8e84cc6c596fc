"""A request and its answer on their way: within limits of bytes, of memory for all bodies, and of time, with the headers of every answer."""

import asyncio
import math
from collections.abc import Callable, Iterable
from typing import Protocol

from starlette.types import Message, Receive, Send

from app.common.language import localize

BODY_TIMEOUT_S = 30.0
RESPONSE_PIECE_BYTES = 1 << 16
COMMON_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
)

MAX_BODY_MEMORY_BYTES = 64 << 20
"""Of all bodies together: as much as the longest one. A body needs some four times its size while it is read."""
UNCOUNTED_BODY_BYTES = 1 << 16  # of each body that count for nothing: an ordinary request never waits
QUOTA_WAIT_S = 30.0
SENDER_GRACE_S = 1.0  # of waiting after which the slowest sender is cut off; nobody is slow before it has been waited for as long
MIN_SENDER_RATE = 1 << 18  # bytes a second that a sender keeps up which others may have to wait for


class RequestBodyError(Exception):
    """A body that is too large, too slow or one too many; `status` is HTTP's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class BodySender(Protocol):
    """A body on its way."""

    @property
    def pace(self) -> float:
        """Return the bytes a second that the sender has sent while it is waited for; infinity if it is not waited for, or not for long."""

    def give_up(self) -> None: ...


class BodyQuotaError(Exception):
    """There was no room for too long."""


class BodyQuota:
    """Room for all bodies, in the thread that serves; the first that needs some never waits, so that one of them always comes to its end."""

    def __init__(self, size: int = MAX_BODY_MEMORY_BYTES) -> None:
        self._free_bytes = size
        self._bytes_by_body: dict[BodySender, int] = {}
        self._free_event = asyncio.Event()

    async def acquire(self, body: BodySender, arrived: int) -> None:
        """Wait for memory for a body of which `arrived` bytes are there; raise BodyQuotaError if there is none."""
        size = arrived - UNCOUNTED_BODY_BYTES - self._bytes_by_body.get(body, 0)
        if size <= 0:
            return
        self._bytes_by_body.setdefault(body, 0)
        loop = asyncio.get_running_loop()
        ends = loop.time() + QUOTA_WAIT_S
        while size > self._free_bytes and next(iter(self._bytes_by_body)) is not body:
            if loop.time() >= ends:
                raise BodyQuotaError
            try:
                await asyncio.wait_for(self._free_event.wait(), SENDER_GRACE_S)
            except TimeoutError:
                # The slowest of the bodies in memory, for the benefit of those that wait.
                slowest = min(self._bytes_by_body, key=lambda body: body.pace, default=None)
                if slowest is not None and slowest.pace < MIN_SENDER_RATE:
                    slowest.give_up()
        self._free_bytes -= size
        self._bytes_by_body[body] += size

    def release(self, body: BodySender) -> None:
        """Release all that a body has taken."""
        if body in self._bytes_by_body:
            self._free_bytes += self._bytes_by_body.pop(body)
            self._free_event.set()
            self._free_event = asyncio.Event()


class RequestBody:
    """`receive` within a limit of bytes and of time, and within the room that all bodies share."""

    def __init__(self, receive: Receive, limit: int, announced: int, room: BodyQuota) -> None:
        self._receive, self._limit, self._announced_bytes, self._room = receive, limit, announced, room
        self._bytes, self._is_whole = 0, False
        # For the sender, and not for room.
        self._waited_s = 0.0
        self._since: float | None = None
        self._patience: asyncio.Timeout | None = None

    async def __call__(self) -> Message:
        if self._is_whole:
            # Until the client goes away.
            return await self._receive()
        self._check_size(self._announced_bytes)
        message = await self._receive_next()
        self._bytes += len(message.get("body", b""))
        self._check_size(self._bytes)
        try:
            await self._room.acquire(self, self._bytes)
        except BodyQuotaError as exc:
            raise RequestBodyError(503, localize("リクエストが多すぎます。", "Too many requests are queued.")) from exc
        self._is_whole = not message.get("more_body", False)
        return message

    @property
    def pace(self) -> float:
        """Return the pace of the body, as `BodyQuota` needs it."""
        if self._since is None:
            return math.inf
        waited_s = self._waited_s + asyncio.get_running_loop().time() - self._since
        return self._bytes / waited_s if waited_s > SENDER_GRACE_S else math.inf

    def give_up(self) -> None:
        """End the wait for the sender."""
        if self._patience is not None and not self._patience.expired():
            self._patience.reschedule(asyncio.get_running_loop().time())

    def release(self) -> None:
        """Release the memory of the body."""
        self._room.release(self)

    async def _receive_next(self) -> Message:
        self._since = since = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(since + max(0.0, BODY_TIMEOUT_S - self._waited_s)) as self._patience:
                return await self._receive()
        except TimeoutError as exc:
            late = localize("リクエストの受信に時間がかかりすぎました。", "The request took too long to arrive.")
            raise RequestBodyError(408, late) from exc
        finally:
            self._waited_s += asyncio.get_running_loop().time() - since
            self._since = self._patience = None

    def _check_size(self, size: int) -> None:
        if size > self._limit:
            megabytes = self._limit >> 20
            raise RequestBodyError(413, localize(f"リクエストは {megabytes} MB までです。", f"A request may have up to {megabytes} MB."))


class GuardedSend:
    """`send` with the headers of every answer, in pieces, of which the next waits until the client has taken the last."""

    def __init__(self, send: Send, shared: Iterable[tuple[bytes, bytes]]) -> None:
        self._send, self._shared_headers = send, tuple(shared)
        self.begun = False  # something of it was sent
        self.on_begin: Callable[[], object] = lambda: None  # called before

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            self.on_begin()
            headers = list(message.get("headers", []))
            names = {name for name, _ in headers}
            await self._send(
                {**message, "headers": headers + [pair for pair in (*COMMON_HEADERS, *self._shared_headers) if pair[0] not in names]}
            )
            return
        body, has_more = message.get("body", b""), message.get("more_body", False)
        for start in range(0, max(1, len(body)), RESPONSE_PIECE_BYTES):
            end = start + RESPONSE_PIECE_BYTES
            await self._send({"type": message["type"], "body": body[start:end], "more_body": has_more or end < len(body)})


class RequestHeaders:
    """Headers of a request, of which each name may come more than once."""

    def __init__(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        self._pairs = list(pairs)

    def list_values(self, name: bytes) -> list[str]:
        return [value.decode("latin-1").strip() for key, value in self._pairs if key == name]

    def find_single(self, name: bytes) -> str | None:
        """Return the value of a header that came exactly once, else None."""
        values = self.list_values(name)
        return values[0] if len(values) == 1 else None
