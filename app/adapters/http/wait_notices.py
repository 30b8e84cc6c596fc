"""Notices of a waiting download, so that no command is silent for long: the server, the longest wait, and the number of the attempt."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from app.common.language import choose_by_frontend, localize

ANNOUNCE_AFTER_S = 3.0
"""Shorter waits are not worth a word."""

UPDATE_INTERVAL_S = 1.0


@dataclass(frozen=True, slots=True)
class WaitNotice:
    """A moment of waiting.

    Attributes:
        reason: one sentence: what is waited for.
        host: of the server.
        seconds: how much longer at most; None where nobody can say.
        attempt, attempts: which one it is, from 1, and how many there are at most.
    """

    reason: str
    host: str
    seconds: int | None = None
    attempt: int = 1
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


OnWait = Callable[[WaitNotice | None], None]
"""Called with a wait about once a second while it lasts, and with None when it is over."""


def ignore_wait(_wait: WaitNotice | None) -> None:
    """Do nothing, as the callback of callers that do not show waits."""


def describe_how_to_stop() -> str:
    """Return how the user ends a download."""
    return choose_by_frontend(
        localize("× でキャンセルできます。", "Click × to cancel."), localize("Ctrl+C で中止できます。", "Press Ctrl+C to stop.")
    )


class WaitAnnouncer:
    """Announces the waits of one request.

    Args:
        on_wait: who hears of them.
        attempts: how many there are at most.

    Attributes:
        host: of the server that is asked now.
        attempt: which one is made, or comes next.
    """

    def __init__(self, on_wait: OnWait = ignore_wait, attempts: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self.host = ""
        self.attempt = 1
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
        now = self._clock()
        if self._announced_at is not None and reason == self._reason and now - self._announced_at < UPDATE_INTERVAL_S:
            return
        self._announced_at, self._reason = now, reason
        seconds = None if left_s is None else max(math.ceil(left_s), 0)
        self._on_wait(WaitNotice(reason, self.host, seconds, self.attempt, self._attempts))
