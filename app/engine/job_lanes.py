"""The jobs that wait, in lanes by how soon they are wanted."""

from __future__ import annotations

from collections import deque

from app.engine.synthesis_jobs import (
    ChooseDeviceJob,
    ExportFileJob,
    PlaySampleJob,
    RenderTakeJob,
    ServeRequestJob,
    SpeechJob,
    SynthesisJob,
)

AudibleJob = SpeechJob | ChooseDeviceJob | PlaySampleJob


class JobLanes:
    """Belongs to the synthesis thread, but for `enqueue_job`.

    Attributes:
        lines: what is to be heard, and the devices it is to be heard on, in order.
        requests: to the service, in order.
        takes: lines whose sound is wanted, in order.
        files: what is to be saved, in order.
    """

    def __init__(self) -> None:
        self.lines: deque[AudibleJob] = deque()
        self.requests: deque[ServeRequestJob] = deque()
        self.takes: deque[RenderTakeJob] = deque()
        self.files: deque[SpeechJob | ExportFileJob] = deque()
        # No lock: a deque takes `append` from any thread, and only the synthesis thread looks and removes.
        self._inbox: deque[SynthesisJob] = deque()

    def enqueue_job(self, job: SynthesisJob) -> None:
        """Add a job; may be called from any thread."""
        self._inbox.append(job)

    @property
    def has_new_jobs(self) -> bool:
        """Return whether a new job has been posted."""
        return bool(self._inbox)

    def sort_new_jobs(self) -> None:
        """Move the jobs that have arrived into their lanes, up to a job that all jobs before it must precede."""
        while self._inbox:
            job = self._inbox[0]
            if isinstance(job, ExportFileJob) or (isinstance(job, SpeechJob) and job.file is not None):
                self.files.append(job)
            elif isinstance(job, ServeRequestJob):
                self.requests.append(job)
            elif isinstance(job, RenderTakeJob):
                self.takes.append(job)
            elif isinstance(job, AudibleJob):
                self.lines.append(job)
            else:
                return
            self._inbox.popleft()

    def take_job(self) -> SynthesisJob | None:
        """Return the next job that is not audible: a request, a take, a file, or else a job that had to wait for all others."""
        self.sort_new_jobs()
        if self.requests:
            return self.requests.popleft()
        if self.takes:
            return self.takes.popleft()
        if self.files:
            return self.files.popleft()
        return self._inbox.popleft() if self._inbox and not self.lines else None
