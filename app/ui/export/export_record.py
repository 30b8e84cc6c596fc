"""Keeps the ledger of a running export in a thread of its own, so that the window waits for no disk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path

from app.common.errors import AppError, OutputFileError
from app.export.changed_plan import ExportChanges
from app.export.export_ledger import ExportLedger
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings
from app.export.game_lists import PlannedList
from app.export.loudness import LoudnessMeasurement
from app.export.manifest_data import ManifestEntry
from app.ui.background_thread import BackgroundThread

OnError = Callable[[AppError], object]


class ExportRecord:
    """The ledger of one export; its work is done in the order in which it is asked for."""

    def __init__(self, ledger: ExportLedger, background: BackgroundThread) -> None:
        self._ledger, self._background = ledger, background

    def apply_changes(
        self,
        files: Sequence[PlannedFile],
        settings: ExportSettings,
        gains_db: Mapping[PlannedFile, float],
        is_stopped: Callable[[], bool],
        on_applied: Callable[[ExportChanges], object],
        on_error: OnError,
    ) -> None:
        """Find what changed and rename what only has another name; then call `on_applied` with what is to be made."""
        self._background.run_work(partial(self._apply_changes, files, settings, gains_db, is_stopped), on_applied, on_error)

    def record_written(
        self, item: PlannedFile, sidecars: Collection[Path], gain_db: float | None, loudness: LoudnessMeasurement | None
    ) -> None:
        """Note a file that is complete."""
        self._background.run_work(partial(self._ledger.record_written, item, sidecars, gain_db, loudness))

    def remove_orphans(
        self, orphans: Sequence[ManifestEntry], on_removed: Callable[[list[ManifestEntry]], object], on_error: OnError
    ) -> None:
        """Remove files whose lines are gone, and call `on_removed` with their entries."""
        self._background.run_work(partial(self._remove_orphans, orphans), on_removed, on_error)

    def write_game_list(
        self,
        planned: PlannedList,
        files: Sequence[PlannedFile],
        written: Collection[Path],
        settings: ExportSettings,
        on_written: Callable[[str], object],
        on_error: OnError,
    ) -> None:
        """Write the list of the files, and call `on_written` with what `ExportLedger.write_game_list` says."""
        self._background.run_work(partial(self._ledger.write_game_list, planned, files, written, settings), on_written, on_error)

    def finish_record(self, on_finished: Callable[[OutputFileError | None], object]) -> None:
        """Write the manifest, and call `on_finished` with why that failed, or None."""
        self._background.run_work(self._close_ledger, on_finished)

    def _apply_changes(
        self, files: Sequence[PlannedFile], settings: ExportSettings, gains_db: Mapping[PlannedFile, float], is_stopped: Callable[[], bool]
    ) -> ExportChanges:
        changes = self._ledger.plan_changes(files, settings, gains_db)
        self._ledger.update_unchanged(changes)
        for _ in self._ledger.rename_files(changes):
            if is_stopped():
                break
        return changes

    def _remove_orphans(self, orphans: Sequence[ManifestEntry]) -> list[ManifestEntry]:
        removed = self._ledger.remove_orphans(orphans)
        self._ledger.close()
        return removed

    def _close_ledger(self) -> OutputFileError | None:
        self._ledger.close()
        return self._ledger.write_error
