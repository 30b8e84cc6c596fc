"""The jobs that wait for the synthesis thread, in two lanes: what is to be heard, and what goes into files."""

from __future__ import annotations

from collections import deque

from app.ui.synthesis.jobs import ChooseDevice, Job, PlaySample, Speak


class JobQueue:
    """Belongs to the synthesis thread, but for `post`.

    Attributes:
        lines: what is to be heard, and the devices it is to be heard on, in order.
        files: what is to be saved, in order.
    """

    def __init__(self) -> None:
        self.lines: deque[Speak | ChooseDevice | PlaySample] = deque()
        self.files: deque[Speak] = deque()
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
            if isinstance(job, Speak) and job.file is not None:
                self.files.append(job)
            elif isinstance(job, Speak | ChooseDevice | PlaySample):
                self.lines.append(job)
            else:
                return
            self._inbox.popleft()

    def take(self) -> Job | None:
        """The next job that is not to be heard: a file, or else one that had to wait for all others."""
        self.sort()
        if self.files:
            return self.files.popleft()
        return self._inbox.popleft() if self._inbox and not self.lines else None
