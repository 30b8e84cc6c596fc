"""An export on its way through the synthesis thread, one file after the other; with a loudness target all files are measured first."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal, Slot

from app.common.errors import AppError
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings
from app.export.file_writer import is_single_line_error
from app.export.loudness import compute_gains_db
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.synthesis.synthesis_jobs import ExportFileJob, ExportResult

if TYPE_CHECKING:
    from app.export.export_renderer import WrittenFile
    from app.export.loudness import LoudnessMeasurement

# Two posted files keep the synthesis thread busy without waiting for the window between files.
MAX_POSTED_FILES = 2


class ExportRun(QObject):
    """Writes files until all are done or the user stops it.

    Attributes:
        settings: The settings of the export, with every question answered.
        files: All files of the plan.
        written: The files written so far.
        failed: The files that failed, each with its error.
        fatal: The error that ended the export, or None.
        is_over, is_stopped: Whether the export has ended, and whether the user stopped it.

    Signals:
        advanced(), finished(): One more file is done; the export has ended.
    """

    advanced = Signal()
    finished = Signal()

    def __init__(
        self, speech: SpeechController, files: Sequence[PlannedFile], files_to_write: Sequence[PlannedFile], settings: ExportSettings
    ) -> None:
        super().__init__(speech)
        self._speech, self.settings, self.files = speech, settings, files
        self._todo = list(files_to_write)
        self.written: list[Path] = []
        self.failed: list[tuple[PlannedFile, AppError]] = []
        self.fatal: AppError | None = None
        self.is_over = self.is_stopped = False
        self._measured: dict[PlannedFile, LoudnessMeasurement] = {}
        self._waiting: deque[ExportFileJob] = deque()
        self._posted: set[ExportFileJob] = set()
        self._began = time.monotonic()
        self._measures = settings.loudness is not None
        size = sum(map(_count_chars, files_to_write))
        self._size = size + (sum(map(_count_chars, files)) if self._measures else 0)
        self._left = self._size

    @property
    def count(self) -> int:
        """Return the number of files to write."""
        return len(self._todo)

    @property
    def is_measuring(self) -> bool:
        """Return whether the files are still being measured."""
        return self._measures

    @property
    def done_fraction(self) -> float:
        """Return the fraction of the work that is done, 0 to 1, counted in characters."""
        return 1 - self._left / self._size if self._size else 1.0

    @property
    def seconds_left(self) -> float | None:
        """Return the estimated seconds left at the speed so far; None before the first file."""
        share = self.done_fraction
        return (time.monotonic() - self._began) * (1 - share) / share if share else None

    def begin_export(self) -> None:
        """Post the first jobs."""
        if self._measures:
            # All planned files are measured, also existing ones: files made later get the same gain as those.
            self._waiting.extend(self._make_job(item, is_measuring=True) for item in self.files)
        else:
            self._waiting.extend(map(self._make_job, self._todo))
        self._post_jobs()

    @Slot()
    def stop_export(self) -> None:
        """Stop the export and discard what is not complete; no half-written file remains."""
        if not self.is_over:
            self.is_stopped = True
            self._end_run()

    def _make_job(self, item: PlannedFile, gain_db: float = 0.0, *, is_measuring: bool = False) -> ExportFileJob:
        return ExportFileJob(item, self.settings, self._add_result, self._add_failure, gain_db, is_measuring)

    def _add_result(self, result: ExportResult) -> None:
        job = result.job
        if job.is_measurement:
            self._measured[job.item] = cast("LoudnessMeasurement", result.result)
        else:
            # Only the path is kept: the timings of a long script would fill the memory.
            self.written.append(cast("WrittenFile", result.result).file)
        self._remove_job(job)

    def _add_failure(self, job: ExportFileJob, error: AppError) -> None:
        self.failed.append((job.item, error))
        # An error that concerns this file alone does not end the others; a full disk does.
        if not is_single_line_error(error):
            self.fatal = error
            self._end_run()
            return
        # A file that could not be measured is not written either, so the work of writing it counts as done too.
        if job.is_measurement and job.item in self._todo:
            self._todo.remove(job.item)
            self._left -= _count_chars(job.item)
        self._remove_job(job)

    def _remove_job(self, job: ExportFileJob) -> None:
        self._posted.discard(job)
        self._left -= _count_chars(job.item)
        self._post_jobs()
        if not self.is_over:
            self.advanced.emit()

    def _post_jobs(self) -> None:
        if not self._waiting and not self._posted and self._measures:
            # All measurements are in: the gains follow, and the same queue now writes the files.
            self._measures = False
            self._waiting.extend(self._make_gain_jobs())
        while self._waiting and len(self._posted) < MAX_POSTED_FILES:
            job = self._waiting.popleft()
            self._posted.add(job)
            self._speech.export_file(job)
        if not self._posted:
            self._end_run()

    def _make_gain_jobs(self) -> list[ExportFileJob]:
        settings, items = self.settings, [item for item in self.files if item in self._measured]
        assert settings.loudness is not None
        measured = [self._measured[item] for item in items]
        gains = dict(
            zip(items, compute_gains_db(measured, settings.loudness, settings.channels, is_per_file=settings.loudness_each), strict=True)
        )
        return [self._make_job(item, gains[item]) for item in self._todo]

    def _end_run(self) -> None:
        self.is_over = True
        self._waiting.clear()
        self._posted.clear()
        self._speech.stop_exporting()
        self.finished.emit()


def _count_chars(item: PlannedFile) -> int:
    return sum(len(line.text) + 1 for line in item.lines)
