"""The job that is computed now: what the window may look at, stop, and learn of when it fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from app.common.log import convert_to_app_error
from app.core.sound.stage_clock import RequestStopped
from app.core.synthesis_types import StageTiming
from app.engine.engine_events import EngineEvents
from app.engine.open_voices import OpenVoices
from app.engine.synthesis_jobs import SpeechJob, SynthesisJob
from app.engine.synthesis_results import JobFailure


class RunningJob:
    """Belongs to the synthesis thread, but for looking, `stop_job` and `stop_warming_for`.

    Attributes:
        job: what is computed now.
        computing_since: when the stage that runs now began, seconds of `time.perf_counter`; None while nothing is computed.
    """

    def __init__(self, events: EngineEvents, voices: OpenVoices) -> None:
        self.job: SynthesisJob | None = None
        self.computing_since: float | None = None
        self._events, self._voices = events, voices
        self._warming = False
        self._lock = threading.Lock()  # between stopping and the change of jobs: a graph must not be stopped for another's sake

    def run_part(self, job: SynthesisJob, part: Callable[[], bool]) -> bool | None:
        """Run a part of a job; report an error, and return None after one, or if a graph was stopped."""
        # Jobs nest: a line runs between two stages of a file, which is the running job again afterwards.
        before = self.job
        with self._lock:
            self.job = job
        self.computing_since = time.perf_counter() if isinstance(job, SpeechJob) else None
        try:
            return part()
        except RequestStopped:  # by us: its `done` says that it did not succeed
            pass
        except Exception as exc:
            self._events.on_failed(JobFailure(job, convert_to_app_error(exc)))
        finally:
            self.computing_since = None if before is None else time.perf_counter()
            with self._lock:
                self.job = before
        return None

    def stop_job(self, job: SynthesisJob) -> None:
        """Stop the running graph, if it runs for this job."""
        with self._lock:
            if self.job is job:
                self._voices.terminate_graphs()

    def run_warm_up(self, warm_up: Callable[[], object]) -> None:
        """Run a warm-up that `stop_warming_for` may stop."""
        self._warming = True
        try:
            warm_up()
        finally:
            self._warming = False

    def stop_warming_for(self, job: SynthesisJob) -> None:
        """Stop a warm-up for a job that waits; anything else continues, and so does a warm-up of that very job, whose turn has come meanwhile."""
        with self._lock:
            if self._warming and self.job is not job:
                self._voices.terminate_graphs()

    def report_stage(self, timing: StageTiming) -> None:
        """Report a finished stage and start the clock of the next one."""
        self.start_stage_clock()
        self._events.on_stage(self._voices.add_timing_backends(timing))
        self._voices.announce_fallback()

    def start_stage_clock(self) -> None:
        """Start the clock of the running stage."""
        self.computing_since = time.perf_counter()

    def stop_stage_clock(self) -> None:
        """Stop the clock while nothing is computed: waiting for a full queue is not computing."""
        self.computing_since = None
