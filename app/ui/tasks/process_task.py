"""Long tasks: our own command line in processes that report their progress as JSON lines, one after the other, as two would slow each other down."""

import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import psutil
from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal, Slot

from app.common.errors import AppError, InternalError
from app.common.files.untrusted_json import parse_object
from app.common.language import get_language, localize
from app.common.processes.json_child import parse_error
from app.common.processes.launch import build_cli_command

MAX_MESSAGE_BYTES = 4 << 20  # bytes without a newline; more cannot be one of the program's messages, and must not fill the memory
MAX_TASK_LOG_LINES = 500
BACKGROUND_PRIORITY: int = getattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS", 10)  # a priority class on Windows, a niceness elsewhere
PROCESS_CLOSE_TIMEOUT_MS = 3000

TaskResult = dict[str, Any]


class TaskState(Enum):
    """The state of a job; `ASKING` means that it waits for the user."""

    WAITING = "waiting"
    RUNNING = "running"
    ASKING = "asking"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


TELLING_S, TELLING_PERCENT = 3.0, 10  # after 3 s and 10 % the pace so far predicts the rest; earlier it says little

FINISHED_STATES = (TaskState.DONE, TaskState.FAILED, TaskState.CANCELLED)


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A task for a job; a subclass adds the values that its result handler needs."""

    title: str
    arguments: tuple[str, ...]  # of our command line, without `--json`
    quiet: bool = False  # neither shown nor announced unless it fails
    done_codes: tuple[int, ...] = (0,)  # exit codes that count as done; the result may still be bad news
    is_background: bool = False  # runs while there is no other task, and yields to any that comes; closing the window asks nothing


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """The progress of a job; a download also has bytes and seconds, and in `waiting` a sentence that says why it waits."""

    step: str = ""
    percent: int = 0
    received: float | None = None
    total: float | None = None
    bytes_per_s: float | None = None
    seconds_left: float | None = None
    waiting: str = ""


def estimate_time_left(progress: TaskProgress, elapsed_s: float) -> TaskProgress:
    """Estimate the seconds left from the pace so far, for a job that reports none."""
    if progress.seconds_left is not None or elapsed_s < TELLING_S or not TELLING_PERCENT <= progress.percent < 100:
        return progress
    return replace(progress, seconds_left=elapsed_s * (100 - progress.percent) / progress.percent)


@dataclass(frozen=True, slots=True)
class LicenceText:
    """A licence that has to be accepted before the task continues."""

    voice_id: str
    name: str
    text: str


def parse_message(line: str) -> TaskProgress | LicenceText | AppError | TaskResult | None:
    """Parse one line; return None for a line that is no JSON object."""
    try:
        data = parse_object(line)
    except ValueError:
        return None
    if data.get("type") == "progress":
        return _parse_progress(data)
    if isinstance(data.get("error"), dict):
        return parse_error({"ways": data.get("ways")} | data["error"])
    if data.get("type") == "licence":
        return LicenceText(str(data.get("id", "")), str(data.get("name", "")), str(data.get("text", "")))
    return data


def _parse_progress(data: dict[str, Any]) -> TaskProgress:
    # A bool is an int in Python, and would count as 0 or 1.
    numbers = {name: value for name, value in data.items() if isinstance(value, int | float) and not isinstance(value, bool)}
    received, total, bytes_per_s, seconds_left = map(numbers.get, ("received", "total", "bytes_per_s", "seconds_left"))
    waiting = data.get("waiting")
    text = waiting.get("text") if isinstance(waiting, dict) else None
    step, percent = str(data.get("step", "")), round(numbers.get("percent", 0))
    return TaskProgress(step, percent, received, total, bytes_per_s, seconds_left, text if isinstance(text, str) else "")


class ProcessTask(QObject):
    """Runs a task, and runs it again after a retry or a decision.

    Attributes:
        licence: the licence to accept first, or None.
        log: printed lines, newest last.

    Signals:
        changed(): any of these attributes has changed.
        ended(): the process has ended, or was never started.
    """

    changed = Signal()
    ended = Signal()

    def __init__(self, work: TaskSpec, parent: QObject | None = None, command: Callable[[], list[str]] = build_cli_command) -> None:
        super().__init__(parent)
        self.work = work
        self._command = command
        self._extra: tuple[str, ...] = ()
        self._process: QProcess | None = None
        self._clear_results()
        self.stage = TaskState.WAITING

    @property
    def ways(self) -> tuple[str, ...]:
        """Return the options of the command line that would resolve the error."""
        return self.error.ways if self.error is not None else ()

    @property
    def has_process(self) -> bool:
        """Return True until the process has ended."""
        return self._process is not None

    @property
    def process_id(self) -> int:
        """Return the id of the process, or 0 if there is none."""
        return self._process.processId() if self._process is not None else 0

    def start(self) -> None:
        """Start the process, with the options that the user has decided on."""
        self._clear_results()
        self.stage = TaskState.RUNNING
        arguments = self.work.arguments
        # The command line takes nothing after `--` for an option, so ours go before it.
        separator_index = arguments.index("--") if "--" in arguments else len(arguments)
        command = [*self._command(), *arguments[:separator_index], *self._extra, "--json", *arguments[separator_index:]]
        process = self._process = _create_process(self)
        process.readyReadStandardOutput.connect(self._read_output)
        process.readyReadStandardError.connect(self._read_stderr)
        process.started.connect(self._lower_priority)
        process.finished.connect(self._finish_task)
        process.errorOccurred.connect(self._handle_process_error)
        self.changed.emit()
        process.start(command[0], command[1:])

    def queue_again(self, *extra: str) -> None:
        """Queue the task again, with further options that the user has decided on."""
        if extra:
            self._extra = (*(item for item in self._extra if item not in extra), *extra)
        self._clear_results()
        self.stage = TaskState.WAITING
        self.changed.emit()

    def postpone_run(self) -> None:
        """Kill the process and wait for another turn; `ended` follows when it is gone."""
        self._clear_results()
        self.stage = TaskState.WAITING
        if self._process is not None:
            self._process.kill()
        self.changed.emit()

    def cancel(self) -> None:
        """Kill the process at once; the next process sweeps what it had staged."""
        if self.stage in FINISHED_STATES:
            return
        running = self._process is not None
        self.stage = TaskState.CANCELLED
        if self._process is not None:
            self._process.kill()
        self.changed.emit()
        if not running:
            self.ended.emit()

    def close(self) -> None:
        """Kill the process and wait until it is gone, at most 3000 ms."""
        process, self._process = self._process, None
        if process is not None:
            # A process killed on closing must not report a failure to a window that is being closed.
            process.blockSignals(True)
            process.kill()
            process.waitForFinished(PROCESS_CLOSE_TIMEOUT_MS)

    def _clear_results(self) -> None:
        self.advance = TaskProgress()
        self._began = time.monotonic()
        self.results: list[dict[str, Any]] = []
        self.error: AppError | None = None
        self.licence: LicenceText | None = None
        self.log: list[str] = []
        self._unfinished_line = b""

    @Slot()
    def _lower_priority(self) -> None:
        if self._process is not None:
            with contextlib.suppress(psutil.Error, OSError):
                psutil.Process(self.process_id).nice(BACKGROUND_PRIORITY)

    @Slot()
    def _read_output(self) -> None:
        if self._process is None:
            return
        output = self._unfinished_line + bytes(self._process.readAllStandardOutput().data())
        *lines, self._unfinished_line = output.split(b"\n")
        if len(self._unfinished_line) > MAX_MESSAGE_BYTES:
            self._unfinished_line = b""
        for line in lines:
            self._apply_message(line.decode("utf-8", "replace").strip())
        self.changed.emit()

    @Slot()
    def _read_stderr(self) -> None:
        if self._process is not None:
            for line in bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace").splitlines():
                self._append_to_log(line)

    def _apply_message(self, line: str) -> None:
        match parse_message(line):
            case TaskProgress() as advance:
                self.advance = estimate_time_left(advance, time.monotonic() - self._began)
            case LicenceText() as licence:
                self.licence = licence
            case AppError() as error:
                self.error = error
                self._append_to_log(f"{error.message} {error.hint}".strip())
            case dict() as result:
                self.results.append(result)
            case _ if line:
                self._append_to_log(line)

    def _append_to_log(self, line: str) -> None:
        self.log.append(line)
        del self.log[:-MAX_TASK_LOG_LINES]

    @Slot(int, QProcess.ExitStatus)
    def _finish_task(self, code: int, _status: QProcess.ExitStatus) -> None:
        if self._process is None:
            return
        self._read_output()
        self._read_stderr()
        self._apply_message(self._unfinished_line.decode("utf-8", "replace").strip())
        self._forget_process()
        if self.stage is TaskState.RUNNING:
            if code in self.work.done_codes and self.error is None:
                self.stage = TaskState.DONE
            elif self.licence is not None or self.ways:
                self.stage = TaskState.ASKING
            else:
                message = localize("処理が途中で終了しました。", "The job ended unexpectedly.")
                hint = localize(f"もう一度お試しください。（終了コード {code}）", f"Try again. (exit code {code})")
                self._fail_task(self.error or InternalError(message, hint))
        self.changed.emit()
        self.ended.emit()

    @Slot(QProcess.ProcessError)
    def _handle_process_error(self, error: QProcess.ProcessError) -> None:
        # QProcess emits `finished` only for a process that has started.
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            message = localize("処理を開始できませんでした。", "The job could not be started.")
            hint = localize("Koebako を再インストールしてください。", "Reinstall Koebako.") + f" ({self._process.errorString()})"
            self._forget_process()
            self._fail_task(InternalError(message, hint))
            self.changed.emit()
            self.ended.emit()

    def _fail_task(self, error: AppError) -> None:
        self.stage, self.error = TaskState.FAILED, error
        logging.getLogger("koebako").warning("%s: %s %s", self.work.title, error.message, error.hint)

    def _forget_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()


def _create_process(parent: QObject) -> QProcess:
    process = QProcess(parent)
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert("KOEBAKO_LANG", get_language())
    environment.insert("PYTHONUNBUFFERED", "1")
    process.setProcessEnvironment(environment)
    process.setStandardInputFile(QProcess.nullDevice())
    return process


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
        unfinished = [job.work for job in self.jobs if job.stage not in FINISHED_STATES]
        return [work.title for work in unfinished if not (work.quiet or work.is_background)]

    def add_task(self, work: TaskSpec) -> ProcessTask:
        """Queue a task; a task that is queued already is not queued twice."""
        for job in self.jobs:
            if job.work == work and job.stage not in FINISHED_STATES:
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
