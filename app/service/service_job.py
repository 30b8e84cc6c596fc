"""Work for the synthesis thread, its queue, and how its results come back to the thread that serves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from typing import Any, TypeVar

from app.adapters.speech_activity import record_at_stages, record_speech
from app.core.sound.stage_clock import RequestStopped
from app.engine.engine import Engine
from app.engine.synthesis_jobs import ComputeJob, Importance, JobTurn
from app.service.http_errors import create_refusal
from app.service.response_spool import ResponseSpool, SpoolPiece, SpoolQuota

Result = TypeVar("Result")
SPOOL_PIECE_BYTES = 1 << 18  # a third of a second and more, in one go to the thread that serves
_END_OF_RESULTS = object()

MAX_WAITING_JOBS = 256


class JobContext:
    """The resources that a job may use while it has the engine's thread."""

    def __init__(self, job: ServiceJob, turn: JobTurn) -> None:
        self._work = job
        self.open_speaker, self.is_cancelled = turn.open_speaker, turn.is_cancelled
        self.on_stage = record_at_stages(turn.on_stage)

    def emit_result(self, item: Any) -> None:
        """Deliver a part of the result at once; raise RequestStopped if no client waits, OutputFileError if the disk is full."""
        if self.is_cancelled():
            raise RequestStopped
        if not isinstance(item, bytes):
            self._work.deliver_result(item, None)
            return
        for start in range(0, len(item), SPOOL_PIECE_BYTES):
            self._work.deliver_result(self._work.spool.put_bytes(item[start : start + SPOOL_PIECE_BYTES]), None)


class ServiceJob:
    """One computation; made in the serving thread, run in the synthesis thread."""

    def __init__(self, compute: Callable[[JobContext], Any], quota: SpoolQuota) -> None:
        # For the engine; cancelled once nobody waits for it any more.
        self.computation: ComputeJob[None] = ComputeJob(Importance.SERVED, self.run_work)
        self.spool = ResponseSpool(quota)  # what was emitted and not read
        self._do = compute
        self._loop = asyncio.get_running_loop()
        self._results: asyncio.Queue[tuple[Any, BaseException | None]] = asyncio.Queue()

    def run_work(self, turn: JobTurn) -> None:
        """Compute and deliver the result; never raise."""
        record_speech()
        try:
            self.deliver_result(self._do(JobContext(self, turn)), None)
            self.deliver_result(_END_OF_RESULTS, None)
        except BaseException as error:  # raised again where it is waited for
            self.deliver_result(_END_OF_RESULTS, error)

    def deliver_result(self, item: Any, error: BaseException | None) -> None:
        """Pass a part of the result to the serving thread."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._results.put_nowait, (item, error))

    async def iterate_results(self, *, is_whole: bool = False) -> AsyncIterator[Any]:
        """Yield the emitted parts, then the result, with `is_whole` once all is there; raise the errors of the work."""
        items = self._receive_results()
        if is_whole:
            items = _iterate_list([item async for item in items])
        async for item in items:
            yield await self._take_bytes(item) if isinstance(item, SpoolPiece) else item

    async def _receive_results(self) -> AsyncIterator[Any]:
        while True:
            item, error = await self._results.get()
            if error is not None:
                raise error
            if item is _END_OF_RESULTS:
                return
            yield item

    async def _take_bytes(self, piece: SpoolPiece) -> bytes:
        return self.spool.take_bytes(piece) if piece.content is not None else await asyncio.to_thread(self.spool.take_bytes, piece)


async def _iterate_list(items: list[Any]) -> AsyncIterator[Any]:
    for item in items:
        yield item


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
        """Yield the values that a computation emits, then its result, with `is_whole` once all is there; cancelled when the caller stops iterating."""
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
