"""The server: sockets, a thread with the event loop, and a shutdown that does not wait for clients."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from uvicorn.config import Config
from uvicorn.server import Server as HttpServer

from app.service.asgi_application import build_application
from app.service.http_connection import IDLE_TIMEOUT_S, HttpConnection
from app.service.http_service import HttpService

# For requests to notice that they are over: none takes a hundredth of it.
SERVER_END_S = 0.5
_MAX_HEADER_BYTES = 1 << 16


class SpeechServer:
    """Serves in a thread of its own, from `start` to `stop`.

    Attributes:
        url: what clients are given.

    Args:
        sockets: as `bound` gives them.
        service: what is served.
        on_end: called in that thread when it ends.
    """

    def __init__(self, sockets: list[socket.socket], service: HttpService, on_end: Callable[[], object] = lambda: None) -> None:
        host, port = sockets[0].getsockname()[:2]
        self.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self._sockets, self._service, self._on_end = sockets, service, on_end
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run_loop, name="service", daemon=True)

    def start(self) -> None:
        """Begins to answer; returns when it does."""
        self._thread.start()
        self._ready.wait()

    def stop(self, limit_s: float = 1.0) -> None:
        """Ends every connection and all work for it, at once; from any thread."""
        if self._loop is not None and self._over is not None:
            with suppress(RuntimeError):  # it has ended already
                self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(limit_s)

    def _run_loop(self) -> None:
        """As `asyncio.run`, which at its end would wait for what other threads still convert."""
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(self._serve_requests())
        finally:
            loop.close()
            self._ready.set()
            self._on_end()

    async def _serve_requests(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        self._loop.set_exception_handler(_log_loop_error)
        _mute_loggers()
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
            await self._over.wait()
        finally:
            for listener in server.servers:
                listener.close()
            for connection in list(server.server_state.connections):
                connection.transport.abort()
            await _end_tasks()


async def _end_tasks() -> None:
    """Ends what the loop still does, which stops the work for it inside the graphs."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=SERVER_END_S)
    await asyncio.get_running_loop().shutdown_asyncgens()


def _mute_loggers() -> None:
    """Mute uvicorn and asyncio, which would print the errors of clients."""
    for name in ("uvicorn", "uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False


def _log_loop_error(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Write an error that no task waits for to the log instead of the terminal."""
    logging.getLogger("koebako").error("the service: %s", context.get("message"), exc_info=context.get("exception"))
