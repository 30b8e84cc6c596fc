"""A log of the latest requests of clients: kept in memory, shown in the window, written nowhere."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_LOGGED_REQUESTS = 50
MAX_LOGGED_LENGTH = 80
REQUEST_TEXT_KEY = "koebako.text"  # under this name a route leaves in the scope what it was asked to say


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One request that is over."""

    at: float  # seconds since the epoch
    method: str
    path: str
    status: int  # of HTTP; 0 where the client went away
    ms: float
    text: str
    client: str  # what it calls itself


class RequestLog:
    """The last requests; any thread may look."""

    def __init__(self) -> None:
        self.changed: Callable[[], object] = lambda: None  # called, in the serving thread, after each
        self._records: deque[RequestRecord] = deque(maxlen=MAX_LOGGED_REQUESTS)
        self._lock = threading.Lock()

    def list_records(self) -> list[RequestRecord]:
        """Return the records, the newest first."""
        with self._lock:
            return list(reversed(self._records))

    def add_record(self, record: RequestRecord) -> None:
        with self._lock:
            self._records.append(record)
        self.changed()


class RequestLogMiddleware:
    """Middleware that reports what was asked."""

    def __init__(self, app: ASGIApp, recent: RequestLog) -> None:
        self._app, self._recent = app, recent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, began = 0, time.perf_counter()

        async def watch(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, watch)
        finally:
            ms = (time.perf_counter() - began) * 1000
            client = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"user-agent"), "")
            text = str(scope.get(REQUEST_TEXT_KEY, ""))[:MAX_LOGGED_LENGTH]
            self._recent.add_record(
                RequestRecord(time.time(), scope["method"], scope["path"][:MAX_LOGGED_LENGTH], status, ms, text, client[:MAX_LOGGED_LENGTH])
            )
