"""The jobs that wait, in lanes by how soon they are wanted."""

from __future__ import annotations

from collections import deque
from typing import Any

from app.engine.synthesis_jobs import ChooseDeviceJob, ComputeJob, Importance, PlaySampleJob, SpeechJob, SynthesisJob

AudibleJob = SpeechJob | ChooseDeviceJob | PlaySampleJob


class JobLanes:
    """Belongs to the engine's thread, but for `enqueue_job`.

    Attributes:
        lines: what is to be heard, and the devices it is to be heard on, in order.
        silent: what is computed for somebody who waits, or into a file, by importance, each in order.
    """

    def __init__(self) -> None:
        self.lines: deque[AudibleJob] = deque()
        self.silent: dict[Importance, deque[ComputeJob[Any]]] = {importance: deque() for importance in Importance}
        # No lock: a deque takes `append` from any thread, and only the engine's thread looks and removes.
        self._inbox: deque[SynthesisJob] = deque()

    def enqueue_job(self, job: SynthesisJob) -> None:
        """Add a job; may be called from any thread."""
        self._inbox.append(job)

    @property
    def has_new_jobs(self) -> bool:
        """Return whether a new job has been posted."""
        return bool(self._inbox)

    @property
    def has_silent_jobs(self) -> bool:
        """Return whether any job waits that nobody hears."""
        return any(self.silent.values())

    def sort_new_jobs(self) -> None:
        """Move the jobs that have arrived into their lanes, up to a job that all jobs before it must precede."""
        while self._inbox:
            job = self._inbox[0]
            if isinstance(job, ComputeJob):
                self.silent[job.importance].append(job)
            elif isinstance(job, AudibleJob):
                self.lines.append(job)
            else:
                return
            self._inbox.popleft()

    def take_silent_job(self, before: Importance | None = None) -> ComputeJob[Any] | None:
        """Return the next job that nobody hears, or None; with `before` only one that is more important."""
        lanes = (lane for importance, lane in self.silent.items() if lane and (before is None or importance < before))
        lane = next(lanes, None)
        return lane.popleft() if lane else None

    def take_job(self) -> SynthesisJob | None:
        """Return the next job that is not audible: a request, a take, a file, or else a job that had to wait for all others."""
        self.sort_new_jobs()
        if (job := self.take_silent_job()) is not None:
            return job
        return self._inbox.popleft() if self._inbox and not self.lines else None
