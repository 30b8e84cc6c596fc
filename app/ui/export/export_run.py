"""An export: the settings remembered for it, its plan, and its way through the synthesis thread, one file after the other.

With a loudness target all files are measured first. Where only what changed is exported, it is decided after that, and what stays is no work. `advanced` says that one more file is done,
`finished` that the export has ended, `recorded` that its record is written, or files of lines that are gone were removed.
"""

import contextlib
import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol, cast

from PySide6.QtCore import QObject, QStandardPaths, Signal, Slot

from app.common.errors import AppError, OutputFileError
from app.common.files.untrusted_json import parse_object
from app.core.script.project import LineTake, Project, create_line
from app.core.script.script import Line, LineSettings, Script
from app.core.text.dictionary_entries import DictionaryEntry
from app.engine.synthesis_jobs import ComputeJob
from app.export.changed_plan import ExportChanges, OwnParts
from app.export.export_ledger import ExportLedger, LedgerScript, describe_write_error, keep_earlier_names
from app.export.export_plan import (
    NumberedLine,
    PlanContext,
    PlannedFile,
    PlannedList,
    build_numbered_lines,
    filter_writable,
    list_character_names,
    plan_files,
)
from app.export.export_renderer import WrittenFile, is_single_line_error
from app.export.export_settings import ExportSettings, convert_settings_to_data, parse_settings_data
from app.export.export_tasks import ExportTask
from app.export.loudness import FileGains, LoudnessMeasurement, LoudnessReport, compute_file_gains
from app.export.manifest_store import ManifestStore
from app.export.safe_file_names import OwnFiles, SpeakerNames
from app.settings.user_settings import Settings
from app.ui.background_thread import BackgroundThread
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController


class ExportProject(Protocol):
    """The open project, as far as exports use it."""

    parts: Project
    path: Path | None

    @property
    def name(self) -> str:
        """Return the project's name; empty for an unnamed script."""

    def change_parts(self, **parts: Any) -> None:
        """Replace parts of the project."""


class ExportSettingsMemory:
    """A reader and writer of remembered export settings."""

    def __init__(self, settings: SettingsStore, project: ExportProject) -> None:
        self._settings, self._project = settings, project

    @property
    def settings(self) -> ExportSettings:
        """Return the project's settings, or else the general ones; malformed settings count as none."""
        settings = _parse_settings(self._project.parts.export)
        if settings is None:
            with contextlib.suppress(ValueError):
                settings = _parse_settings(parse_object(self._settings.value.export))
        # The folder belongs to this machine and never to a project, which may come from someone else.
        default_folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.MusicLocation)
        return replace(settings or ExportSettings(), folder=self._settings.value.save_folder or default_folder)

    def remember_settings(self, settings: ExportSettings) -> None:
        """Remember the settings for the project, and for projects that have none yet."""
        data = convert_settings_to_data(replace(settings, folder=""))
        self._settings.change_settings(save_folder=settings.folder, export=json.dumps(data, ensure_ascii=False))
        self._project.change_parts(export=data)


def _parse_settings(data: Mapping[str, Any]) -> ExportSettings | None:
    with contextlib.suppress(ValueError):
        return parse_settings_data(dict(data)) if data else None
    return None


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """The files of an export, and what is known of an earlier one into the same folder."""

    files: Sequence[PlannedFile]
    game_list: PlannedList | None = None  # for an engine that reads one; None for others
    ledger: ExportLedger | None = None  # None where the plan is only shown and earlier exports have no part in it
    # What would be done as far as is known before all files are read; only where what changed is exported.
    changes: ExportChanges | None = None
    measured: dict[PlannedFile, LoudnessMeasurement] = field(default_factory=dict)  # loudness known; only where what changed is exported
    default_pattern: str = ""  # of names, where the user has chosen none; in the user's language
    problem: str = ""  # why an earlier export is not known; empty where it is, or there was none


@dataclass(frozen=True)
class ExportPlanner:
    """Everything that an export is planned from, as it is now; the script is frozen, and the document must not be read in the background."""

    script: Script
    selected_ids: frozenset[str]
    takes: Sequence[LineTake]  # those with a star
    project_name: str  # empty for a script without a name
    project_file: Path | None  # None for a script that is not saved
    words: tuple[DictionaryEntry, ...]
    apply_seed: Callable[[Line], Line]  # gives a line the seed that was heard last
    describe_speaker: Callable[[LineSettings], SpeakerNames]  # returns the names for file names
    user_settings: Settings  # backend and precisions of the voices

    def plan_preview(self, settings: ExportSettings) -> ExportPlan:
        """Plan an export that is only shown: files that were edited without a change of size count as ours."""
        if not settings.only_changed:
            root, lines = Path(settings.folder), self._select_lines(settings)
            store = ManifestStore(root)
            context = keep_earlier_names(self._build_context(), lines, settings, self._describe_script(), store.entries.values())
            own_files = OwnFiles(is_remnant=OwnParts(root, store.entries.values).is_own)
            files = plan_files(lines, settings, context, own_files)
            return ExportPlan(files, default_pattern=self._choose_pattern(context, settings, lines))
        plan = self.plan_export(settings, is_quick=True)
        assert plan.ledger is not None
        is_measured = len(plan.measured) == len(plan.files)
        gains = compute_file_gains(plan.files, plan.measured, settings).by_file if is_measured else {}
        changes = plan.ledger.plan_changes(plan.files, settings, gains)
        return ExportPlan(plan.files, changes=changes, default_pattern=plan.default_pattern, problem=plan.ledger.problem)

    def plan_export(self, settings: ExportSettings, *, is_quick: bool = False) -> ExportPlan:
        """Plan an export that begins now; `is_quick` compares the sizes of earlier files only."""
        lines, context = self._select_lines(settings), self._build_context()
        ledger = self._open_ledger(lines, settings, is_quick=is_quick)
        files = ledger.plan_files(lines, settings, context)
        named = replace(context, keeps_earlier_names=ledger.keeps_earlier_names)
        is_measured = settings.only_changed and settings.loudness is not None
        return ExportPlan(
            files,
            ledger.plan_game_list(settings),
            ledger,
            measured=ledger.find_measurements(files) if is_measured else {},
            default_pattern=self._choose_pattern(named, settings, lines),
        )

    def _choose_pattern(self, context: PlanContext, settings: ExportSettings, lines: Sequence[NumberedLine]) -> str:
        return context.choose_pattern(settings.files, has_character=any(item.line.character in context.characters for item in lines))

    def _describe_script(self) -> LedgerScript:
        return LedgerScript(self.project_name, frozenset(line.id for line in self.script.lines), self.project_file)

    def _select_lines(self, settings: ExportSettings) -> list[NumberedLine]:
        lines = build_numbered_lines(map(self.apply_seed, self.script.lines))
        if settings.what == "selection":
            return [item for item in lines if item.line.id in self.selected_ids]
        if settings.what == "starred":
            taken = {item.line.id: item for item in lines}
            takes = sorted((take for take in self.takes if take.line in taken), key=lambda take: taken[take.line].number)
            # They are spoken again with their own settings and seeds, so that they get sidecar files like any line.
            return [
                NumberedLine(taken[take.line].number, replace(create_line(take), pause_after_s=taken[take.line].line.pause_after_s))
                for take in takes
            ]
        return lines

    def _build_context(self) -> PlanContext:
        return PlanContext(self.project_name, cache(self.describe_speaker), date.today(), list_character_names(self.script.cast))

    def _open_ledger(self, lines: Sequence[NumberedLine], settings: ExportSettings, *, is_quick: bool) -> ExportLedger:
        from app.export.render_keys import collect_sound_conditions
        from app.voices.installed_voices import find_shipped_voice_id

        ids = dict.fromkeys(item.line.settings.voice for item in lines)
        user = self.user_settings
        conditions = collect_sound_conditions(
            {voice: voice or find_shipped_voice_id() for voice in ids}, self.words, user, backend=user.backend, force_bert=user.force_bert
        )
        return ExportLedger(settings, self._describe_script(), conditions, is_quick=is_quick)


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
