"""The job that is computed now: what the window may look at, stop, and learn of when it fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from app.core.types import StageTiming
from app.ui.error_text import Failed, as_app_error
from app.ui.synthesis.jobs import Job, Speak
from app.ui.synthesis.loaded_voices import LoadedVoices
from app.ui.synthesis.signals import WorkerSignals


class CurrentJob:
    """Belongs to the synthesis thread, but for looking, `stop` and `stop_warming`.

    Attributes:
        job: what is computed now.
        computing_since: when the stage that runs now began, seconds of `time.perf_counter`; None while nothing is computed.
    """

    def __init__(self, news: WorkerSignals, voice: LoadedVoices) -> None:
        self.job: Job | None = None
        self.computing_since: float | None = None
        self._news, self._voice = news, voice
        self._warming = False
        self._lock = threading.Lock()  # between stopping and the change of jobs: a graph must not be stopped for another's sake

    def run(self, job: Job, part: Callable[[], bool]) -> bool | None:
        """Runs a part of a job; an error is reported, and comes out as None."""
        before = self.job
        with self._lock:
            self.job = job
        self.computing_since = time.perf_counter() if isinstance(job, Speak) else None
        try:
            return part()
        except Exception as exc:
            self._news.failed.emit(Failed(job, as_app_error(exc)))
        finally:
            self.computing_since = None if before is None else time.perf_counter()
            with self._lock:
                self.job = before
        return None

    def stop(self, job: Job) -> None:
        """Stops the graph that runs, if it runs for this job."""
        with self._lock:
            if self.job is job:
                self._voice.terminate()

    def warm_up(self, run: Callable[[], object]) -> None:
        """Runs what `stop_warming` may stop."""
        self._warming = True
        try:
            run()
        finally:
            self._warming = False

    def stop_warming(self) -> None:
        """Stops a warm-up; anything else continues."""
        with self._lock:
            if self._warming:
                self._voice.terminate()

    def on_stage(self, timing: StageTiming) -> None:
        """A stage is done and the next one begins."""
        self.go_on()
        self._news.stage_timed.emit(self._voice.located(timing))
        self._voice.announce_fallback()

    def go_on(self) -> None:
        """Something is computed from now on."""
        self.computing_since = time.perf_counter()

    def rest(self) -> None:
        """Nothing is computed: waiting for a full queue is not computing."""
        self.computing_since = None
