"""Runs lab commands in child processes, one after the other, and keeps their reports."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.common.errors import AppError, VoiceError
from app.lab.report_rows import Row
from app.ui.lab.lab_commands import FILE_OPTIONS, LabCommand
from app.ui.tasks.process_task import FINISHED_STATES, ProcessTask, TaskProgress, TaskSpec, TaskState
from app.ui.tasks.task_queue import TaskQueue

ReportKey = tuple[str, str]  # a command's name and a source


@dataclass(slots=True, eq=False)
class LabReport:
    """The results of one run of a command so far."""

    command_name: str
    source: str
    name: str  # the display name of the voice or BERT
    rows: list[Row] = field(default_factory=list)
    taken_count: int = 0  # the number of the task's results that are in the rows already
    state: TaskState = TaskState.WAITING
    progress: TaskProgress = field(default_factory=TaskProgress)
    error: AppError | None = None
    log: str = ""
    planned_files: dict[str, Path] = field(default_factory=dict)  # to be written in addition to the rows, by option
    files: dict[str, Path] = field(default_factory=dict)  # those of them that exist once the run is done
    picture: str | None = None  # of the rows, as SVG; None until it was drawn, empty where there is none

    @property
    def key(self) -> ReportKey:
        """Return the key of the report."""
        return self.command_name, self.source

    @property
    def is_over(self) -> bool:
        """Return whether the run has ended."""
        return self.state in FINISHED_STATES


class LabRunner(QObject):
    """Runs commands one after the other and keeps the last report of each command and source.

    Signals:
        changed(LabReport): The report has more rows, other progress, or has ended.
        licence_asked(ProcessTask): The voice has a licence that was not accepted yet.
    """

    changed = Signal(object)
    licence_asked = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._queue = TaskQueue(self)
        self._reports: dict[ReportKey, LabReport] = {}
        self._reports_by_job: dict[ProcessTask, LabReport] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def is_busy(self) -> bool:
        """Return whether a command is running or waiting."""
        return bool(self._reports_by_job)

    def find_report(self, command_name: str, source: str) -> LabReport | None:
        """Return the last report of a command about a source, or None."""
        return self._reports.get((command_name, source))

    def is_running(self, command_name: str, source: str) -> bool:
        """Return whether a command about a source is running or waiting."""
        return self._find_job((command_name, source)) is not None

    def start_run(self, command: LabCommand, source: str, name: str, arguments: Sequence[str]) -> None:
        """Run a command about a source; its new report replaces the last one."""
        report = LabReport(command.name, source, name)
        if self._find_job(report.key) is not None:
            return
        report.planned_files = {option: self._choose_file(f"{command.name}{FILE_OPTIONS[option]}") for option in command.files}
        extra = (f"{option}={file}" for option, file in report.planned_files.items())
        command_words = ("lab", command.name, "--progress", *arguments, *extra, "--", source)
        # `verify` and `check` end with this exit code where a check fails, which is a result and no failure of the run.
        job = self._queue.add_task(TaskSpec(f"lab {command.name}", command_words, done_codes=(0, VoiceError.exit_code)))
        self._reports[report.key] = self._reports_by_job[job] = report
        job.changed.connect(self._update_changed_job)
        job.ended.connect(self._finish_ended_job)
        self._update_report(job, report)

    def cancel_run(self, command_name: str, source: str) -> None:
        """Stop a run; its rows so far are kept."""
        job = self._find_job((command_name, source))
        if job is not None:
            job.cancel()

    def resume_run(self, job: ProcessTask) -> None:
        """Run a task again after its licence was accepted."""
        if (report := self._reports_by_job.get(job)) is not None:
            # The process starts over, so its results are counted from the first one.
            report.taken_count = 0
            self._queue.queue_again(job)

    def cancel_runs(self) -> None:
        """Stop everything that is running or waiting."""
        # The last one first: stopping the running one would start the next in the queue.
        for job in reversed(list(self._reports_by_job)):
            job.cancel()

    def close(self) -> None:
        """Stop everything, wait for the processes to end, and delete their files."""
        self._queue.close()
        self._reports_by_job.clear()
        if self._folder is not None:
            self._folder.cleanup()

    @Slot()
    def _update_changed_job(self) -> None:
        job = self.sender()
        if isinstance(job, ProcessTask) and (report := self._reports_by_job.get(job)) is not None:
            self._update_report(job, report)

    @Slot()
    def _finish_ended_job(self) -> None:
        job = self.sender()
        if not isinstance(job, ProcessTask):
            return
        if job.stage is TaskState.ASKING and job.licence is not None:
            self.licence_asked.emit(job)
            return
        self.end_run(job)

    def _find_job(self, key: ReportKey) -> ProcessTask | None:
        return next((job for job, report in self._reports_by_job.items() if report.key == key), None)

    def _update_report(self, job: ProcessTask, report: LabReport) -> None:
        # Rows without a type belong to no table; the counter passes over them all the same.
        report.rows += [row for row in job.results[report.taken_count :] if isinstance(row.get("type"), str)]
        report.taken_count = len(job.results)
        report.state, report.progress, report.log = job.stage, job.advance, "\n".join(job.log)
        report.error = job.error if job.stage is TaskState.FAILED else None
        self.changed.emit(report)

    def end_run(self, job: ProcessTask) -> None:
        """End a run that is over, or whose licence was not accepted."""
        report = self._reports_by_job.pop(job, None)
        if report is None:
            return
        # The licence was declined, or the process asks something that this program does not know.
        if job.stage is TaskState.ASKING:
            job.stage = TaskState.FAILED
        elif job.stage is TaskState.DONE:
            report.files = {option: file for option, file in report.planned_files.items() if file.is_file()}
        self._update_report(job, report)
        # Removing a task cancels it, which would report the finished run as cancelled.
        job.changed.disconnect(self._update_changed_job)
        job.ended.disconnect(self._finish_ended_job)
        self._queue.remove_task(job)

    def _choose_file(self, suffix: str) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="koebako-lab-", ignore_cleanup_errors=True)
        return Path(self._folder.name) / f"{sum(1 for _ in Path(self._folder.name).iterdir())}-{len(self._reports_by_job)}-{suffix}"
