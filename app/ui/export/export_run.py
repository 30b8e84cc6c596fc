"""An export on its way through the synthesis thread, one file after the other; with a loudness target all files are measured first.

Where only what changed is exported, it is decided after that, and what stays is no work. `advanced` says that one more file is done,
`finished` that the export has ended, `recorded` that its record is written, or files of lines that are gone were removed.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, Signal, Slot

from app.common.errors import AppError, OutputFileError
from app.engine.synthesis_jobs import ComputeJob
from app.export.changed_plan import ExportChanges
from app.export.export_ledger import describe_write_error
from app.export.export_plan import PlannedFile, filter_writable
from app.export.export_renderer import is_single_line_error
from app.export.export_settings import ExportSettings
from app.export.export_tasks import ExportTask
from app.export.loudness import FileGains, LoudnessMeasurement, LoudnessReport, compute_file_gains
from app.ui.background_thread import BackgroundThread
from app.ui.export.export_planner import ExportPlan
from app.ui.synthesis.speech_controller import SpeechController

if TYPE_CHECKING:
    from app.export.export_renderer import WrittenFile

MAX_POSTED_FILES = 2  # two posted files keep the synthesis thread busy without waiting for the window between files


class ExportRun(QObject):
    """Writes files until all are done or the user stops it."""

    advanced = Signal()
    finished = Signal()
    recorded = Signal()

    def __init__(self, speech: SpeechController, plan: ExportPlan, settings: ExportSettings, background: BackgroundThread) -> None:
        super().__init__(speech)
        assert plan.ledger is not None
        self._ledger, self._background = plan.ledger, background  # which does the ledger's work, in the order in which it is asked for
        self._speech, self.settings, self.files, self._game_list = speech, settings, plan.files, plan.game_list
        # Where only what changed is exported, it becomes less once that is known.
        self._todo = list(plan.files if settings.only_changed else filter_writable(plan.files, settings))
        self.written: list[Path] = []  # the files written so far
        self.failed: list[tuple[PlannedFile, AppError]] = []  # the files that failed, each with its error
        self.fatal: AppError | None = None  # the error that ended the export, or None
        # is_over, is_stopped: Whether the export has ended, and whether the user stopped it.
        self.is_over = self.is_stopped = self._has_begun = False
        self.changes: ExportChanges | None = None  # what was decided where only what changed is exported, or None
        self.loudness = LoudnessReport(settings, FileGains())  # what the target of loudness came to
        self.removed = 0  # how many files of lines that are gone were removed
        self.note = ""  # a sentence on something that went wrong without harm to the files; empty where nothing did
        self._measurements = dict(plan.measured)
        self._waiting_tasks: deque[ExportTask] = deque()
        self._posted_jobs: dict[ExportTask, ComputeJob[Any]] = {}
        self._began = time.monotonic()
        self.is_measuring = settings.loudness is not None
        self._must_decide = settings.only_changed
        self._to_measure = [item for item in plan.files if item not in plan.measured] if self.is_measuring else []
        self._size = sum(map(_count_chars, (*self._todo, *self._to_measure)))
        self._left_chars = self._size

    @property
    def count(self) -> int:
        """Return the number of files to write."""
        return len(self._todo)

    @property
    def is_deciding(self) -> bool:
        """Return whether it is not known yet what changed."""
        return self._must_decide and not self.is_measuring

    @property
    def done_fraction(self) -> float:
        """Return the fraction of the work that is done, 0 to 1, counted in characters."""
        return 1 - self._left_chars / self._size if self._size else 1.0

    @property
    def seconds_left(self) -> float | None:
        """Return the estimated seconds left at the speed so far; None before the first file."""
        share = self.done_fraction
        return (time.monotonic() - self._began) * (1 - share) / share if share else None

    def begin_export(self) -> None:
        """Post the first jobs."""
        # All planned files are measured, also existing ones: files made later get the same gain as those.
        self._waiting_tasks.extend(ExportTask(item, is_measurement=True) for item in self._to_measure)
        self._post_jobs()

    def remove_orphans(self) -> None:
        """Remove the files of lines that are gone, after the export."""
        if self.changes is not None:
            orphans = self.changes.orphans

            def remove_and_record() -> int:
                count = len(self._ledger.remove_orphans(orphans))
                self._ledger.close()
                return count

            self._background.run_work(remove_and_record, self._note_removed, self._note_error)

    @Slot()
    def stop_export(self) -> None:
        """Stop the export and discard what is not complete; no half-written file remains."""
        if not self.is_over:
            self.is_stopped = True
            self._end_run()

    def _add_result(self, task: ExportTask, result: WrittenFile | LoudnessMeasurement) -> None:
        if task.is_measurement:
            self._measurements[task.item] = cast("LoudnessMeasurement", result)
        else:
            # Only the path is kept: the timings of a long script would fill the memory.
            written_file = cast("WrittenFile", result)
            self.written.append(written_file.file)
            self.loudness.add_file(task.item, written_file.loudness, written_file.spoken.length_s)
            loudness = self._measurements.get(task.item)
            self._background.run_work(partial(self._ledger.record_written, task.item, written_file.sidecars, task.gain_db, loudness))
        self._remove_task(task)

    def _add_failure(self, task: ExportTask, error: AppError) -> None:
        self.failed.append((task.item, error))
        # An error that concerns this file alone does not end the others; a full disk does.
        if not is_single_line_error(error):
            self.fatal = error
            self._end_run()
            return
        # A file that could not be measured is not written either, so the work of writing it counts as done too.
        if task.is_measurement and task.item in self._todo:
            self._todo.remove(task.item)
            self._left_chars -= _count_chars(task.item)
        self._remove_task(task)

    def _remove_task(self, task: ExportTask) -> None:
        self._posted_jobs.pop(task, None)
        self._left_chars -= _count_chars(task.item)
        self._post_jobs()
        if not self.is_over:
            self.advanced.emit()

    def _post_jobs(self) -> None:
        if not self._waiting_tasks and not self._posted_jobs and (self.is_measuring or self._must_decide or not self._has_begun):
            # All measurements are in: the gains follow, and the same queue now writes the files.
            self.is_measuring = False
            file_gains = compute_file_gains(self.files, self._measurements, self.settings)
            self.loudness, gains = LoudnessReport(self.settings, file_gains), file_gains.by_file
            if self._must_decide:
                # By place, as hashing every line of a long script would hold up the window.
                failed = {item.file for item, _ in self.failed}
                files = [item for item in self.files if item.file not in failed]
                apply = partial(self._ledger.apply_changes, files, self.settings, gains, is_stopped=lambda: self.is_over)
                self._background.run_work(apply, partial(self._begin_changed_files, gains), self._end_with_error)
                return
            self._begin_files(gains)
        while self._waiting_tasks and len(self._posted_jobs) < MAX_POSTED_FILES:
            task = self._waiting_tasks.popleft()
            on_result, on_failed = partial(self._add_result, task), partial(self._add_failure, task)
            self._posted_jobs[task] = self._speech.export_file(task, self.settings, on_result, on_failed)
        if not self._posted_jobs:
            self._end_run()

    def _begin_changed_files(self, gains: Mapping[PlannedFile, float], changes: ExportChanges) -> None:
        self.changes = changes
        if self.is_over:
            return
        self._todo = [file.item for file in changes.rendered]
        # What stays took no time, so the time that is left is not reckoned by it.
        self._left_chars = sum(map(_count_chars, self._todo))
        self._size = self._left_chars + sum(map(_count_chars, self._to_measure))
        self._begin_files(gains)
        self.advanced.emit()
        self._post_jobs()

    def _begin_files(self, gains: Mapping[PlannedFile, float]) -> None:
        self._must_decide, self._has_begun = False, True
        self._waiting_tasks.extend(ExportTask(item, gains.get(item)) for item in self._todo)

    def _end_with_error(self, error: AppError) -> None:
        if not self.is_over:
            self.fatal = error
            self._end_run()

    def _end_run(self) -> None:
        self.is_over = True
        self._waiting_tasks.clear()
        # Not all files: one that is copied or dragged may be on its way meanwhile.
        posted, self._posted_jobs = self._posted_jobs, {}
        self._speech.stop_computing(posted.values())
        self._write_game_list()
        self._background.run_work(self._ledger.close, self._note_record)
        self.finished.emit()

    def _write_game_list(self) -> None:
        """Post the list, which names every file of the plan that is there now, also those that were skipped."""
        if self._game_list is None or self.is_stopped or self.fatal is not None:
            return
        kept_files = (*self.changes.renamed, *self.changes.unchanged) if self.changes is not None else ()
        written = {*self.written, *(file.item.file for file, _ in kept_files)}
        write = partial(self._ledger.write_game_list, self._game_list, self.files, written, self.settings)
        self._background.run_work(write, self._note_list, self._note_error)

    def _note_list(self, note: str) -> None:
        self.note = note or self.note

    def _note_record(self, error: OutputFileError | None) -> None:
        self.note = self.note if error is None else describe_write_error(error)
        self.recorded.emit()

    def _note_removed(self, count: int) -> None:
        assert self.changes is not None
        self.removed += count
        self.changes.orphans.clear()
        self.recorded.emit()

    def _note_error(self, error: AppError) -> None:
        self.note = f"{error.message} {error.hint}".strip()
        self.recorded.emit()


def _count_chars(item: PlannedFile) -> int:
    return sum(len(line.text) + 1 for line in item.lines)
