"""A quota for all request bodies in memory, with the rule for which request gives way when it is exhausted."""

from __future__ import annotations

import asyncio
from typing import Protocol

MAX_BODY_MEMORY_BYTES = 64 << 20
"""Of all bodies together: as much as the longest one. A body needs some four times its size while it is read."""
UNCOUNTED_BODY_BYTES = 1 << 16
"""Of each body that count for nothing: an ordinary request never waits."""
QUOTA_WAIT_S = 30.0
SENDER_GRACE_S = 1.0
"""Of waiting after which the slowest sender gives way; nobody is slow before it has been waited for as long."""
MIN_SENDER_RATE = 1 << 18
"""Bytes a second that a sender keeps up which others may have to wait for."""


class BodySender(Protocol):
    """A body on its way."""

    @property
    def pace(self) -> float:
        """Return the bytes a second that the sender has sent while it is waited for; infinity if it is not waited for, or not for long."""

    def give_up(self) -> None:
        """End the wait for the sender."""


class BodyQuotaError(Exception):
    """There was no room for too long."""


class BodyQuota:
    """Belongs to the thread that serves.

    Bodies wait for each other, but the first of those that need room never does: so one of them always comes to its end.
    """

    def __init__(self, size: int = MAX_BODY_MEMORY_BYTES) -> None:
        self._left = size
        self._taken: dict[BodySender, int] = {}
        self._freed = asyncio.Event()

    async def acquire(self, body: BodySender, arrived: int) -> None:
        """Wait for memory for a body of which `arrived` bytes are there; raise BodyQuotaError if there is none."""
        wanted = arrived - UNCOUNTED_BODY_BYTES - self._taken.get(body, 0)
        if wanted <= 0:
            return
        self._taken.setdefault(body, 0)
        loop = asyncio.get_running_loop()
        ends = loop.time() + QUOTA_WAIT_S
        while wanted > self._left and next(iter(self._taken)) is not body:
            if loop.time() >= ends:
                raise BodyQuotaError
            try:
                await asyncio.wait_for(self._freed.wait(), SENDER_GRACE_S)
            except TimeoutError:
                self._abort_slowest()
        self._left -= wanted
        self._taken[body] += wanted

    def release(self, body: BodySender) -> None:
        """Release all that a body has taken."""
        if body in self._taken:
            self._left += self._taken.pop(body)
            self._freed.set()
            self._freed = asyncio.Event()

    def _abort_slowest(self) -> None:
        """Abort the slowest of the bodies in memory for the benefit of those that wait."""
        slowest = min(self._taken, key=lambda body: body.pace, default=None)
        if slowest is not None and slowest.pace < MIN_SENDER_RATE:
            slowest.give_up()
