"""Small answers of servers, read whole: bounded in bytes and time, tried again, and given up when the user wants to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.adapters.http.failures import not_understood, of_status
from app.adapters.http.request import Head, Request
from app.adapters.http.retry_policy import retry
from app.adapters.http.stream import AnswerStream
from app.adapters.http.waiting import OnWait, Waiting, unannounced
from app.core.timing import never
from app.json_text import parse_object

LARGEST_ANSWER = 16 << 20  # icons may be inside


def read_object(
    request: Request, cancelled: Callable[[], bool] = never, on_wait: OnWait = unannounced, *, largest: int = LARGEST_ANSWER
) -> dict[str, Any]:
    """A JSON object. Raises DownloadError, DownloadCancelledError."""
    head, body = read_answer(request, cancelled, on_wait, largest=largest)
    try:
        return parse_object(body)
    except ValueError as exc:
        raise not_understood(head.host) from exc


def read_answer(
    request: Request,
    cancelled: Callable[[], bool] = never,
    on_wait: OnWait = unannounced,
    wanted: tuple[int, ...] = (200,),
    *,
    largest: int = LARGEST_ANSWER,
) -> tuple[Head, bytes]:
    """Head and body.

    Args:
        wanted: statuses that are answers; others are errors.
        largest: no body may have more bytes.

    Raises:
        DownloadError: what happened, and what the user can do.
        DownloadCancelledError: `cancelled()` became true.
    """
    waiting = Waiting(on_wait, request.patience.retries + 1)

    def attempt() -> tuple[Head, bytes]:
        body = bytearray()
        with AnswerStream(request, cancelled, waiting, small=True) as stream:
            head = stream.head()
            if head.status not in wanted:
                raise of_status(head.status, head.headers, head.host)
            for block in stream.blocks():
                body += block
                if len(body) > largest:
                    raise not_understood(head.host)
        return head, bytes(body)

    return retry(attempt, request.patience, cancelled, waiting=waiting)
