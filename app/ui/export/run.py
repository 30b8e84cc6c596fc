"""A batch on its way through the synthesis thread: file after file, measured first where a loudness is asked for."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal, Slot

from app.errors import AppError
from app.export.loudness import gains_db
from app.export.plan import PlannedFile
from app.export.settings import ExportSettings
from app.export.writer import is_for_one
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import ExportFile, ExportResult

if TYPE_CHECKING:
    from app.export.loudness import Measured
    from app.export.render import WrittenFile

AHEAD = 2  # files posted: the synthesis thread never waits for the window


class ExportRun(QObject):
    """Works until all is done, or somebody stops it.

    Attributes:
        settings: of the batch; nothing is asked any more.
        files: all of the plan.
        written: those that are there now.
        failed: with why.
        fatal: what ended all; None where nothing did.
        is_over, is_stopped: nothing more comes; because the user has stopped it.

    Signals:
        advanced(): one more file.  finished(): nothing more comes.
    """

    advanced = Signal()
    finished = Signal()

    def __init__(
        self, speech: SpeechController, files: Sequence[PlannedFile], todo: Sequence[PlannedFile], settings: ExportSettings
    ) -> None:
        super().__init__(speech)
        self._speech, self.settings, self.files = speech, settings, files
        self._todo = list(todo)
        self.written: list[Path] = []
        self.failed: list[tuple[PlannedFile, AppError]] = []
        self.fatal: AppError | None = None
        self.is_over = self.is_stopped = False
        self._measured: dict[PlannedFile, Measured] = {}
        self._waiting: deque[ExportFile] = deque()
        self._posted: set[ExportFile] = set()
        self._began = time.monotonic()
        self._measures = settings.loudness is not None
        size = sum(map(_size, todo))
        self._size = size + (sum(map(_size, files)) if self._measures else 0)
        self._left = self._size

    @property
    def count(self) -> int:
        """Files to be written."""
        return len(self._todo)

    @property
    def is_measuring(self) -> bool:
        """Nothing is written yet."""
        return self._measures

    @property
    def share(self) -> float:
        """Of the work that is done, 0 to 1; by characters."""
        return 1 - self._left / self._size if self._size else 1.0

    @property
    def seconds_left(self) -> float | None:
        """As fast as so far; None before the first file."""
        share = self.share
        return (time.monotonic() - self._began) * (1 - share) / share if share else None

    def begin(self) -> None:
        """Posts the first files."""
        if self._measures:
            self._waiting.extend(self._make_job(item, measures=True) for item in self.files)
        else:
            self._waiting.extend(map(self._make_job, self._todo))
        self._go_on()

    @Slot()
    def stop(self) -> None:
        """Gives up what is not complete; nothing half-written stays."""
        if not self.is_over:
            self.is_stopped = True
            self._end()

    def _make_job(self, item: PlannedFile, gain_db: float = 0.0, *, measures: bool = False) -> ExportFile:
        return ExportFile(item, self.settings, self._on_done, self._on_failed, gain_db, measures)

    def _on_done(self, exported: ExportResult) -> None:
        job = exported.job
        if job.measures:
            self._measured[job.item] = cast("Measured", exported.result)
        else:
            self.written.append(cast("WrittenFile", exported.result).file)  # the times of a long script would fill the memory
        self._take_off(job)

    def _on_failed(self, job: ExportFile, error: AppError) -> None:
        self.failed.append((job.item, error))
        if not is_for_one(error):
            self.fatal = error
            self._end()
            return
        if job.measures and job.item in self._todo:
            self._todo.remove(job.item)
            self._left -= _size(job.item)
        self._take_off(job)

    def _take_off(self, job: ExportFile) -> None:
        self._posted.discard(job)
        self._left -= _size(job.item)
        self._go_on()
        if not self.is_over:
            self.advanced.emit()

    def _go_on(self) -> None:
        if not self._waiting and not self._posted and self._measures:
            self._measures = False
            self._waiting.extend(self._with_gains())
        while self._waiting and len(self._posted) < AHEAD:
            job = self._waiting.popleft()
            self._posted.add(job)
            self._speech.export(job)
        if not self._posted:
            self._end()

    def _with_gains(self) -> list[ExportFile]:
        settings, items = self.settings, [item for item in self.files if item in self._measured]
        assert settings.loudness is not None
        measured = [self._measured[item] for item in items]
        gains = dict(zip(items, gains_db(measured, settings.loudness, settings.channels, each=settings.loudness_each), strict=True))
        return [self._make_job(item, gains[item]) for item in self._todo]

    def _end(self) -> None:
        self.is_over = True
        self._waiting.clear()
        self._posted.clear()
        self._speech.stop_exporting()
        self.finished.emit()


def _size(item: PlannedFile) -> int:
    return sum(len(line.text) + 1 for line in item.lines)
