"""Where work waits for the synthesis thread."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any, Protocol, TypeVar

from app.core.timing import Stopped
from app.service.refused import refused
from app.service.spool import Room
from app.service.work import Turn, Work

Result = TypeVar("Result")
MOST_WAITING = 256


class Executor(Protocol):
    """The owner of the synthesis thread."""

    def post(self, work: Work) -> None:
        """Queues work, from any thread."""

    def cancel(self, work: Work) -> None:
        """Stops work that waits or runs, inside its graph, from any thread. Its flag is set already."""


class WorkQueue:
    """Takes work to the synthesis thread, in the order of requests."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._room = Room()
        self._waiting = 0

    async def compute(self, do: Callable[[Turn], Result]) -> Result:
        """The result of one computation; cancelled with the task that waits."""
        results = [item async for item in self.stream(do)]
        if not results:
            raise Stopped
        return results[-1]  # type: ignore[no-any-return]

    async def stream(self, do: Callable[[Turn], Any], *, whole: bool = False) -> AsyncGenerator[Any, None]:
        """What a computation emits, and its result; cancelled with the task that waits, or when nobody takes more.

        Args:
            whole: nothing comes before all is there, so that an error comes first.
        """
        if self._waiting >= MOST_WAITING:
            raise refused(503, "リクエストが多すぎます。", "Too many requests are queued.")
        work = Work(do, self._room)
        self._waiting += 1
        over = False
        try:
            self._executor.post(work)
            async for item in work.parts(whole=whole):
                yield item
            over = True
        finally:
            self._waiting -= 1
            if not over:
                work.cancelled.set()
                self._executor.cancel(work)
            work.spool.close()
