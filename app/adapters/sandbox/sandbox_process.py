"""Runs a task of ours in a child process that is held to limits, and trusts none of its answers.

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

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import psutil

from app.adapters.sandbox.process_limits import ProcessLimits
from app.adapters.sandbox.windows_job import JOB_TIME_LIMIT_CODE, WindowsJob
from app.common.errors import AppError, BackendError, InputError, InternalError, OutputFileError, VoiceError
from app.common.files.untrusted_json import parse_object, require_int, sanitise_long_text
from app.common.language import get_language, localize
from app.common.processes.self_launch import start_own_program
from app.common.progress import Report, ignore_report
from app.common.system_errors import describe_reason

MAX_PID = 1 << 32
MAX_MESSAGE_BYTES = 1 << 20  # bytes
MAX_QUEUED_LINES = 1000
MAX_RESULTS = 10_000
# Of what is no message, for the log.
LOGGED_OUTPUT_LINES = 20
# How soon Ctrl+C is noticed on Windows.
MESSAGE_POLL_S = 0.05
# What one look at the clock may cost the child; more passed only while the computer slept or we were stopped.
MAX_COUNTED_PAUSE_S = 1.0
# A priority class on Windows, a niceness elsewhere.
LOWEST_PRIORITY: int = getattr(psutil, "IDLE_PRIORITY_CLASS", 19)
# A child that closed its output.
EXIT_TIMEOUT_S = 5.0
REPORTED_STEPS = frozenset({"reading", "unpacking", "building", "cutting", "checking", "measuring", "storing"})
TIMEOUT_EXIT_CODES = (JOB_TIME_LIMIT_CODE, -getattr(signal, "SIGXCPU", signal.SIGTERM))
ERROR_BY_FAMILY = {kind.family: kind for kind in (InputError, VoiceError, BackendError, OutputFileError)}


class SandboxStoppedError(Exception):
    """The child did not do its task.

    Attributes:
        reason: it asked for more memory or time than it may take, or crashed.
    """

    def __init__(self, reason: Literal["memory", "time", "crash"]) -> None:
        super().__init__(reason)
        self.reason = reason


class SandboxProcess:
    """A child with one task, ended when the `with` block is left.

    Args:
        option: what serves it, see `app.start.CHILD_MODULES`.
        task, arguments: what to do.
        scratch: folder for its temporary files, which the caller removes.
        is_paused: asked twenty times a second whether it has to stand still; one that is given runs with the lowest priority, too.
        environment: variables that it is given instead of our own; the folder for its temporary files comes on top.
        max_results: what it sends beyond them is dropped.

    Raises:
        InternalError: it cannot be started.
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
        self._task_message = {"task": task, "arguments": [*arguments], "limits": limits.convert_to_dict(), "parent": os.getpid()}
        self._lines: queue.Queue[bytes | None] = queue.Queue(MAX_QUEUED_LINES)
        self._has_ended = False
        self._other_output: deque[bytes] = deque(maxlen=LOGGED_OUTPUT_LINES)
        self._job: WindowsJob | None = None
        self._max_results = max_results
        given = {**(os.environ if environment is None else environment), "KOEBAKO_LANG": get_language()}
        try:
            self._process = start_own_program(given | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch)), option)
        except OSError as exc:
            raise _build_start_error(exc) from exc
        self._time_left_s = float(limits.max_elapsed_s)
        self._looked_at = time.monotonic()
        self._reader = threading.Thread(target=self._read_lines, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._job is not None:
            self._job.close()
        self._process.kill()
        # The reader may wait for room.
        while not self._has_ended:
            self._has_ended = self._lines.get() is None
        self._reader.join()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # what was not sent
                pipe.close()  # type: ignore[union-attr]

    def iterate_results(self, report: Report = ignore_report) -> Iterator[dict[str, Any]]:
        """Yield what the child finds, as it comes.

        Raises:
            SandboxStoppedError: it asked for too much, or died.
            AppError: what it says is wrong with its task.
        """
        self._send_task()
        left = self._max_results
        while "done" not in (message := self._wait_for_message()):
            self._may_suspend = True
            if "error" in message:
                raise _parse_error(message["error"])
            step = message.get("step")
            if isinstance(step, str) and step in REPORTED_STEPS:
                report(step, _clamp_fraction(message.get("fraction")))
            elif isinstance(message.get("found"), dict) and left:
                left -= 1
                yield message["found"]

    def send_message(self, message: Mapping[str, Any]) -> None:
        """Send a message to a task that reads more than its arguments; one to a child that is gone comes to nothing."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def end_process(self) -> None:
        """End the child at once; a caller waiting for its results gets SandboxStoppedError."""
        self._process.kill()

    def _send_task(self) -> None:
        """Send the task only after the limits hold, so that no file of a stranger is touched before."""
        hello = self._wait_for_message()
        if self._is_paused is not None:
            self._lower_priority()
        try:
            if sys.platform == "win32":
                self._job = WindowsJob(require_int(hello.get("pid"), 1, MAX_PID), self._limits)
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(self._task_message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as exc:
            raise _build_start_error(exc) from exc

    def _wait_for_message(self) -> dict[str, Any]:
        """Return the next message; other output, printed by libraries, goes to the log."""
        while True:
            self._follow_pause()
            self._count_waiting_time()
            with contextlib.suppress(queue.Empty):
                line = self._lines.get(timeout=MESSAGE_POLL_S)
                if line is None:
                    self._has_ended = True
                    raise self._build_exit_error()
                try:
                    return parse_object(line)
                except ValueError:
                    if line.strip():
                        self._other_output.append(line.strip()[-300:])

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
            child = psutil.Process(self._process.pid)
            return [child, *child.children(recursive=True)]
        except psutil.Error:
            return []

    def _read_lines(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            while line := self._process.stdout.readline(MAX_MESSAGE_BYTES):
                self._lines.put(line)
        self._lines.put(None)

    def _build_exit_error(self) -> SandboxStoppedError:
        try:
            code = self._process.wait(EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            code = 0
        words = b" / ".join(self._other_output).decode("utf-8", "replace")
        logging.getLogger("koebako").info("the child for %r died with %d: %s", self._task_message["task"], code, words)
        return SandboxStoppedError("time" if code in TIMEOUT_EXIT_CODES else "crash")


def _clamp_fraction(value: Any) -> float:
    return min(max(float(value), 0.0), 1.0) if type(value) in (int, float) else 0.0


def _parse_error(message_value: Any) -> Exception:
    """Return the child's error: one for the user, too much memory, or an unforeseen one."""
    message_value = message_value if isinstance(message_value, dict) else {}
    family, message, hint = (
        sanitise_long_text(message_value[name]) if isinstance(message_value.get(name), str) else ""
        for name in ("family", "message", "hint")
    )
    if family == "memory":
        return SandboxStoppedError("memory")
    if family in ERROR_BY_FAMILY and message:
        return ERROR_BY_FAMILY[family](message, hint)
    return RuntimeError(f"in the child: {message}")


def _build_start_error(exc: OSError) -> AppError:
    return InternalError(
        localize("Koebako の処理を起動できません。", "Koebako could not start a process of its own."), f"({describe_reason(exc)})"
    )
