"""One piece of long work: our own command line in a process, whose JSON lines report its progress."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from typing import Any

import psutil
from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal, Slot

from app.errors import AppError, InternalError
from app.language import language, localized
from app.own_program import own_command
from app.ui.tasks.messages import LineCutter, read_line
from app.ui.tasks.task import OVER, Advance, Complaint, LicenceText, Stage, TaskSpec, with_time_left

KEPT_LOG_LINES = 500
BACKGROUND: int = getattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS", 10)  # as Windows names priorities, or niceness
CLOSE_WITHIN_MS = 3000


class ProcessTask(QObject):
    """Runs a work, and runs it again when it is retried or decided.

    Attributes:
        results: the result lines.
        error: what went wrong.
        ways: options that would decide it.
        licence: what has to be accepted first.
        log: what was printed, newest last.

    Signals:
        changed(): anything of the above.
        ended(): it runs no more.
    """

    changed = Signal()
    ended = Signal()

    def __init__(self, work: TaskSpec, parent: QObject | None = None, command: Callable[[], list[str]] = own_command) -> None:
        super().__init__(parent)
        self.work = work
        self._command = command
        self._extra: tuple[str, ...] = ()
        self._process: QProcess | None = None
        self._clear()
        self.stage = Stage.WAITING

    @property
    def has_process(self) -> bool:
        """Its process is not gone yet."""
        return self._process is not None

    @property
    def process_id(self) -> int:
        """The system's number of its process, 0 where there is none."""
        return self._process.processId() if self._process is not None else 0

    def start(self) -> None:
        """Begins, or begins again with what was decided."""
        self._clear()
        self.stage = Stage.RUNNING
        words = self.work.arguments
        place = words.index("--") if "--" in words else len(words)  # behind it nothing is an option
        command = [*self._command(), *words[:place], *self._extra, "--json", *words[place:]]
        process = self._process = _new_process(self)
        process.readyReadStandardOutput.connect(self._on_output)
        process.readyReadStandardError.connect(self._on_complaint)
        process.started.connect(self._on_started)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_process_error)
        self.changed.emit()
        process.start(command[0], command[1:])

    def wait_again(self, *extra: str) -> None:
        """Waits for its turn once more, with options that the user has decided on."""
        if extra:
            self._extra = (*(item for item in self._extra if item not in extra), *extra)
        self._clear()
        self.stage = Stage.WAITING
        self.changed.emit()

    def cancel(self) -> None:
        """Ends the process at once; what it had staged is swept by the next one."""
        if self.stage in OVER:
            return
        running = self._process is not None
        self.stage = Stage.CANCELLED
        if self._process is not None:
            self._process.kill()
        self.changed.emit()
        if not running:
            self.ended.emit()

    def close(self) -> None:
        """Ends the process and waits until it is gone."""
        process, self._process = self._process, None
        if process is not None:
            process.blockSignals(True)
            process.kill()
            process.waitForFinished(CLOSE_WITHIN_MS)

    def _clear(self) -> None:
        self.advance = Advance()
        self._began = time.monotonic()
        self.results: list[dict[str, Any]] = []
        self.error: AppError | None = None
        self.ways: tuple[str, ...] = ()
        self.licence: LicenceText | None = None
        self.log: list[str] = []
        self._lines = LineCutter()

    @Slot()
    def _on_started(self) -> None:
        """What is heard goes first."""
        if self._process is not None:
            with contextlib.suppress(psutil.Error, OSError):
                psutil.Process(self.process_id).nice(BACKGROUND)

    @Slot()
    def _on_output(self) -> None:
        if self._process is None:
            return
        for line in self._lines.cut(bytes(self._process.readAllStandardOutput().data())):
            self._take(line)
        self.changed.emit()

    @Slot()
    def _on_complaint(self) -> None:
        if self._process is not None:
            for line in bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace").splitlines():
                self._note(line)

    def _take(self, line: str) -> None:
        match read_line(line):
            case Advance() as advance:
                self.advance = with_time_left(advance, time.monotonic() - self._began)
                return
            case LicenceText() as licence:
                self.licence = licence
                return
            case Complaint(message, hint, ways):
                self.error, self.ways = AppError(message, hint), ways
                self._note(f"{message} {hint}".strip())
            case dict() as result:
                self.results.append(result)
            case _ if line:
                self._note(line)

    def _note(self, line: str) -> None:
        self.log.append(line)
        del self.log[:-KEPT_LOG_LINES]

    @Slot(int, QProcess.ExitStatus)
    def _on_finished(self, code: int, _status: QProcess.ExitStatus) -> None:
        if self._process is None:
            return
        self._on_output()
        self._on_complaint()
        self._take(self._lines.end())
        self._forget_process()
        if self.stage is Stage.RUNNING:
            if code in self.work.done_codes and self.error is None:
                self.stage = Stage.DONE
            elif self.licence is not None or self.ways:
                self.stage = Stage.ASKING
            else:
                self._fail(self.error or _died(code))
        self.changed.emit()
        self.ended.emit()

    @Slot(QProcess.ProcessError)
    def _on_process_error(self, error: QProcess.ProcessError) -> None:
        """A process that could not start does not finish either."""
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            reason = self._process.errorString()
            self._forget_process()
            self._fail(_unstartable(reason))
            self.changed.emit()
            self.ended.emit()

    def _fail(self, error: AppError) -> None:
        self.stage, self.error = Stage.FAILED, error
        logging.getLogger("koebako").warning("%s: %s %s", self.work.title, error.message, error.hint)

    def _forget_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()


def _new_process(parent: QObject) -> QProcess:
    """A process that reads nothing, speaks the language of the window and prints at once."""
    process = QProcess(parent)
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert("KOEBAKO_LANG", language())
    environment.insert("PYTHONUNBUFFERED", "1")
    process.setProcessEnvironment(environment)
    process.setStandardInputFile(QProcess.nullDevice())
    return process


def _unstartable(reason: str) -> AppError:
    return InternalError(
        localized("処理を開始できませんでした。", "The job could not be started."),
        localized("Koebako を再インストールしてください。", "Reinstall Koebako.") + f" ({reason})",
    )


def _died(code: int) -> AppError:
    return InternalError(
        localized("処理が途中で終了しました。", "The job ended unexpectedly."),
        localized(f"もう一度お試しください。（終了コード {code}）", f"Try again. (exit code {code})"),
    )
