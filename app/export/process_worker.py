"""Has a child of this process work; see `app.export.worker_process`."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Mapping
from typing import Any

from app.common.errors import AppError, BackendError
from app.common.files.untrusted_json import parse_object
from app.common.language import localize
from app.common.processes.self_launch import start_own_program
from app.export.export_tasks import BatchSettings, ExportTask, convert_task_to_data

EXPORT_PROCESS_OPTION = "--export"
CHILD_EXIT_TIMEOUT_S = 5.0


class WorkerEndedError(BackendError):
    """The process ended in the middle of a task."""


class ProcessWorker:
    """Works in a process of its own; one that dies fails its file alone."""

    def __init__(self, batch: BatchSettings) -> None:
        self._batch = batch
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = threading.Event()

    def run_task(self, task: ExportTask) -> dict[str, Any]:
        """Run a task, as any worker."""
        child = self._child or self._start_process()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(_encode_message(convert_task_to_data(task)))
            child.stdin.flush()
            while line := child.stdout.readline():
                answer = _parse_answer(line)
                if answer is not None:
                    return _require_success(answer)
        except OSError:
            # It is gone, as below.
            pass
        self.close()
        if self._stopped.is_set():
            return {}
        raise WorkerEndedError(
            localize("音声の合成中にプロセスが異常終了しました。", "A process ended unexpectedly while synthesising."),
            localize("--jobs 1 を指定してお試しください。", "Try again with --jobs 1."),
        )

    def stop_task(self) -> None:
        """Stop the present task, as any worker."""
        self._stopped.set()
        child = self._child
        if child is not None:
            child.terminate()

    def close(self) -> None:
        """Close the worker, as any worker."""
        child, self._child = self._child, None
        if child is None:
            return
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            child.communicate(timeout=CHILD_EXIT_TIMEOUT_S)
            return
        child.kill()
        with contextlib.suppress(OSError):
            child.communicate()

    def _start_process(self) -> subprocess.Popen[bytes]:
        try:
            child = self._child = start_own_program(os.environ, EXPORT_PROCESS_OPTION)
        except OSError as exc:
            raise BackendError(localize("プロセスを起動できません。", "A process could not be started."), str(exc)) from exc
        assert child.stdin is not None
        child.stdin.write(_encode_message(self._batch.convert_to_data()))
        return child


def _encode_message(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data).encode() + b"\n"


def _parse_answer(line: bytes) -> dict[str, Any] | None:
    """Parse a child's answer; return None for a library's output between answers."""
    try:
        return parse_object(line)
    except ValueError:
        return None


def _require_success(answer: dict[str, Any]) -> dict[str, Any]:
    error = answer.get("error")
    if error is None:
        return answer
    raise parse_error(error)


def parse_error(data: Mapping[str, Any]) -> AppError:
    """Return the error that a child reports."""
    kinds = {kind.family: kind for kind in AppError.__subclasses__()}
    return kinds.get(str(data["family"]), AppError)(str(data["message"]), str(data["hint"]))
