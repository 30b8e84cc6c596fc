"""The engine as other threads use it: a plain thread of its own for programs without a window, and a job to wait for."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Generic, TypeVar

from app.common.errors import AppError
from app.core.sound.stage_clock import RequestStopped
from app.engine.engine import Engine
from app.engine.open_voices import OpenVoices
from app.engine.synthesis_jobs import ComputeJob, Importance, JobTurn

STOP_RETRY_S = 0.01  # between two attempts to stop a graph: one may begin after the first
ENGINE_CLOSE_TIMEOUT_S = 1.0

Result = TypeVar("Result")
RESULT_POLL_S = 0.02  # waiting is not interrupted on Windows, so this bounds the delay of Ctrl+C


class EngineThread:
    """Runs from its creation until `close`, or for a `with` block, which gets the engine.

    Args:
        first: a voice that is opened and warmed up before the first job comes.
    """

    def __init__(self, voices: OpenVoices, first: str | None = None) -> None:
        self.engine = Engine(voices)
        if first is not None:

            def warm_up(turn: JobTurn) -> None:
                with suppress(AppError):  # which is said when the voice is asked for
                    turn.open_speaker(first).pipeline.warm_up(lambda: self.engine.is_abandoned)

            self.engine.enqueue_job(ComputeJob(Importance.SERVED, warm_up))
        self._thread = threading.Thread(target=self.engine.run_jobs, name="synthesis", daemon=True)
        self._thread.start()

    def __enter__(self) -> Engine:
        return self.engine

    def __exit__(self, *_error: object) -> None:
        # Sessions should not outlive the thread that runs them: at the end of a program their libraries are torn down under them.
        self.close(ENGINE_CLOSE_TIMEOUT_S)

    def close(self, limit_s: float) -> bool:
        """Stop the running job, drop those that wait, and end the thread; return False if it did not end in time, as while a voice is opened."""
        end = time.monotonic() + limit_s
        while self._thread.is_alive() and time.monotonic() < end:
            self.engine.abandon_jobs()
            self._thread.join(STOP_RETRY_S)
        return not self._thread.is_alive()


class JobHandle(Generic[Result]):
    """One computation in the engine's thread, from another one; `compute`: raises what `wait_for_result` is to raise."""

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
