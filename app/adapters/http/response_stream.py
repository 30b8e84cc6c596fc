"""An answer read by a thread of its own, so that the user can cancel while the server is silent; small answers read whole."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from app.adapters.http.http_request import (
    CANCEL_POLL_S,
    HttpRequest,
    HttpResponse,
    OnWait,
    ResponseHead,
    WaitAnnouncer,
    ignore_wait,
    retry_until_success,
    send_request,
)
from app.adapters.http.network_messages import (
    DownloadCancelledError,
    build_bad_response_error,
    build_no_response_error,
    build_status_error,
    build_too_slow_error,
)
from app.common.files.untrusted_json import parse_object
from app.core.sound.stage_clock import ignore_cancellation

MAX_QUEUED_BLOCKS = 8
THREAD_GRACE_S = 5.0  # the receiving thread's own limits come first, for it knows why

MAX_RESPONSE_BYTES = 16 << 20  # icons may be inside


class ResponseStream:
    """A request on its way; `wait_for_head` then `iterate_blocks` wait for what arrives and for `cancelled`, and announce long silences.

    Looking up a name and connecting cannot be interrupted: when nobody wants the answer any more, the thread is left to its time limits.
    It touches no file.

    Args:
        is_small: the whole answer must arrive within the time that the head of any has.
    """

    def __init__(
        self, request: HttpRequest, cancelled: Callable[[], bool], waiting: WaitAnnouncer | None = None, *, is_small: bool = False
    ) -> None:
        self._request = request
        self._is_cancelled = cancelled
        self._announcer = waiting or WaitAnnouncer()
        self._small = is_small
        self._item_queue: queue.Queue[ResponseHead | bytes | Exception] = queue.Queue(MAX_QUEUED_BLOCKS)
        self._abandon_event = threading.Event()
        self._answer: HttpResponse | None = None
        self._head_arrived = False

    def __enter__(self) -> ResponseStream:
        self._announcer.host = self._request.address.host
        self._began = self._listening_since = time.monotonic()
        threading.Thread(target=self._receive_blocks, name="download", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._abandon_event.set()
        self._announcer.end_wait()
        if self._answer is not None:
            self._answer.interrupt()

    def wait_for_head(self) -> ResponseHead:
        """Wait for the head; raise DownloadError or DownloadCancelledError."""
        while (head := self._wait_for_item()) is None:
            pass
        assert isinstance(head, ResponseHead)
        self._head_arrived = True
        return head

    def iterate_blocks(self) -> Iterator[bytes]:
        """Yield the body as it arrives, and empty blocks while nothing does; raise DownloadError or DownloadCancelledError."""
        # The reader may have been busy with the last block.
        self._listening_since = time.monotonic()
        while (block := self._wait_for_item()) != b"":
            assert block is None or isinstance(block, bytes)
            yield block or b""
            if block is not None:
                self._listening_since = time.monotonic()

    def _wait_for_item(self) -> ResponseHead | bytes | None:
        """Return what arrived, None if nothing did for a moment, empty at the end of the body."""
        if self._is_cancelled():
            raise DownloadCancelledError
        try:
            item = self._item_queue.get(timeout=CANCEL_POLL_S)
        except queue.Empty:
            self._check_silence()
            return None
        self._announcer.end_wait()
        if isinstance(item, Exception):
            raise item
        self._check_deadline(time.monotonic())
        return item

    def _check_silence(self) -> None:
        """Announce that nothing has arrived for a moment, or give up."""
        now_s = time.monotonic()
        silent_s = now_s - self._listening_since
        if self._head_arrived and not self._small:
            left_s = self._request.retry_policy.silence_timeout_s + THREAD_GRACE_S - silent_s
            if left_s <= 0:
                raise build_no_response_error(self._announcer.host)
        else:
            self._check_deadline(now_s)
            left_s = self._began + self._request.retry_policy.response_timeout_s - now_s
        self._announcer.announce_silent_server(silent_s, left_s)

    def _check_deadline(self, now_s: float) -> None:
        limit_s = self._request.retry_policy.response_timeout_s
        if (self._small or not self._head_arrived) and now_s - self._began > limit_s:
            raise build_too_slow_error(self._announcer.host, limit_s)

    def _receive_blocks(self) -> None:
        try:
            self._answer = send_request(self._request, self._update_host)
        except Exception as exc:
            self._queue_item(exc)
            return
        try:
            self._queue_item(self._answer.head)
            while not self._abandon_event.is_set():
                block = self._answer.read_block()
                self._queue_item(block)
                if not block:
                    return
        except Exception as exc:
            self._queue_item(exc)
        finally:
            self._answer.close()

    def _update_host(self, host: str) -> None:
        if not self._abandon_event.is_set():
            self._announcer.host = host

    def _queue_item(self, item: ResponseHead | bytes | Exception) -> None:
        while not self._abandon_event.is_set():
            try:
                self._item_queue.put(item, timeout=CANCEL_POLL_S)
            except queue.Full:
                continue
            return


def read_json_response(
    request: HttpRequest,
    cancelled: Callable[[], bool] = ignore_cancellation,
    on_wait: OnWait = ignore_wait,
    *,
    max_bytes: int = MAX_RESPONSE_BYTES,
) -> dict[str, Any]:
    """Return a JSON object; raise DownloadError or DownloadCancelledError."""
    head, body = read_response(request, cancelled, on_wait, max_bytes=max_bytes)
    try:
        return parse_object(body)
    except ValueError as exc:
        raise build_bad_response_error(head.host) from exc


def read_response(
    request: HttpRequest,
    cancelled: Callable[[], bool] = ignore_cancellation,
    on_wait: OnWait = ignore_wait,
    accepted_statuses: tuple[int, ...] = (200,),
    *,
    max_bytes: int = MAX_RESPONSE_BYTES,
) -> tuple[ResponseHead, bytes]:
    """Return head and body of a response with an accepted status and at most `max_bytes`; raise DownloadError or DownloadCancelledError."""
    waiting = WaitAnnouncer(on_wait, request.retry_policy.retries + 1)

    def read_once() -> tuple[ResponseHead, bytes]:
        body = bytearray()
        with ResponseStream(request, cancelled, waiting, is_small=True) as stream:
            head = stream.wait_for_head()
            if head.status not in accepted_statuses:
                raise build_status_error(head.status, head.headers, head.host)
            for block in stream.iterate_blocks():
                body += block
                if len(body) > max_bytes:
                    raise build_bad_response_error(head.host)
        return head, bytes(body)

    return retry_until_success(read_once, request.retry_policy, cancelled, waiting=waiting)
