"""An engine in a plain thread of its own, for programs without a window."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from app.common.errors import AppError
from app.engine.engine import Engine
from app.engine.engine_events import EngineEvents
from app.engine.open_voices import OpenVoices
from app.engine.synthesis_jobs import ComputeJob, Importance, JobTurn

# Between two attempts to stop a graph: one may begin after the first.
STOP_RETRY_S = 0.01
ENGINE_CLOSE_TIMEOUT_S = 1.0


class EngineThread:
    """Runs from its creation until `close`, or for a `with` block, which gets the engine.

    Attributes:
        engine: takes jobs.

    Args:
        first: a voice that is opened and warmed up before the first job comes.
    """

    def __init__(self, voices: OpenVoices, first: str | None = None) -> None:
        self.engine = Engine(EngineEvents(), voices)
        if first is not None:
            opening: ComputeJob[None] = ComputeJob(Importance.SERVED, lambda turn: _warm_up(turn, first, self.engine))
            self.engine.enqueue_job(opening)
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


def _warm_up(turn: JobTurn, voice: str, engine: Engine) -> None:
    # An error is said when the voice is asked for.
    with suppress(AppError):
        turn.open_speaker(voice).pipeline.warm_up(lambda: engine.is_abandoned)
