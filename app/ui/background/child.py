"""One piece of long work: our own command line in a process, whose JSON lines tell how it goes."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal, Slot

from app.errors import AppError, InternalError
from app.language import language, say
from app.paths import own_command

KEPT_LOG_LINES = 500
LONGEST_LINE = 4 << 20  # bytes without a newline, after which nothing is expected any more
BACKGROUND_NICE = 10
CLOSE_WITHIN_MS = 3000


class Stage(Enum):
    """How far a job is. `ASKING`: it waits for the user."""

    WAITING = "waiting"
    RUNNING = "running"
    ASKING = "asking"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Work:
    """What a job does.

    Attributes:
        title: for people.
        arguments: of our command line, without `--json`.
        note: what the user may do with the result; travels with the job.
        quiet: it is not shown unless it fails, nor told.
    """

    title: str
    arguments: tuple[str, ...]
    note: Mapping[str, Any] = field(default_factory=dict)
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Advance:
    """Where a job is; of a download also bytes and seconds."""

    step: str = ""
    percent: int = 0
    received: int | None = None
    total: int | None = None
    bytes_per_s: float | None = None
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True)
class LicenceText:
    """A licence that has to be accepted first."""

    voice_id: str
    name: str
    text: str


class ChildJob(QObject):
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

    def __init__(self, work: Work, parent: QObject | None = None, command: Callable[[], list[str]] = own_command) -> None:
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

    def start(self) -> None:
        """Begins, or begins again with what was decided."""
        self._clear()
        self.stage = Stage.RUNNING
        program, *arguments = [*self._command(), *self.work.arguments, *self._extra, "--json"]
        process = self._process = QProcess(self)
        surroundings = QProcessEnvironment.systemEnvironment()
        surroundings.insert("KOEBAKO_LANG", language())
        surroundings.insert("PYTHONUNBUFFERED", "1")
        process.setProcessEnvironment(surroundings)
        process.setStandardInputFile(QProcess.nullDevice())
        process.readyReadStandardOutput.connect(self._on_output)
        process.readyReadStandardError.connect(self._on_complaint)
        process.started.connect(self._on_started)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_process_error)
        self.changed.emit()
        process.start(program, arguments)

    def wait_again(self, *extra: str) -> None:
        """Waits for its turn once more, with options that the user has decided on."""
        if extra:
            self._extra = (*(item for item in self._extra if item not in extra), *extra)
        self._clear()
        self.stage = Stage.WAITING
        self.changed.emit()

    def cancel(self) -> None:
        """Ends the process at once; what it had staged is swept by the next one."""
        if self.stage in (Stage.DONE, Stage.FAILED, Stage.CANCELLED):
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
        self.results: list[dict[str, Any]] = []
        self.error: AppError | None = None
        self.ways: tuple[str, ...] = ()
        self.licence: LicenceText | None = None
        self.log: list[str] = []
        self._rest = b""

    @Slot()
    def _on_started(self) -> None:
        """What is heard goes first."""
        if self._process is not None and hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self._process.processId(), BACKGROUND_NICE)

    @Slot()
    def _on_output(self) -> None:
        if self._process is None:
            return
        *lines, self._rest = (self._rest + bytes(self._process.readAllStandardOutput().data())).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            self._rest = b""
        for line in lines:
            self._take(line.decode("utf-8", "replace").strip())
        self.changed.emit()

    @Slot()
    def _on_complaint(self) -> None:
        if self._process is not None:
            for line in bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace").splitlines():
                self._note(line)

    def _take(self, line: str) -> None:
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            if line:
                self._note(line)
        elif data.get("type") == "progress":
            self.advance = _advance(data)
        elif isinstance(data.get("error"), dict):
            self._note(line)
            self.error = AppError(str(data["error"].get("message", "")), str(data["error"].get("hint", "")))
            self.ways = tuple(str(way) for way in data["error"].get("ways", data.get("ways", ())))
        elif data.get("type") == "licence":
            self.licence = LicenceText(str(data.get("id", "")), str(data.get("name", "")), str(data.get("text", "")))
        else:
            self._note(line)
            self.results.append(data)

    def _note(self, line: str) -> None:
        self.log.append(line)
        del self.log[:-KEPT_LOG_LINES]

    @Slot(int, QProcess.ExitStatus)
    def _on_finished(self, code: int, _status: QProcess.ExitStatus) -> None:
        if self._process is None:
            return
        self._on_output()
        self._on_complaint()
        self._take(self._rest.decode("utf-8", "replace").strip())
        self._process.deleteLater()
        self._process = None
        if self.stage is Stage.RUNNING:
            if code == 0 and self.error is None:
                self.stage = Stage.DONE
            elif self.licence is not None or self.ways:
                self.stage = Stage.ASKING
            else:
                self.stage = Stage.FAILED
                self.error = self.error or _died(code)
        self.changed.emit()
        self.ended.emit()

    @Slot(QProcess.ProcessError)
    def _on_process_error(self, error: QProcess.ProcessError) -> None:
        """A process that could not start does not finish either."""
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            self.error = InternalError(
                say("作業を始められませんでした。", "The work could not be started."),
                say("Koebako を入れ直してください。", "Reinstall Koebako.") + f" ({self._process.errorString()})",
            )
            self._process.deleteLater()
            self._process = None
            self.stage = Stage.FAILED
            self.changed.emit()
            self.ended.emit()


def _advance(data: dict[str, Any]) -> Advance:
    def number(name: str) -> Any:
        value = data.get(name)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    return Advance(
        str(data.get("step", "")),
        round(number("percent") or 0),
        number("received"),
        number("total"),
        number("bytes_per_s"),
        number("seconds_left"),
    )


def _died(code: int) -> AppError:
    return InternalError(
        say("作業が途中で終わりました。", "The work ended before it was done."),
        say(f"もう一度お試しください。（終了コード {code}）", f"Try again. (exit code {code})"),
    )
