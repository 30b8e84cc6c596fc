"""The queue of a window's long tasks, run one after the other: two at once would only slow each other down."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.common.processes.launch import build_cli_command
from app.ui.tasks.process_task import ProcessTask, TaskSpec, TaskState


class TaskQueue(QObject):
    """Starts the next job when the one before has ended; a job that waits for the user does not block the others.

    A background job runs when there is nothing else to do; one that has to yield to another starts over later.

    Signals:
        added(ProcessTask), removed(ProcessTask): the list of jobs has changed.
        decision_needed(ProcessTask), finished(ProcessTask), failed(ProcessTask): the job waits for the user, or has ended so.
    """

    added = Signal(object)
    removed = Signal(object)
    decision_needed = Signal(object)
    finished = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject, command: Callable[[], list[str]] = build_cli_command) -> None:
        super().__init__(parent)
        self.command = command  # returns the command line that runs a task, before the arguments of the task
        self._is_closed = False
        self.jobs: list[ProcessTask] = []  # all jobs in the panel, the oldest first

    @property
    def is_busy(self) -> bool:
        """Return True if a job runs or waits for its turn."""
        return any(job.stage in (TaskState.RUNNING, TaskState.WAITING) for job in self.jobs)

    @property
    def unfinished_titles(self) -> list[str]:
        """Return the titles of jobs that run or wait for their turn or the user; quiet and background ones are not counted."""
        open_stages = (TaskState.RUNNING, TaskState.WAITING, TaskState.ASKING)
        return [job.work.title for job in self.jobs if job.stage in open_stages and not (job.work.quiet or job.work.is_background)]

    def add_task(self, work: TaskSpec) -> ProcessTask:
        """Queue a task; a task that is queued already is not queued twice."""
        for job in self.jobs:
            if job.work == work and job.stage in (TaskState.RUNNING, TaskState.WAITING, TaskState.ASKING):
                return job
        job = ProcessTask(work, self, self.command)
        job.ended.connect(self._finish_task)
        self.jobs.append(job)
        self.added.emit(job)
        self._start_next()
        return job

    def queue_again(self, job: ProcessTask, *extra: str) -> None:
        """Run a job again with the options that the user has decided on."""
        job.queue_again(*extra)
        self._start_next()

    def remove_task(self, job: ProcessTask) -> None:
        """Remove a job; a running one is cancelled."""
        if job in self.jobs:
            self.jobs.remove(job)
            job.cancel()
            self.removed.emit(job)
            # Deleting the job earlier would delete its QProcess, which then waits in the window's thread for the end.
            if job.has_process:
                job.ended.connect(job.deleteLater)
            else:
                job.deleteLater()
            self._start_next()

    def close(self) -> None:
        """Kill all processes and wait for them."""
        self._is_closed = True
        # Removed jobs whose process still runs are no longer in `jobs`, but still children.
        for job in self.findChildren(ProcessTask):
            job.close()

    def _start_next(self) -> None:
        if self._is_closed:
            return
        waiting = [job for job in self.jobs if job.stage is TaskState.WAITING and not job.has_process]
        urgent = next((job for job in waiting if not job.work.is_background), None)
        running = next((job for job in self.jobs if job.stage is TaskState.RUNNING), None)
        if running is not None:
            if running.work.is_background and urgent is not None:
                # Its end starts the other one: the two together would take twice the memory.
                running.postpone_run()
            return
        if any(job.has_process for job in self.jobs if job.stage is TaskState.WAITING):
            return
        job = urgent or next(iter(waiting), None)
        if job is not None:
            job.start()

    def _finish_task(self) -> None:
        job = self.sender()
        if isinstance(job, ProcessTask) and job in self.jobs:
            signal = {TaskState.DONE: self.finished, TaskState.ASKING: self.decision_needed, TaskState.FAILED: self.failed}.get(job.stage)
            if signal is not None:
                signal.emit(job)
            if job.stage is TaskState.CANCELLED or (job.stage is TaskState.DONE and job.work.quiet):
                self.remove_task(job)
        self._start_next()
