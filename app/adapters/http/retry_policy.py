"""How long we wait, how often we try again, and when we stop because the user wants to."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from app.adapters.http.failures import DownloadCancelledError, PassingError
from app.adapters.http.waiting import Waiting
from app.core.timing import never

Result = TypeVar("Result")

POLL_S = 0.05
"""How often `cancelled` is asked; the window promises an answer within 0.2 s."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Times and numbers of tries; tests shorten them.

    Attributes:
        retries: tries after the first; those after a good stretch of new bytes are counted from zero.
        first_wait_s, longest_wait_s: waits double from the first to the longest, each shortened by chance to as little as a half.
        longest_retry_after_s: a server that asks for a longer rest is left alone.
        connect_s, silence_s: how long a server may take to be reached, and to say anything.
        answer_s: how long it may take for the head of an answer, redirects included, and for the whole of a small one; a server
            that sends a byte now and then is never silent.
        good_stretch_bytes: what counts as a good stretch.
    """

    retries: int = 5
    first_wait_s: float = 0.5
    longest_wait_s: float = 20.0
    longest_retry_after_s: float = 120.0
    connect_s: float = 15.0
    silence_s: float = 30.0
    answer_s: float = 60.0
    good_stretch_bytes: int = 1 << 20

    def wait_s(self, failures: int) -> float:
        """How long to wait after that many failures in a row (from 1), a little different for each program so that they do not come back as one."""
        return min(self.longest_wait_s, self.first_wait_s * 2.0 ** (failures - 1)) * random.uniform(0.5, 1.0)


def retry(
    attempt: Callable[[], Result],
    patience: RetryPolicy,
    cancelled: Callable[[], bool],
    went_well: Callable[[], bool] = never,
    waiting: Waiting | None = None,
) -> Result:
    """Calls `attempt` until it succeeds.

    Args:
        attempt: may raise PassingError.
        patience: how often and how slowly.
        cancelled: asked while waiting.
        went_well: whether the last attempt brought enough to count failures from the start.
        waiting: announces the rests.

    Raises:
        DownloadError: the last failure, or one that no try can mend.
        DownloadCancelledError: `cancelled()` became true while waiting.
    """
    failures = 0
    waiting = waiting or Waiting()
    while True:
        try:
            return attempt()
        except PassingError as failure:
            failures = 1 if went_well() else failures + 1
            rest_s = patience.wait_s(failures) if failure.wait_s is None else failure.wait_s
            if failures > patience.retries or rest_s > patience.longest_retry_after_s:
                raise
            message = failure.message
        waiting.attempt = failures + 1
        rest(rest_s, cancelled, partial(waiting.for_attempt, message, rest_s))
        waiting.over()


def rest(seconds: float, cancelled: Callable[[], bool], announce: Callable[[float], None] = lambda _left_s: None) -> None:
    """Waits, and calls `announce` with what is left; raises DownloadCancelledError as soon as `cancelled()` is true."""
    ends = time.monotonic() + seconds
    while not cancelled():
        left_s = ends - time.monotonic()
        if left_s <= 0:
            return
        announce(left_s)
        time.sleep(min(left_s, POLL_S))
    raise DownloadCancelledError
