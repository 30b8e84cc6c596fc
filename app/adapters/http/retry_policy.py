"""The timeouts and retries of requests, their end when the user cancels, and notices of waits, so that no command is silent for long."""

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from app.adapters.http.network_messages import DownloadCancelledError, TransientDownloadError
from app.common.language import choose_by_frontend, localize
from app.core.sound.stage_clock import ignore_cancellation

Result = TypeVar("Result")

CANCEL_POLL_S = 0.05  # how often `cancelled` is asked; the window promises an answer within 0.2 s

ANNOUNCE_AFTER_S = 3.0  # shorter waits are not worth a word

UPDATE_INTERVAL_S = 1.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Times and numbers of tries; tests shorten them."""

    retries: int = 5  # tries after the first; those after a good stretch of new bytes are counted from zero
    # first_delay_s, max_delay_s: waits double from the first to the longest, each shortened by chance to as little as a half.
    first_delay_s: float = 0.5
    max_delay_s: float = 20.0
    max_retry_after_s: float = 120.0  # a server that asks for a longer rest is left alone
    connect_timeout_s: float = 15.0  # connect_timeout_s, silence_timeout_s: how long a server may take to be reached, and to say anything
    silence_timeout_s: float = 30.0
    # How long it may take for the head of an answer, redirects included, and for the whole of a small one; a server that sends a byte now
    # and then is never silent.
    response_timeout_s: float = 60.0
    min_progress_bytes: int = 1 << 20  # what counts as a good stretch

    def compute_wait_s(self, failures: int) -> float:
        """Return how long to wait after that many failures in a row (from 1), a little different for each program so that they do not come back as one."""
        return min(self.max_delay_s, self.first_delay_s * 2.0 ** (failures - 1)) * random.uniform(0.5, 1.0)


@dataclass(frozen=True, slots=True)
class WaitNotice:
    """A moment of waiting."""

    reason: str  # one sentence: what is waited for
    host: str  # of the server
    seconds: int | None = None  # how much longer at most; None where nobody can say
    attempt: int = 1  # attempt, attempts: which one it is, from 1, and how many there are at most
    attempts: int = 1

    @property
    def text(self) -> str:
        """Return what the user reads, with how to stop."""
        details = []
        if self.seconds is not None:
            details.append(localize(f"最長 {self.seconds} 秒", f"up to {self.seconds} s"))
            details.append(localize(f"{self.attempt}/{self.attempts} 回目", f"attempt {self.attempt} of {self.attempts}"))
        inside = localize(f"（{'、'.join(details)}）", f" ({', '.join(details)})") if details else ""
        return f"{self.reason}{inside}{localize('。', '. ')}{describe_how_to_stop()}"


OnWait = Callable[[WaitNotice | None], None]  # called with a wait about once a second while it lasts, and with None when it is over


def ignore_wait(_wait: WaitNotice | None) -> None:
    """Do nothing, as the callback of callers that do not show waits."""


def describe_how_to_stop() -> str:
    """Return how the user ends a download."""
    return choose_by_frontend(
        localize("× でキャンセルできます。", "Click × to cancel."), localize("Ctrl+C で中止できます。", "Press Ctrl+C to stop.")
    )


class WaitAnnouncer:
    """Announces the waits of one request, which has so many attempts at most."""

    def __init__(self, on_wait: OnWait = ignore_wait, attempts: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self.host = ""  # of the server that is asked now
        self.attempt = 1  # which one is made, or comes next
        self._on_wait, self._attempts, self._clock = on_wait, attempts, clock
        self._announced_at: float | None = None
        self._reason = ""

    def announce_silent_server(self, silent_s: float, left_s: float) -> None:
        """Announce that the server has sent nothing for `silent_s` and is given up in `left_s`."""
        if silent_s >= ANNOUNCE_AFTER_S:
            self._announce_wait(localize(f"{self.host} の応答を待っています", f"Waiting for {self.host} to respond"), left_s)

    def announce_next_attempt(self, failure: str, whole_s: float, left_s: float) -> None:
        """Announce that the next attempt after a failure starts in `left_s` of a wait of `whole_s`."""
        if whole_s >= ANNOUNCE_AFTER_S:
            self._announce_wait(localize(f"{failure}再試行を待っています", f"{failure} Waiting to retry"), left_s)

    def announce_other_process(self, waited_s: float) -> None:
        """Announce that another process is downloading the same file."""
        if waited_s >= ANNOUNCE_AFTER_S:
            self._announce_wait(
                localize(
                    "別の Koebako がこのファイルをダウンロードするのを待っています",
                    "Waiting for another Koebako that is downloading this file",
                ),
                None,
            )

    def end_wait(self) -> None:
        """Announce that the wait is over."""
        if self._announced_at is not None:
            self._announced_at = None
            self._on_wait(None)

    def _announce_wait(self, reason: str, left_s: float | None) -> None:
        now_s = self._clock()
        if self._announced_at is not None and reason == self._reason and now_s - self._announced_at < UPDATE_INTERVAL_S:
            return
        self._announced_at, self._reason = now_s, reason
        seconds = None if left_s is None else max(math.ceil(left_s), 0)
        self._on_wait(WaitNotice(reason, self.host, seconds, self.attempt, self._attempts))


def retry_until_success(
    attempt: Callable[[], Result],
    retry_policy: RetryPolicy,
    cancelled: Callable[[], bool],
    has_advanced: Callable[[], bool] = ignore_cancellation,
    waiting: WaitAnnouncer | None = None,
) -> Result:
    """Call `attempt` until it raises no TransientDownloadError; raise the last one, another DownloadError, or DownloadCancelledError.

    Args:
        has_advanced: whether the last attempt brought enough to count failures from the start.
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
