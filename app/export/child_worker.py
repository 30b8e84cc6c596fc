"""Has a child of this process work; see `app.export.child`."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Mapping
from typing import Any

from app.errors import AppError, BackendError
from app.export.tasks import BatchSettings, Task, task_to_data
from app.json_text import parse_object
from app.language import localized
from app.own_program import start_own

OPTION = "--export"
PATIENCE_S = 5.0


class ChildWorker:
    """Works in a process of its own; one that dies fails its file alone."""

    def __init__(self, batch: BatchSettings) -> None:
        self._batch = batch
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = threading.Event()

    def do(self, task: Task) -> dict[str, Any]:
        """As of any worker."""
        child = self._child or self._start()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(_line(task_to_data(task)))
            child.stdin.flush()
            while line := child.stdout.readline():
                answer = _answer(line)
                if answer is not None:
                    return _checked(answer)
        except OSError:
            pass  # it is gone, as below
        self.close()
        if self._stopped.is_set():
            return {}
        raise BackendError(
            localized("音声の合成中にプロセスが異常終了しました。", "A process ended unexpectedly while synthesising."),
            localized("--jobs 1 を指定してお試しください。", "Try again with --jobs 1."),
        )

    def stop(self) -> None:
        """As of any worker."""
        self._stopped.set()
        child = self._child
        if child is not None:
            child.terminate()

    def close(self) -> None:
        """As of any worker."""
        child, self._child = self._child, None
        if child is None:
            return
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            child.communicate(timeout=PATIENCE_S)
            return
        child.kill()
        with contextlib.suppress(OSError):
            child.communicate()

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            child = self._child = start_own(os.environ, OPTION)
        except OSError as exc:
            raise BackendError(localized("プロセスを起動できません。", "A process could not be started."), str(exc)) from exc
        assert child.stdin is not None
        child.stdin.write(_line(self._batch.to_data()))
        return child


def _line(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data).encode() + b"\n"


def _answer(line: bytes) -> dict[str, Any] | None:
    """What a child answers; None for what a library prints between."""
    try:
        return parse_object(line)
    except ValueError:
        return None


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    error = answer.get("error")
    if error is None:
        return answer
    raise error_of(error)


def error_of(data: Mapping[str, Any]) -> AppError:
    """The error that a child reports."""
    kinds = {kind.family: kind for kind in AppError.__subclasses__()}
    return kinds.get(str(data["family"]), AppError)(str(data["message"]), str(data["hint"]))
