"""Runs a task of ours in a child process that keeps to limits, and believes nothing that it says.

What a stranger wrote may lead the child astray: so its lines are read like a stranger's file, and the system holds it to its limits.

    here                                          the child (`app.adapters.confined.worker`)
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
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from app.adapters.confined.limits import Limits
from app.adapters.confined.windows_job import OUT_OF_TIME, Job
from app.errors import AppError, BackendError, InputError, InternalError, OutputFileError, VoiceError
from app.json_text import long_text, parse_object, whole
from app.language import language, localized
from app.own_program import start_own
from app.progress import Report, unreported
from app.system_errors import reason_of

LARGEST_PID = 1 << 32
LONGEST_LINE = 1 << 20  # bytes
MOST_LINES_WAITING = 1000
MOST_FOUND = 10_000
KEPT_LINES = 20  # of what is no message, for the log
POLL_S = 0.05  # how soon Ctrl+C is noticed on Windows
LONGEST_LOOK_S = 1.0  # what one look at the clock may cost the child; more passed only while the computer slept or we were stopped
ENDS_WITHIN_S = 5.0  # a child that closed its output
STEPS = frozenset({"reading", "unpacking", "building", "cutting", "checking", "measuring", "storing"})
OUT_OF_TIME_CODES = (OUT_OF_TIME, -getattr(signal, "SIGXCPU", signal.SIGTERM))
ERRORS = {kind.family: kind for kind in (InputError, VoiceError, BackendError, OutputFileError)}


class StoppedError(Exception):
    """The child did not do its task.

    Attributes:
        reason: it asked for more memory or time than it may take, or crashed.
    """

    def __init__(self, reason: Literal["memory", "time", "crash"]) -> None:
        super().__init__(reason)
        self.reason = reason


class ConfinedChild:
    """A child with one task, ended when the `with` block is left.

    Args:
        option: what serves it, see `app.start.CHILDREN`.
        task, arguments: what to do.
        scratch: folder for its temporary files, which the caller removes.

    Raises:
        InternalError: it cannot be started.
    """

    def __init__(self, option: str, task: str, arguments: Sequence[Any], limits: Limits, scratch: Path) -> None:
        self._limits = limits
        self._given = {"task": task, "arguments": [*arguments], "limits": limits.values(), "parent": os.getpid()}
        self._lines: queue.Queue[bytes | None] = queue.Queue(MOST_LINES_WAITING)
        self._ended = False
        self._noise: deque[bytes] = deque(maxlen=KEPT_LINES)
        self._job: Job | None = None
        environment = os.environ | {name: str(scratch) for name in ("TMPDIR", "TEMP", "TMP")} | {"KOEBAKO_LANG": language()}
        try:
            self._process = start_own(environment, option)
        except OSError as exc:
            raise _not_started(exc) from exc
        self._patience_s = float(limits.elapsed_s)
        self._looked_at = time.monotonic()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._job is not None:
            self._job.close()
        self._process.kill()
        while not self._ended:  # the reader may wait for room
            self._ended = self._lines.get() is None
        self._reader.join()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # what was not sent
                pipe.close()  # type: ignore[union-attr]

    def found(self, report: Report = unreported) -> Iterator[dict[str, Any]]:
        """What the child finds, as it comes.

        Raises:
            StoppedError: it asked for too much, or died.
            AppError: what it says is wrong with its task.
        """
        self._begin()
        left = MOST_FOUND
        while "done" not in (message := self._next()):
            if "error" in message:
                raise _error(message["error"])
            step = message.get("step")
            if isinstance(step, str) and step in STEPS:
                report(step, _fraction(message.get("fraction")))
            elif isinstance(message.get("found"), dict) and left:
                left -= 1
                yield message["found"]

    def _begin(self) -> None:
        """Nothing of a stranger's is touched before the limits hold."""
        hello = self._next()
        try:
            if sys.platform == "win32":
                self._job = Job(whole(hello.get("pid"), 1, LARGEST_PID), self._limits)
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(self._given).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as exc:
            raise _not_started(exc) from exc

    def _next(self) -> dict[str, Any]:
        """The next message; what else is printed, by libraries, is for the log."""
        while True:
            self._lose_patience()
            with contextlib.suppress(queue.Empty):
                line = self._lines.get(timeout=POLL_S)
                if line is None:
                    self._ended = True
                    raise self._died()
                try:
                    return parse_object(line)
                except ValueError:
                    if line.strip():
                        self._noise.append(line.strip()[-300:])

    def _lose_patience(self) -> None:
        """Counts the time in which the child could run: a computer that slept for an hour has not waited for it."""
        now = time.monotonic()
        self._patience_s -= min(now - self._looked_at, LONGEST_LOOK_S)
        self._looked_at = now
        if self._patience_s < 0:
            raise StoppedError("time")

    def _read(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            while line := self._process.stdout.readline(LONGEST_LINE):
                self._lines.put(line)
        self._lines.put(None)

    def _died(self) -> StoppedError:
        try:
            code = self._process.wait(ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            code = 0
        words = b" / ".join(self._noise).decode("utf-8", "replace")
        logging.getLogger("koebako").info("the child for %r died with %d: %s", self._given["task"], code, words)
        return StoppedError("time" if code in OUT_OF_TIME_CODES else "crash")


def _fraction(value: Any) -> float:
    return min(max(float(value), 0.0), 1.0) if type(value) in (int, float) else 0.0


def _error(given: Any) -> Exception:
    """An error as the child reports it: one for the user, too much memory, or one that nobody thought of."""
    given = given if isinstance(given, dict) else {}
    family, message, hint = (long_text(given[name]) if isinstance(given.get(name), str) else "" for name in ("family", "message", "hint"))
    if family == "memory":
        return StoppedError("memory")
    if family in ERRORS and message:
        return ERRORS[family](message, hint)
    return RuntimeError(f"in the child: {message}")


def _not_started(exc: OSError) -> AppError:
    return InternalError(
        localized("Koebako の処理を起動できません。", "Koebako could not start a process of its own."), f"({reason_of(exc)})"
    )
