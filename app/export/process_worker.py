"""Has a child of this process work, which is started as `main.py --export`, or works as that child."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from typing import TYPE_CHECKING, Any

from app.common.errors import AppError, BackendError, InternalError
from app.common.files.untrusted_json import parse_object
from app.common.language import localize
from app.common.processes.json_child import JsonChild, parse_error
from app.common.processes.terminal import write_text
from app.export.export_tasks import BatchSettings, ExportTask, convert_task_to_data, parse_task_data

if TYPE_CHECKING:
    from app.export.export_batch import LocalWorker

EXPORT_PROCESS_OPTION = "--export"
CHILD_EXIT_TIMEOUT_S = 5.0


class WorkerEndedError(BackendError):
    """The process ended in the middle of a task."""


class ProcessWorker:
    """Works in a process of its own; one that dies fails its file alone."""

    def __init__(self, batch: BatchSettings) -> None:
        self._batch = batch
        self._child: JsonChild | None = None
        self._stop_event = threading.Event()

    def run_task(self, task: ExportTask) -> dict[str, Any]:
        answer = None
        # It may be gone before it is written to, or while it works.
        with contextlib.suppress(OSError):
            if self._child is None:
                self._child = JsonChild(EXPORT_PROCESS_OPTION)
                self._child.send_message(self._batch.convert_to_data())
            self._child.send_message(convert_task_to_data(task))
            answer = self._child.read_message()
        if answer is not None:
            if answer.get("error") is not None:
                raise parse_error(answer["error"])
            return answer
        self.close()
        if self._stop_event.is_set():
            return {}
        raise WorkerEndedError(
            localize("音声の合成中にプロセスが異常終了しました。", "A process ended unexpectedly while synthesising."),
            localize("--jobs 1 を指定してお試しください。", "Try again with --jobs 1."),
        )

    def stop_task(self) -> None:
        """Stop the present task, as any worker."""
        self._stop_event.set()
        if (child := self._child) is not None:
            child.process.terminate()

    def close(self) -> None:
        """Close the worker, as any worker."""
        child, self._child = self._child, None
        if child is not None:
            child.close(CHILD_EXIT_TIMEOUT_S)


def main() -> int:
    """Make the files of a batch in the child, until its input ends."""
    # With all that speaks, which the parent may not need.
    from app.export.export_batch import LocalWorker

    lines = sys.stdin.buffer
    worker = LocalWorker(BatchSettings.from_data(parse_object(lines.readline())))
    for line in lines:
        # ASCII: every other letter is escaped.
        write_text(json.dumps(_run_request(worker, line)) + "\n")
    return 0


def _run_request(worker: LocalWorker, line: bytes) -> dict[str, Any]:
    try:
        return worker.run_task(parse_task_data(parse_object(line)))
    except AppError as error:
        return {"error": error.convert_to_data()}
    except Exception as exc:
        message = localize("予期しないエラーが発生しました。", "An unexpected error occurred.")
        return {"error": InternalError(message, f"{type(exc).__name__}: {exc}"[:500]).convert_to_data()}
