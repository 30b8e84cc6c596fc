"""Small answers of servers, read whole: bounded in bytes and time, tried again, and given up when the user wants to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.adapters.http.http_request import HttpRequest, ResponseHead
from app.adapters.http.network_messages import build_bad_response_error, build_status_error
from app.adapters.http.response_stream import ResponseStream
from app.adapters.http.retry_policy import retry_until_success
from app.adapters.http.wait_notices import OnWait, WaitAnnouncer, ignore_wait
from app.common.files.untrusted_json import parse_object
from app.core.sound.stage_clock import ignore_cancellation

MAX_RESPONSE_BYTES = 16 << 20  # icons may be inside


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
    """Return head and body of a response.

    Args:
        accepted_statuses: statuses that are answers; others are errors.
        max_bytes: no body may have more bytes.

    Raises:
        DownloadError: what happened, and what the user can do.
        DownloadCancelledError: `cancelled()` became true.
    """
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
