"""Runs a task in a child process with limits, and trusts none of its answers.

What a stranger wrote may lead the child astray: so its lines are read like a stranger's file, and the system holds it to its limits.

    here                                          the child (`app.adapters.sandbox.sandbox_child`)
    starts it
                                                  {"pid": 4711}
    puts it into a job (Windows)
    {"task": …, "arguments": […], "limits": …}
                                                  sets its limits (Unix)
                                                  {"step": "checking", "fraction": 0.5} …
                                                  {"found": {…}} …
    ends it                                       {"done": true}, or {"error": {…}}
"""

import contextlib
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import psutil

from app.adapters.sandbox.process_limits import JOB_TIME_LIMIT_CODE, ProcessLimits, WindowsJob
from app.common.errors import BackendError, InputError, OutputFileError, VoiceError
from app.common.files.untrusted_json import require_int
from app.common.language import get_language
from app.common.processes.json_child import JsonChild, build_start_error, parse_error
from app.common.progress import Report, ignore_report

MAX_PID = 1 << 32
MAX_MESSAGE_BYTES = 1 << 20  # bytes
MAX_QUEUED_LINES = 1000
MAX_RESULTS = 10_000
MESSAGE_POLL_S = 0.05  # how soon Ctrl+C is noticed on Windows
MAX_COUNTED_PAUSE_S = 1.0  # what one look at the clock may cost the child; more passed only while the computer slept or we were stopped
LOWEST_PRIORITY: int = getattr(psutil, "IDLE_PRIORITY_CLASS", 19)  # a priority class on Windows, a niceness elsewhere
EXIT_TIMEOUT_S = 5.0  # a child that closed its output
REPORTED_STEPS = frozenset({"reading", "unpacking", "building", "cutting", "checking", "measuring", "storing"})
TIMEOUT_EXIT_CODES = (JOB_TIME_LIMIT_CODE, -getattr(signal, "SIGXCPU", signal.SIGTERM))
USER_ERRORS = (InputError, VoiceError, BackendError, OutputFileError)


class SandboxStoppedError(Exception):
    """The child did not do its task: it asked for more memory or time than it may take, or crashed."""

    def __init__(self, reason: Literal["memory", "time", "crash"]) -> None:
        super().__init__(reason)
        self.reason = reason


class SandboxProcess:
    """A child with one task, ended when the `with` block is left. Raises InternalError if it cannot be started.

    Args:
        option: what serves it, see `app.start.CHILD_MODULES`.
        scratch: folder for its temporary files, which the caller removes.
        is_paused: asked twenty times a second whether it has to pause; one that is given runs with the lowest priority, too.
        environment: variables that it is given instead of our own; the folder for its temporary files comes on top.
        max_results: what it sends beyond them is dropped.
    """

    def __init__(
        self,
        option: str,
        task: str,
        arguments: Sequence[Any],
        limits: ProcessLimits,
        scratch: Path,
        is_paused: Callable[[], bool] | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        max_results: int = MAX_RESULTS,
    ) -> None:
        self._limits, self._is_paused, self._is_suspended = limits, is_paused, False
        # Suspended before it has limited itself, it would outlive this process.
        self._may_suspend = False
        self._task_message = {"task": task, "arguments": [*arguments], "limits": asdict(limits), "parent": os.getpid()}
        self._lines: queue.Queue[bytes | None] = queue.Queue(MAX_QUEUED_LINES)
        self._has_ended = False
        self._job: WindowsJob | None = None
        self._max_results = max_results
        variables = {**(os.environ if environment is None else environment), "KOEBAKO_LANG": get_language()}
        variables |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))
        self._child = JsonChild(option, environment=variables, max_line_bytes=MAX_MESSAGE_BYTES)
        self._time_left_s = float(limits.max_elapsed_s)
        self._looked_at = time.monotonic()
        self._reader = threading.Thread(target=self._read_lines, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._job is not None:
            self._job.close()
        self.end_process()
        # The reader may wait for room.
        while not self._has_ended:
            self._has_ended = self._lines.get() is None
        self._reader.join()
        self._child.close()

    def iterate_results(self, report: Report = ignore_report) -> Iterator[dict[str, Any]]:
        """Yield what the child finds, as it comes; raise SandboxStoppedError, or the AppError that it reports."""
        self._send_task()
        results_left = self._max_results
        while "done" not in (message := self._wait_for_message()):
            self._may_suspend = True
            if "error" in message:
                raise _parse_error(message["error"])
            step, fraction = message.get("step"), message.get("fraction")
            if isinstance(step, str) and step in REPORTED_STEPS:
                report(step, min(max(float(fraction), 0.0), 1.0) if type(fraction) is float or type(fraction) is int else 0.0)
            elif isinstance(message.get("found"), dict) and results_left:
                results_left -= 1
                yield message["found"]

    def send_message(self, message: Mapping[str, Any]) -> None:
        """Send a message to a task that reads more than its arguments; one to a child that is gone comes to nothing."""
        with contextlib.suppress(OSError, ValueError):
            self._child.send_message(message)

    def end_process(self) -> None:
        """End the child at once; a caller waiting for its results gets SandboxStoppedError."""
        self._child.process.kill()

    def _send_task(self) -> None:
        """Send the task only after the limits hold, so that no file of a stranger is touched before."""
        hello = self._wait_for_message()
        if self._is_paused is not None:
            self._lower_priority()
        try:
            if sys.platform == "win32":
                self._job = WindowsJob(require_int(hello.get("pid"), 1, MAX_PID), self._limits)
            self._child.send_message(self._task_message)
        except OSError as exc:
            raise build_start_error(exc) from exc

    def _wait_for_message(self) -> dict[str, Any]:
        while True:
            self._follow_pause()
            self._count_waiting_time()
            with contextlib.suppress(queue.Empty):
                line = self._lines.get(timeout=MESSAGE_POLL_S)
                if line is None:
                    self._has_ended = True
                    raise self._build_exit_error()
                if (message := self._child.parse_line(line)) is not None:
                    return message

    def _count_waiting_time(self) -> None:
        """Count the time in which the child could run: a computer that slept for an hour has not waited for it."""
        now = time.monotonic()
        if not self._is_suspended:
            self._time_left_s -= min(now - self._looked_at, MAX_COUNTED_PAUSE_S)
        self._looked_at = now
        if self._time_left_s < 0:
            raise SandboxStoppedError("time")

    def _follow_pause(self) -> None:
        """Pause the child, or let it continue; it is killed all the same when this process ends."""
        if self._is_paused is None or not self._may_suspend or (should_pause := self._is_paused()) == self._is_suspended:
            return
        self._is_suspended = should_pause
        for process in self._list_processes():
            with contextlib.suppress(psutil.Error):
                (process.suspend if should_pause else process.resume)()

    def _lower_priority(self) -> None:
        for process in self._list_processes():
            with contextlib.suppress(psutil.Error):
                process.nice(LOWEST_PRIORITY)

    def _list_processes(self) -> list[psutil.Process]:
        """Return the child, and what it was started through: on Windows the Python of a virtual environment starts another one."""
        try:
            child = psutil.Process(self._child.process.pid)
            return [child, *child.children(recursive=True)]
        except psutil.Error:
            return []

    def _read_lines(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in self._child.iterate_lines():
                self._lines.put(line)
        self._lines.put(None)

    def _build_exit_error(self) -> SandboxStoppedError:
        try:
            code = self._child.process.wait(EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            code = 0
        output = b" / ".join(self._child.other_output).decode("utf-8", "replace")
        logging.getLogger("koebako").info("the child for %r died with %d: %s", self._task_message["task"], code, output)
        return SandboxStoppedError("time" if code in TIMEOUT_EXIT_CODES else "crash")


def _parse_error(data: Any) -> Exception:
    """Return the child's error: one for the user, too much memory, or an unforeseen one."""
    if isinstance(data, dict) and data.get("family") == "memory":
        return SandboxStoppedError("memory")
    error = parse_error(data)
    return error if isinstance(error, USER_ERRORS) and error.message else RuntimeError(f"in the child: {error.message}")
