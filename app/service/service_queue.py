"""A queue of jobs for the engine."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any, TypeVar

from app.core.sound.stage_clock import RequestStopped
from app.engine.engine import Engine
from app.service.http_errors import create_refusal
from app.service.response_spool import SpoolQuota
from app.service.service_job import JobContext, ServiceJob

Result = TypeVar("Result")
MAX_WAITING_JOBS = 256


class ServiceJobQueue:
    """Takes work to the engine, in the order of requests."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._room = SpoolQuota()
        self._waiting = 0

    async def compute_result(self, compute: Callable[[JobContext], Result]) -> Result:
        """Return the result of one computation, which is cancelled with the task that waits."""
        results = [item async for item in self.stream_results(compute)]
        if not results:
            raise RequestStopped
        return results[-1]  # type: ignore[no-any-return]

    async def stream_results(self, compute: Callable[[JobContext], Any], *, is_whole: bool = False) -> AsyncGenerator[Any, None]:
        """Yield the values that a computation emits, then its result; cancelled with the waiting task, or when the caller stops iterating.

        Args:
            is_whole: nothing comes before all is there, so that an error comes first.
        """
        if self._waiting >= MAX_WAITING_JOBS:
            raise create_refusal(503, "リクエストが多すぎます。", "Too many requests are queued.")
        work = ServiceJob(compute, self._room)
        self._waiting += 1
        over = False
        try:
            self._engine.enqueue_job(work.computation)
            async for item in work.iterate_results(is_whole=is_whole):
                yield item
            over = True
        finally:
            self._waiting -= 1
            if not over:
                self._engine.cancel_job(work.computation)
            work.spool.close()
