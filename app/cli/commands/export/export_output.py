"""Writes the files of `koebako export` and prints what happens to each."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.cli.console_output import print_error, print_json, print_note, print_record
from app.common.errors import AppError
from app.common.language import localize
from app.export.changed_plan import ExportChanges
from app.export.export_batch import ExportBatch, TaskOutcome
from app.export.export_ledger import ExportLedger, describe_changes, describe_write_error
from app.export.export_plan import PlannedFile, PlannedList, filter_writable
from app.export.export_settings import ExportSettings
from app.export.loudness import FileGains, LoudnessMeasurement, LoudnessReport, compute_file_gains, parse_written_data

MAX_TOLD_ORPHANS = 20


class ExportOutput:
    """The results of one export, printed as they come: the files that were made, and how many are to be made."""

    def __init__(self, ledger: ExportLedger, batch: ExportBatch, settings: ExportSettings, *, is_json: bool) -> None:
        self.written_files: set[Path] = set()
        self.count = 0
        self._ledger, self._batch, self._settings = ledger, batch, settings
        self._is_json, self._only_changed = is_json, settings.only_changed
        self._changes = ExportChanges()
        self._report = LoudnessReport(settings, FileGains())
        self._removed_count = self._skipped_count = 0
        if ledger.problem and settings.only_changed:
            print_note(ledger.problem)

    @property
    def there(self) -> set[Path]:
        """Return all files of the plan that were made, renamed or left as they were."""
        kept_files = (file.item.file for file, _ in (*self._changes.renamed, *self._changes.unchanged))
        return {*self.written_files, *kept_files}

    def write_files(self, files: Sequence[PlannedFile], errors: Mapping[PlannedFile, AppError]) -> None:
        """Write what is to be written; `errors` are of files whose voice cannot speak. Raise the error that ends the batch."""
        speakable = [item for item in files if item not in errors]
        measured = self._measure_files(speakable)
        failed = {item for item, _ in self._batch.failed}
        gains = compute_file_gains(speakable, measured, self._settings)
        self._report = LoudnessReport(self._settings, gains)
        writable = filter_writable(files, self._settings)
        if self._only_changed:
            todo = self._begin_changes([item for item in speakable if item not in failed], gains.by_file)
            self._skipped_count = len(self._changes.skipped)
        else:
            todo = [item for item in writable if item not in errors and item not in failed]
            self._skipped_count = len(files) - len(writable)
        self._batch.failed += [(item, errors[item]) for item in (files if self._only_changed else writable) if item in errors]
        self.count = len(todo)
        for outcome in self._batch.write_files(todo, gains.by_file):
            self._add_written(outcome, measured.get(outcome.task.item))

    def remove_orphans(self) -> None:
        """Remove the files of lines that are gone. Raise OutputFileError."""
        self._removed_count = len(self._ledger.remove_orphans(self._changes.orphans))

    def write_game_list(self, planned: PlannedList, files: Sequence[PlannedFile]) -> None:
        """Write the list of the files that are there; say so where somebody else's file stays in its place. Raise OutputFileError."""
        notice = self._ledger.write_game_list(planned, files, self.there, self._settings)
        if notice:
            print_note(notice)

    def report_totals(self, seconds: float) -> int:
        """Report the totals and return the exit code of the first file that failed, with errors of voices before those of texts."""
        failed = self._batch.failed
        for item, error in failed:
            print_error(error, as_json=self._is_json, source=item.file.name)
        if self._only_changed:
            self._report_orphans()
        if self._is_json:
            row: dict[str, Any] = {
                "type": "summary",
                "files": len(self.written_files),
                "skipped": self._skipped_count,
                "failed": len(failed),
            }
            if self._only_changed:
                changes = self._changes
                row |= {"renamed": len(changes.renamed), "unchanged": len(changes.unchanged), "orphans": len(changes.orphans)}
                row |= {"removed": self._removed_count}
            print_json(row | self._report.build_row() | {"seconds": seconds})
        else:
            for sentence in filter(None, (self._describe_totals(), self._report.describe_limiter(), self._report.describe_missed())):
                print_note(sentence)
        if self._ledger.write_error is not None:
            print_note(describe_write_error(self._ledger.write_error))
        return max((error.exit_code for _, error in failed), default=0)

    def _add_written(self, outcome: TaskOutcome, measured: LoudnessMeasurement | None) -> None:
        """Note a file that was written, and print it."""
        item, row = outcome.task.item, outcome.answer
        self._ledger.record_written(item, [Path(path) for path in row["sidecars"]], outcome.task.gain_db, measured)
        self.written_files.add(item.file)
        missed = self._report.add_file(item, parse_written_data(row), row.get("audio_s", 0.0))
        row = row | ({} if missed is None else {"missed_lu": round(missed, 2)})
        self._print_file(row | ({"status": "written"} if self._only_changed else {}))

    def _measure_files(self, files: Sequence[PlannedFile]) -> dict[PlannedFile, LoudnessMeasurement]:
        if self._settings.loudness is None:
            return {}
        # All planned files count, also those that stay: what is made later fits what is there.
        measured = self._ledger.find_measurements(files) if self._only_changed else {}
        return measured | self._batch.measure_files([item for item in files if item not in measured])

    def _begin_changes(self, files: Sequence[PlannedFile], gains: Mapping[PlannedFile, float]) -> list[PlannedFile]:
        """Rename what only has another name, and return what is to be made; nothing once the user has stopped."""
        if self._batch.stopped.is_set():
            return []
        changes = self._changes = self._ledger.plan_changes(files, self._settings, gains)
        for file, entry in self._ledger.rename_files(changes):
            before = str(Path(self._settings.folder) / entry.path)
            self._print_file({"type": "file", "status": "renamed", "id": file.lines[0], "file": str(file.item.file), "from": before})
        if self._is_json:
            for file, _ in changes.unchanged:
                print_json({"type": "file", "status": "unchanged", "id": file.lines[0], "file": str(file.item.file)})
        return [file.item for file in changes.rendered]

    def _print_file(self, row: Mapping[str, Any]) -> None:
        print_record(dict(row), str(row["file"]), as_json=self._is_json)

    def _report_orphans(self) -> None:
        """Name the files of lines that are gone; on stderr no more than fit a screen."""
        orphans = self._changes.orphans
        for entry in orphans if self._is_json else ():
            file = str(Path(self._settings.folder) / entry.path)
            print_json({"type": "file", "status": "orphan", "id": entry.lines[0], "file": file, "removed": bool(self._removed_count)})
        if self._is_json or not orphans:
            return
        for entry in orphans[:MAX_TOLD_ORPHANS]:
            print_note(entry.path)
        if len(orphans) > MAX_TOLD_ORPHANS:
            untold_count = len(orphans) - MAX_TOLD_ORPHANS
            print_note(localize(f"ほか {untold_count:,} 個", f"and {untold_count:,} more"))

    def _describe_totals(self) -> str:
        done, bad = len(self.written_files), len(self._batch.failed)
        failed = localize(f"、失敗 {bad}", f", {bad} failed") if bad else ""
        left = localize(f"、スキップ {self._skipped_count}", f", {self._skipped_count} skipped") if self._skipped_count else ""
        if self._only_changed:
            changes = self._changes
            return self._describe_changes(changes, f"{left}{failed}".removeprefix("、").removeprefix(", "))
        files = "file" if done == 1 else "files"
        return localize(f"{done} 個のファイルを書き出しました{left}{failed}。", f"Exported {done} {files}{left}{failed}.")

    def _describe_changes(self, changes: ExportChanges, others: str) -> str:
        sentence = describe_changes(
            len(self.written_files), len(changes.renamed), len(changes.unchanged), len(changes.orphans) - self._removed_count
        )
        if self._removed_count:
            files = "file" if self._removed_count == 1 else "files"
            sentence += localize(
                f"台本にない行のファイルを {self._removed_count:,} 個削除しました。",
                f" Removed {self._removed_count:,} {files} of lines that are no longer in the script.",
            )
        elif changes.orphans:
            sentence += localize("削除するには --remove-orphans を指定してください。", " Use --remove-orphans to remove them.")
        return sentence + (localize(f"（{others}）", f" ({others})") if others else "")
