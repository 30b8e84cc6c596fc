"""Runs parts of the lab in child processes, one after the other, and keeps what each has found."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.errors import AppError, VoiceError
from app.lab.rows import Row
from app.ui.lab.parts import FILES, Part
from app.ui.tasks.process import ProcessTask
from app.ui.tasks.queue import TaskQueue
from app.ui.tasks.task import OVER, Advance, Stage, TaskSpec

Key = tuple[str, str]
"""A part and a source."""


@dataclass(slots=True, eq=False)
class Report:
    """What one run of a part has found so far.

    Attributes:
        name: of the voice or BERT, for people.
        taken: lines of the process that are among the rows.
        log: what else was printed.
        planned_files, files: to be written beside the rows, by option; those that are there, once it is done.
        picture: of the rows as SVG; None until it was drawn, empty where there is none.
    """

    part: str
    source: str
    name: str
    rows: list[Row] = field(default_factory=list)
    taken: int = 0
    stage: Stage = Stage.WAITING
    advance: Advance = field(default_factory=Advance)
    error: AppError | None = None
    log: str = ""
    planned_files: dict[str, Path] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    picture: str | None = None

    @property
    def key(self) -> Key:
        """What it is kept by."""
        return self.part, self.source

    @property
    def is_over(self) -> bool:
        """It runs no more."""
        return self.stage in OVER


class LabRuns(QObject):
    """Runs parts of the lab one after the other, and keeps what they found.

    Signals:
        changed(Report): it has more rows, is further, or is over.
        licence_asked(ProcessTask): the voice has a licence that was not accepted yet.
    """

    changed = Signal(object)
    licence_asked = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._queue = TaskQueue(self)
        self._reports: dict[Key, Report] = {}
        self._running: dict[ProcessTask, Report] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def busy(self) -> bool:
        """Something runs or will."""
        return bool(self._running)

    def report(self, part: str, source: str) -> Report | None:
        """The last one of a part about a source."""
        return self._reports.get((part, source))

    def is_running(self, part: str, source: str) -> bool:
        """Its process is there, or waits for its turn."""
        return self._find_job((part, source)) is not None

    def start(self, part: Part, source: str, name: str, arguments: Sequence[str]) -> None:
        """Runs a part; what it found before makes way."""
        report = Report(part.name, source, name)
        if self._find_job(report.key) is not None:
            return
        report.planned_files = {option: self._file(f"{part.name}{FILES[option]}") for option in part.files}
        extra = (f"{option}={file}" for option, file in report.planned_files.items())
        words = ("lab", part.name, "--progress", *arguments, *extra, "--", source)
        job = self._queue.add(TaskSpec(f"lab {part.name}", words, done_codes=(0, VoiceError.exit_code)))
        self._reports[report.key] = self._running[job] = report
        job.changed.connect(self._on_changed)
        job.ended.connect(self._on_ended)
        self._take(job, report)

    def cancel(self, part: str, source: str) -> None:
        """Ends the work; the rows so far stay."""
        job = self._find_job((part, source))
        if job is not None:
            job.cancel()

    def go_on(self, job: ProcessTask) -> None:
        """Its licence was accepted."""
        if (report := self._running.get(job)) is not None:
            report.taken = 0
            self._queue.again(job)

    def cancel_all(self) -> None:
        """Ends everything that runs or waits."""
        for job in reversed(list(self._running)):
            job.cancel()

    def close(self) -> None:
        """Ends everything and waits until it is gone; nothing of it stays on the disk."""
        self._queue.close()
        self._running.clear()
        if self._folder is not None:
            self._folder.cleanup()

    @Slot()
    def _on_changed(self) -> None:
        job = self.sender()
        if isinstance(job, ProcessTask) and (report := self._running.get(job)) is not None:
            self._take(job, report)

    @Slot()
    def _on_ended(self) -> None:
        job = self.sender()
        if not isinstance(job, ProcessTask):
            return
        if job.stage is Stage.ASKING and job.licence is not None:
            self.licence_asked.emit(job)
            return
        self._forget(job)

    def decline(self, job: ProcessTask) -> None:
        """Its licence was not accepted."""
        self._forget(job)

    def _find_job(self, key: Key) -> ProcessTask | None:
        return next((job for job, report in self._running.items() if report.key == key), None)

    def _take(self, job: ProcessTask, report: Report) -> None:
        """What the job has come to."""
        report.rows += [row for row in job.results[report.taken :] if isinstance(row.get("type"), str)]
        report.taken = len(job.results)
        report.stage, report.advance, report.log = job.stage, job.advance, "\n".join(job.log)
        report.error = job.error if job.stage is Stage.FAILED else None
        self.changed.emit(report)

    def _forget(self, job: ProcessTask) -> None:
        report = self._running.pop(job, None)
        if report is None:
            return
        if job.stage is Stage.ASKING:  # and the user, or a program that we do not know, has said no
            job.stage = Stage.FAILED
        elif job.stage is Stage.DONE:
            report.files = {option: file for option, file in report.planned_files.items() if file.is_file()}
        self._take(job, report)
        job.changed.disconnect(self._on_changed)  # it is cancelled as it goes
        job.ended.disconnect(self._on_ended)
        self._queue.clear(job)

    def _file(self, ending: str) -> Path:
        """A new name in a folder that goes with the window."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="koebako-lab-", ignore_cleanup_errors=True)
        return Path(self._folder.name) / f"{sum(1 for _ in Path(self._folder.name).iterdir())}-{len(self._running)}-{ending}"
