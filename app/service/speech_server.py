"""The server: sockets, a thread with the event loop, and a shutdown that does not wait for clients."""

import asyncio
import logging
import math
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import Server as HttpServer

from app.service.asgi_application import build_application
from app.service.http_exchange import MIN_SENDER_RATE, SENDER_GRACE_S
from app.service.http_service import HttpService

MAX_CONNECTIONS = 128
HEADER_TIMEOUT_S = 10.0  # from the first byte of a request, or the opening of the connection, to the end of the headers
IDLE_TIMEOUT_S = 75.0  # between two requests; longer than clients keep theirs, so that the client ends it
UNREAD_TIMEOUT_S = 60.0  # for a client to take 64 KiB of an answer: one that plays a stream as it comes takes far less


class HttpConnection(H11Protocol):
    """One connection. Where there are too many, the one that has waited longest without a request is closed, or else the slowest sender."""

    waits_since = 0.0
    _since = _arrived_bytes = 0.0  # when the request that is served began, and bytes of it
    _limit: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Accept a client, or refuse it if there are too many."""
        self.waits_since = time.monotonic()
        super().connection_made(transport)
        self._limit = self.loop.call_later(HEADER_TIMEOUT_S, self._abort_if_idle)
        if len(self.connections) > MAX_CONNECTIONS:
            others = [other for other in self.connections if isinstance(other, HttpConnection) and other is not self]
            idlest = min((other for other in others if not other.is_busy), key=lambda other: other.waits_since, default=None)
            slowest = min((other for other in others if other.pace < MIN_SENDER_RATE), key=lambda other: other.pace, default=None)
            (idlest or slowest or self).abort()

    @property
    def is_busy(self) -> bool:
        """Return whether a request is being served."""
        return self.cycle is not None and not self.cycle.response_complete and not self.transport.is_closing()

    @property
    def pace(self) -> float:
        """Return the bytes a second of an arriving body; infinity if it is not waited for, or not for long."""
        waited_s = time.monotonic() - self._since
        waits = self.is_busy and self.cycle.more_body and not self.flow.read_paused
        return self._arrived_bytes / waited_s if waits and waited_s > SENDER_GRACE_S else math.inf

    def data_received(self, data: bytes) -> None:
        """Take more bytes of a request."""
        last_cycle = self.cycle
        if not self.is_busy and self._limit is None:
            self._limit = self.loop.call_later(HEADER_TIMEOUT_S, self._abort_if_idle)
        try:
            super().data_received(data)
        except (ValueError, UnicodeError):  # a path that is no ASCII, for which the library has no answer
            self.abort()
        if self.cycle is not last_cycle:
            self._since, self._arrived_bytes = time.monotonic(), 0
        self._arrived_bytes += len(data)
        if self.is_busy:
            self._limit = _cancel_timer(self._limit)

    def send_400_response(self, msg: str) -> None:
        """Handle data after a request that is no HTTP, when the request has no answer any more, or a broken one."""
        has_begun = self.is_busy and self.cycle.response_started
        if self.is_busy:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.abort() if has_begun else super().send_400_response(msg)

    def on_response_complete(self) -> None:
        """Wait for the client's next request after its answer was sent."""
        self.waits_since = time.monotonic()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Start the timer for unread data: the client does not read."""
        super().pause_writing()
        self._unread = self.loop.call_later(UNREAD_TIMEOUT_S, self.abort)

    def resume_writing(self) -> None:
        """Stop the timer for unread data: the client has read it."""
        super().resume_writing()
        self._unread = _cancel_timer(self._unread)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers: the client has disconnected."""
        self._limit, self._unread = _cancel_timer(self._limit), _cancel_timer(self._unread)
        super().connection_lost(exc)

    def abort(self) -> None:
        """End the connection at once."""
        self._limit = _cancel_timer(self._limit)
        # Now, not when the loop comes to it: the next one in a burst would choose it again.
        self.connections.discard(self)
        self.transport.abort()

    def _abort_if_idle(self) -> None:
        self._limit = None
        if not self.is_busy:
            self.abort()


def _cancel_timer(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer, if there is one, and return None to replace it."""
    if timer is not None:
        timer.cancel()
    return None


SERVER_END_S = 0.5  # for requests to notice that they are over: none takes a hundredth of it
_MAX_HEADER_BYTES = 1 << 16


class SpeechServer:
    """Serves in a thread of its own, from `start` to `stop`, on the sockets of `bind_sockets`; `on_end` is called in that thread when it ends."""

    def __init__(self, sockets: list[socket.socket], service: HttpService, on_end: Callable[[], object] = lambda: None) -> None:
        host, port = sockets[0].getsockname()[:2]
        self.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"  # what clients are given
        self._sockets, self._service, self._on_end = sockets, service, on_end
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end_event: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run_loop, name="service", daemon=True)

    def start(self) -> None:
        """Start answering, and return when the server listens."""
        self._thread.start()
        self._ready.wait()

    def stop(self, limit_s: float = 1.0) -> None:
        """End every connection and all work for it at once; may be called from any thread."""
        if self._loop is not None and self._end_event is not None:
            with suppress(RuntimeError):  # it has ended already
                self._loop.call_soon_threadsafe(self._end_event.set)
        self._thread.join(limit_s)

    def _run_loop(self) -> None:
        """Run the loop as `asyncio.run` does, but without its wait for other threads at the end."""
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(self._serve_requests())
        finally:
            loop.close()
            self._ready.set()
            self._on_end()

    async def _serve_requests(self) -> None:
        self._loop, self._end_event = asyncio.get_running_loop(), asyncio.Event()
        self._loop.set_exception_handler(_log_loop_error)
        # The errors of clients, which uvicorn and asyncio would print.
        for name in ("uvicorn", "uvicorn.error", "asyncio"):
            logger = logging.getLogger(name)
            logger.addHandler(logging.NullHandler())
            logger.propagate = False
        config = Config(
            build_application(self._service),
            http=HttpConnection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=round(IDLE_TIMEOUT_S),
            h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        )
        config.load()
        server = HttpServer(config)
        server.lifespan = config.lifespan_class(config)
        await server.startup(sockets=self._sockets)
        self._ready.set()
        try:
            await self._end_event.wait()
        finally:
            for listener in server.servers:
                listener.close()
            for connection in list(server.server_state.connections):
                connection.transport.abort()
            await _end_tasks()


async def _end_tasks() -> None:
    """Cancel the tasks of the loop, which stops their work inside the graphs."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=SERVER_END_S)
    await asyncio.get_running_loop().shutdown_asyncgens()


def _log_loop_error(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Write an error that no task waits for to the log instead of the terminal."""
    logging.getLogger("koebako").error("the service: %s", context.get("message"), exc_info=context.get("exception"))
