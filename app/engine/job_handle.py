"""A handle on a job of the engine: to wait for its result, and to stop it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Generic, TypeVar

from app.core.sound.stage_clock import RequestStopped
from app.engine.engine import Engine
from app.engine.synthesis_jobs import ComputeJob, Importance, JobTurn

Result = TypeVar("Result")
# Waiting is not interrupted on Windows, so this bounds the delay of Ctrl+C.
RESULT_POLL_S = 0.02


class JobHandle(Generic[Result]):
    """One computation in the engine's thread, from another one.

    Args:
        compute: raises what `wait_for_result` is to raise.
    """

    def __init__(self, engine: Engine, importance: Importance, compute: Callable[[JobTurn], Result]) -> None:
        self._engine, self._compute = engine, compute
        self._future: Future[Result] = Future()
        self._job: ComputeJob[None] = ComputeJob(importance, self._run_computation)
        engine.enqueue_job(self._job)

    def wait_for_result(self) -> Result:
        """Return the result, or raise the error of the computation; RequestStopped if it was stopped, or the engine ended before."""
        while True:
            try:
                return self._future.result(RESULT_POLL_S)
            except CancelledError as error:
                raise RequestStopped from error
            except TimeoutError:
                if self._future.done():  # the computation itself raised it
                    raise
                if self._engine.is_abandoned:
                    self._future.cancel()

    def stop(self) -> None:
        """Stop the computation, within its graph if it runs."""
        self._future.cancel()
        self._engine.cancel_job(self._job)

    def _run_computation(self, turn: JobTurn) -> None:
        if not self._future.set_running_or_notify_cancel():
            return
        try:
            result = self._compute(turn)
            # What was stopped may have ended early without a word.
            if turn.is_cancelled():
                raise RequestStopped
            self._future.set_result(result)
        except BaseException as error:
            self._future.set_exception(error)
