"""The jobs that wait for the synthesis thread, in lanes: what is to be heard, requests to the service, takes, and what goes into files."""

from __future__ import annotations

from collections import deque

from app.ui.synthesis.jobs import ChooseDevice, ExportFile, Job, PlaySample, RenderTake, ServeRequest, Speak

Heard = Speak | ChooseDevice | PlaySample


class JobQueue:
    """Belongs to the synthesis thread, but for `post`.

    Attributes:
        lines: what is to be heard, and the devices it is to be heard on, in order.
        requests: to the service, in order.
        takes: lines whose sound is wanted, in order.
        files: what is to be saved, in order.
    """

    def __init__(self) -> None:
        self.lines: deque[Heard] = deque()
        self.requests: deque[ServeRequest] = deque()
        self.takes: deque[RenderTake] = deque()
        self.files: deque[Speak | ExportFile] = deque()
        self._inbox: deque[Job] = deque()

    def post(self, job: Job) -> None:
        """Adds a job, from any thread."""
        self._inbox.append(job)

    @property
    def arrived(self) -> bool:
        """Something new has been posted."""
        return bool(self._inbox)

    def sort(self) -> None:
        """Brings what has arrived into its lane, up to a job that all before it must be done for."""
        while self._inbox:
            job = self._inbox[0]
            if isinstance(job, ExportFile) or (isinstance(job, Speak) and job.file is not None):
                self.files.append(job)
            elif isinstance(job, ServeRequest):
                self.requests.append(job)
            elif isinstance(job, RenderTake):
                self.takes.append(job)
            elif isinstance(job, Heard):
                self.lines.append(job)
            else:
                return
            self._inbox.popleft()

    def take(self) -> Job | None:
        """The next job that is not to be heard: a request, a take, a file, or else one that had to wait for all others."""
        self.sort()
        if self.requests:
            return self.requests.popleft()
        if self.takes:
            return self.takes.popleft()
        if self.files:
            return self.files.popleft()
        return self._inbox.popleft() if self._inbox and not self.lines else None
