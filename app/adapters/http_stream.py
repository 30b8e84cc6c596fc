"""An answer read by a thread of its own, so that the user can cancel while the server is silent."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from types import TracebackType

from app.adapters.http_failures import DownloadCancelledError
from app.adapters.http_patience import POLL_S
from app.adapters.http_request import Answer, Head, Request, ask

BLOCKS_AHEAD = 8


class AnswerStream:
    """A request on its way; `head` then `blocks` wait for what arrives and for `cancelled`.

    Looking up a name and connecting cannot be interrupted: when nobody wants the answer any more, the thread is left to its time limits.
    It touches no file.
    """

    def __init__(self, request: Request, cancelled: Callable[[], bool]) -> None:
        self._request = request
        self._cancelled = cancelled
        self._arrived: queue.Queue[Head | bytes | Exception] = queue.Queue(BLOCKS_AHEAD)
        self._abandoned = threading.Event()
        self._answer: Answer | None = None

    def __enter__(self) -> AnswerStream:
        threading.Thread(target=self._receive, name="download", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._abandoned.set()
        if self._answer is not None:
            self._answer.interrupt()

    def head(self) -> Head:
        """Waits for the head; raises DownloadError or DownloadCancelledError."""
        while (head := self._next()) is None:
            pass
        assert isinstance(head, Head)
        return head

    def blocks(self) -> Iterator[bytes]:
        """The body as it arrives, and empty blocks while nothing does; raises DownloadError or DownloadCancelledError."""
        while (block := self._next()) != b"":
            assert block is None or isinstance(block, bytes)
            yield block or b""

    def _next(self) -> Head | bytes | None:
        """What arrived, None if nothing did for a moment, empty at the end of the body."""
        if self._cancelled():
            raise DownloadCancelledError
        try:
            item = self._arrived.get(timeout=POLL_S)
        except queue.Empty:
            return None
        if isinstance(item, Exception):
            raise item
        return item

    def _receive(self) -> None:
        try:
            self._answer = ask(self._request)
        except Exception as exc:
            self._hand_over(exc)
            return
        try:
            self._hand_over(self._answer.head)
            while not self._abandoned.is_set():
                block = self._answer.read()
                self._hand_over(block)
                if not block:
                    return
        except Exception as exc:
            self._hand_over(exc)
        finally:
            self._answer.close()

    def _hand_over(self, item: Head | bytes | Exception) -> None:
        while not self._abandoned.is_set():
            try:
                self._arrived.put(item, timeout=POLL_S)
            except queue.Full:
                continue
            return
