"""A batch without a window: all files of a plan by workers side by side, each file once, in whatever order they come to it."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.common.errors import AppError, InternalError
from app.common.language import localize
from app.export.export_plan import PlannedFile
from app.export.export_tasks import ExportTask, ExportWorker
from app.export.file_writer import is_single_line_error
from app.export.loudness import LoudnessMeasurement, parse_loudness

BATCH_POLL_S = 0.05  # how soon Ctrl+C is noticed


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """The outcome of one task: an answer, or an error."""

    task: ExportTask
    answer: dict[str, Any]
    error: AppError | None = None


class ExportBatch:
    """Gives each worker its thread."""

    def __init__(self, make_worker: Callable[[], ExportWorker], jobs: int) -> None:
        self.failed: list[tuple[PlannedFile, AppError]] = []  # files that could not be made, each with why
        self.stopped = threading.Event()  # nothing more is begun: it was cancelled, or the disk is full
        self._workers = [make_worker() for _ in range(max(1, jobs))]

    def write_files(self, files: Sequence[PlannedFile], gains_db: Mapping[PlannedFile, float]) -> Iterator[TaskOutcome]:
        """Write the files, each with its gain; one without in `gains_db` stays as it is. Raise the error that ends the batch."""
        yield from self._run_tasks([ExportTask(item, gains_db.get(item)) for item in files])

    def measure_files(self, files: Sequence[PlannedFile]) -> dict[PlannedFile, LoudnessMeasurement]:
        """Measure the loudness of files without writing them; those that fail are left out, and stand in `failed`."""
        outcomes = self._run_tasks([ExportTask(item, is_measurement=True) for item in files])
        return {outcome.task.item: parse_loudness(outcome.answer) for outcome in outcomes}

    def stop_batch(self) -> None:
        """Stop the batch soon; may be called from any thread. Incomplete files are removed."""
        self.stopped.set()
        for worker in self._workers:
            worker.stop_task()

    def _run_tasks(self, tasks: Sequence[ExportTask]) -> Iterator[TaskOutcome]:
        """Yield successful outcomes as they come; keep failures, and raise one that is not for its file alone after all have ended."""
        waiting, outcomes = deque(tasks), queue.SimpleQueue[TaskOutcome | None]()
        threads = [
            threading.Thread(target=self._run_worker, args=(worker, waiting, outcomes), name="export")
            for worker in self._workers[: max(1, min(len(self._workers), len(tasks)))]
        ]
        for thread in threads:
            thread.start()
        fatal: AppError | None = None
        ended = 0
        while ended < len(threads):
            try:
                outcome = outcomes.get(timeout=BATCH_POLL_S)
            except queue.Empty:
                continue
            if outcome is None:
                ended += 1
            elif outcome.error is None:
                yield outcome
            else:
                self.failed.append((outcome.task.item, outcome.error))
                if not is_single_line_error(outcome.error):
                    fatal = fatal or outcome.error
                    self.stop_batch()
        if fatal is not None:
            raise fatal

    def _run_worker(self, worker: ExportWorker, waiting: deque[ExportTask], outcomes: queue.SimpleQueue[TaskOutcome | None]) -> None:
        try:
            while not self.stopped.is_set() and waiting:
                try:
                    task = waiting.popleft()
                except IndexError:
                    break
                try:
                    answer = worker.run_task(task)
                    if answer:
                        outcomes.put(TaskOutcome(task, answer))
                except AppError as error:
                    outcomes.put(TaskOutcome(task, {}, error))
                except Exception as exc:  # seen by the thread that asked
                    words = localize("予期しないエラーが発生しました。", "An unexpected error occurred.")
                    outcomes.put(TaskOutcome(task, {}, InternalError(words, f"{type(exc).__name__}: {exc}"[:500])))
        finally:
            outcomes.put(None)

    def close(self) -> None:
        """Close the workers."""
        for worker in self._workers:
            worker.close()
