"""A batch without a window: all files of a plan by workers side by side, each file once, in whatever order they come to it."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from app.errors import AppError, InternalError
from app.export.loudness import gains_db
from app.export.plan import PlannedFile
from app.export.settings import ExportSettings
from app.export.tasks import Task, Worker, measured_of
from app.export.writer import is_for_one
from app.language import localized

POLL_S = 0.05  # how soon Ctrl+C is noticed


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one task: an answer, or an error."""

    task: Task
    answer: dict[str, Any]
    error: AppError | None = None


class Batch:
    """Gives each worker its thread.

    Attributes:
        failed: files that could not be made, each with why.
        stopped: nothing more is begun: it was cancelled, or the disk is full.
    """

    def __init__(self, make_worker: Callable[[], Worker], jobs: int) -> None:
        self.failed: list[tuple[PlannedFile, AppError]] = []
        self.stopped = threading.Event()
        self._workers = [make_worker() for _ in range(max(1, jobs))]

    def write(self, files: Sequence[PlannedFile], settings: ExportSettings, measured: Sequence[PlannedFile]) -> Iterator[Outcome]:
        """Writes the files; those in `measured` make up the batch whose loudness counts. Raises the error that ends all."""
        gains = self._gains(measured, settings) if settings.loudness is not None else {}
        bad = {item.file for item, _ in self.failed}
        tasks = [Task(item, gains.get(item.file.as_posix(), 0.0)) for item in files if item.file not in bad]
        yield from self._run(tasks)

    def stop(self) -> None:
        """Ends everything soon, from any thread; what is not complete is not there."""
        self.stopped.set()
        for worker in self._workers:
            worker.stop()

    def _gains(self, files: Sequence[PlannedFile], settings: ExportSettings) -> dict[str, float]:
        answers = [(outcome.task.item, outcome.answer) for outcome in self._run([Task(item, measures=True) for item in files])]
        place = {item.file: index for index, item in enumerate(files)}
        answers.sort(key=lambda answer: place[answer[0].file])  # sums do not depend on who was first
        assert settings.loudness is not None
        measured = [measured_of(answer) for _, answer in answers]
        gains = gains_db(measured, settings.loudness, settings.channels, each=settings.loudness_each)
        return {item.file.as_posix(): gain for (item, _), gain in zip(answers, gains, strict=True)}

    def _run(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """What succeeded, as it comes; failures are kept, and one that is not for its file alone is raised when all have ended."""
        waiting, outcomes = deque(tasks), queue.SimpleQueue[Outcome | None]()
        threads = [
            threading.Thread(target=self._work, args=(worker, waiting, outcomes), name="export")
            for worker in self._workers[: max(1, min(len(self._workers), len(tasks)))]
        ]
        for thread in threads:
            thread.start()
        fatal: AppError | None = None
        ended = 0
        while ended < len(threads):
            try:
                outcome = outcomes.get(timeout=POLL_S)
            except queue.Empty:
                continue
            if outcome is None:
                ended += 1
            elif outcome.error is None:
                yield outcome
            else:
                self.failed.append((outcome.task.item, outcome.error))
                if not is_for_one(outcome.error):
                    fatal = fatal or outcome.error
                    self.stop()
        if fatal is not None:
            raise fatal

    def _work(self, worker: Worker, waiting: deque[Task], outcomes: queue.SimpleQueue[Outcome | None]) -> None:
        try:
            while not self.stopped.is_set() and waiting:
                try:
                    task = waiting.popleft()
                except IndexError:
                    break
                try:
                    answer = worker.do(task)
                    if answer:
                        outcomes.put(Outcome(task, answer))
                except AppError as error:
                    outcomes.put(Outcome(task, {}, error))
                except Exception as exc:  # seen by the thread that asked
                    words = localized("予期しないエラーが発生しました。", "An unexpected error occurred.")
                    outcomes.put(Outcome(task, {}, InternalError(words, f"{type(exc).__name__}: {exc}"[:500])))
        finally:
            outcomes.put(None)

    def close(self) -> None:
        """Lets the workers go."""
        for worker in self._workers:
            worker.close()
