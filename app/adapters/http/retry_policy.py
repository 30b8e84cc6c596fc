"""The timeouts and retries of requests, and their end when the user cancels."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from app.adapters.http.network_messages import DownloadCancelledError, TransientDownloadError
from app.adapters.http.wait_notices import WaitAnnouncer
from app.core.sound.stage_clock import ignore_cancellation

Result = TypeVar("Result")

CANCEL_POLL_S = 0.05
"""How often `cancelled` is asked; the window promises an answer within 0.2 s."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Times and numbers of tries; tests shorten them.

    Attributes:
        retries: tries after the first; those after a good stretch of new bytes are counted from zero.
        first_delay_s, max_delay_s: waits double from the first to the longest, each shortened by chance to as little as a half.
        max_retry_after_s: a server that asks for a longer rest is left alone.
        connect_timeout_s, silence_timeout_s: how long a server may take to be reached, and to say anything.
        response_timeout_s: how long it may take for the head of an answer, redirects included, and for the whole of a small one; a server
            that sends a byte now and then is never silent.
        min_progress_bytes: what counts as a good stretch.
    """

    retries: int = 5
    first_delay_s: float = 0.5
    max_delay_s: float = 20.0
    max_retry_after_s: float = 120.0
    connect_timeout_s: float = 15.0
    silence_timeout_s: float = 30.0
    response_timeout_s: float = 60.0
    min_progress_bytes: int = 1 << 20

    def compute_wait_s(self, failures: int) -> float:
        """Return how long to wait after that many failures in a row (from 1), a little different for each program so that they do not come back as one."""
        return min(self.max_delay_s, self.first_delay_s * 2.0 ** (failures - 1)) * random.uniform(0.5, 1.0)


def retry_until_success(
    attempt: Callable[[], Result],
    retry_policy: RetryPolicy,
    cancelled: Callable[[], bool],
    has_advanced: Callable[[], bool] = ignore_cancellation,
    waiting: WaitAnnouncer | None = None,
) -> Result:
    """Call `attempt` until it succeeds.

    Args:
        attempt: may raise TransientDownloadError.
        retry_policy: how often and how slowly.
        cancelled: asked while waiting.
        has_advanced: whether the last attempt brought enough to count failures from the start.
        waiting: announces the rests.

    Raises:
        DownloadError: the last failure, or one that no try can mend.
        DownloadCancelledError: `cancelled()` became true while waiting.
    """
    failures = 0
    waiting = waiting or WaitAnnouncer()
    while True:
        try:
            return attempt()
        except TransientDownloadError as failure:
            failures = 1 if has_advanced() else failures + 1
            rest_s = retry_policy.compute_wait_s(failures) if failure.wait_s is None else failure.wait_s
            if failures > retry_policy.retries or rest_s > retry_policy.max_retry_after_s:
                raise
            message = failure.message
        waiting.attempt = failures + 1
        sleep_unless_cancelled(rest_s, cancelled, partial(waiting.announce_next_attempt, message, rest_s))
        waiting.end_wait()


def sleep_unless_cancelled(seconds: float, cancelled: Callable[[], bool], announce: Callable[[float], None] = lambda _left_s: None) -> None:
    """Wait, and call `announce` with the remaining seconds; raise DownloadCancelledError as soon as `cancelled()` is true."""
    ends = time.monotonic() + seconds
    while not cancelled():
        left_s = ends - time.monotonic()
        if left_s <= 0:
            return
        announce(left_s)
        time.sleep(min(left_s, CANCEL_POLL_S))
    raise DownloadCancelledError
