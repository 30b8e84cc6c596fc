"""The long work of a window, one after the other: two at once would only slow each other down."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.own_program import own_command
from app.ui.tasks.process import ProcessTask
from app.ui.tasks.task import Stage, TaskSpec


class TaskQueue(QObject):
    """Starts the next job when the one before has ended; one that waits for the user holds nobody up.

    Attributes:
        jobs: all that are not cleared away, oldest first.

    Signals:
        added(ProcessTask), removed(ProcessTask): for the panel.
        asked(ProcessTask): it needs a decision.
        finished(ProcessTask): it has succeeded.
        failed(ProcessTask): it has not.
    """

    added = Signal(object)
    removed = Signal(object)
    asked = Signal(object)
    finished = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject, command: Callable[[], list[str]] = own_command) -> None:
        super().__init__(parent)
        self._command = command
        self._closed = False
        self.jobs: list[ProcessTask] = []

    @property
    def busy(self) -> bool:
        """Something runs or will."""
        return any(job.stage in (Stage.RUNNING, Stage.WAITING) for job in self.jobs)

    @property
    def unfinished(self) -> list[str]:
        """Titles of what runs, waits for its turn or for the user; quiet work is not counted."""
        open_stages = (Stage.RUNNING, Stage.WAITING, Stage.ASKING)
        return [job.work.title for job in self.jobs if job.stage in open_stages and not job.work.quiet]

    def add(self, work: TaskSpec) -> ProcessTask:
        """Queues a work; one that is queued already is not queued twice."""
        for job in self.jobs:
            if job.work == work and job.stage in (Stage.RUNNING, Stage.WAITING, Stage.ASKING):
                return job
        job = ProcessTask(work, self, self._command)
        job.ended.connect(self._on_ended)
        self.jobs.append(job)
        self.added.emit(job)
        self._start_next()
        return job

    def again(self, job: ProcessTask, *extra: str) -> None:
        """Once more, with what the user has decided."""
        job.wait_again(*extra)
        self._start_next()

    def clear(self, job: ProcessTask) -> None:
        """Takes a job away; one that still runs is cancelled."""
        if job in self.jobs:
            self.jobs.remove(job)
            job.cancel()
            self.removed.emit(job)
            if job.has_process:
                job.ended.connect(job.deleteLater)
            else:
                job.deleteLater()
            self._start_next()

    def close(self) -> None:
        """Ends everything; nothing of it stays."""
        self._closed = True
        for job in self.findChildren(ProcessTask):  # those that were cleared away while they ran too
            job.close()

    def _start_next(self) -> None:
        if self._closed or any(job.stage is Stage.RUNNING for job in self.jobs):
            return
        job = next((item for item in self.jobs if item.stage is Stage.WAITING), None)
        if job is not None:
            job.start()

    def _on_ended(self) -> None:
        job = self.sender()
        if isinstance(job, ProcessTask) and job in self.jobs:
            signal = {Stage.DONE: self.finished, Stage.ASKING: self.asked, Stage.FAILED: self.failed}.get(job.stage)
            if signal is not None:
                signal.emit(job)
            if job.stage is Stage.CANCELLED or (job.stage is Stage.DONE and job.work.quiet):
                self.clear(job)
        self._start_next()
