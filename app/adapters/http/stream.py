"""An answer read by a thread of its own, so that the user can cancel while the server is silent."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType

from app.adapters.http.failures import DownloadCancelledError, no_answer, too_slow
from app.adapters.http.request import Answer, Head, Request, ask
from app.adapters.http.retry_policy import POLL_S
from app.adapters.http.waiting import Waiting

BLOCKS_AHEAD = 8
GRACE_S = 5.0  # the receiving thread's own limits come first, for it knows why


class AnswerStream:
    """A request on its way; `head` then `blocks` wait for what arrives and for `cancelled`.

    Looking up a name and connecting cannot be interrupted: when nobody wants the answer any more, the thread is left to its time limits.
    It touches no file.

    Args:
        request: what to ask for.
        cancelled: asked all the time.
        waiting: announces long silences.
        small: the whole answer must arrive within the time that the head of any has.
    """

    def __init__(self, request: Request, cancelled: Callable[[], bool], waiting: Waiting | None = None, *, small: bool = False) -> None:
        self._request = request
        self._cancelled = cancelled
        self._waiting = waiting or Waiting()
        self._small = small
        self._arrived: queue.Queue[Head | bytes | Exception] = queue.Queue(BLOCKS_AHEAD)
        self._abandoned = threading.Event()
        self._answer: Answer | None = None
        self._head_arrived = False

    def __enter__(self) -> AnswerStream:
        self._waiting.host = self._request.address.host
        self._began = self._listening_since = time.monotonic()
        threading.Thread(target=self._receive, name="download", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._abandoned.set()
        self._waiting.over()
        if self._answer is not None:
            self._answer.interrupt()

    def head(self) -> Head:
        """Waits for the head; raises DownloadError or DownloadCancelledError."""
        while (head := self._next()) is None:
            pass
        assert isinstance(head, Head)
        self._head_arrived = True
        return head

    def blocks(self) -> Iterator[bytes]:
        """The body as it arrives, and empty blocks while nothing does; raises DownloadError or DownloadCancelledError."""
        self._listening_since = time.monotonic()  # the reader may have been busy with the last block
        while (block := self._next()) != b"":
            assert block is None or isinstance(block, bytes)
            yield block or b""
            if block is not None:
                self._listening_since = time.monotonic()

    def _next(self) -> Head | bytes | None:
        """What arrived, None if nothing did for a moment, empty at the end of the body."""
        if self._cancelled():
            raise DownloadCancelledError
        try:
            item = self._arrived.get(timeout=POLL_S)
        except queue.Empty:
            self._listen()
            return None
        self._waiting.over()
        if isinstance(item, Exception):
            raise item
        self._check_whole(time.monotonic())
        return item

    def _listen(self) -> None:
        """Nothing arrived for a moment: says so, or gives up."""
        now = time.monotonic()
        silent_s = now - self._listening_since
        if self._head_arrived and not self._small:
            left_s = self._request.patience.silence_s + GRACE_S - silent_s
            if left_s <= 0:
                raise no_answer(self._waiting.host)
        else:
            self._check_whole(now)
            left_s = self._began + self._request.patience.answer_s - now
        self._waiting.for_server(silent_s, left_s)

    def _check_whole(self, now: float) -> None:
        """Raises DownloadError when the head, or the whole of a small answer, is late."""
        limit_s = self._request.patience.answer_s
        if (self._small or not self._head_arrived) and now - self._began > limit_s:
            raise too_slow(self._waiting.host, limit_s)

    def _receive(self) -> None:
        try:
            self._answer = ask(self._request, self._asking)
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

    def _asking(self, host: str) -> None:
        if not self._abandoned.is_set():
            self._waiting.host = host

    def _hand_over(self, item: Head | bytes | Exception) -> None:
        while not self._abandoned.is_set():
            try:
                self._arrived.put(item, timeout=POLL_S)
            except queue.Full:
                continue
            return
