"""Plans an export from what the window holds at one moment; runs in the background, because a long script or a full folder takes time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path

from app.common.language import localize
from app.core.script.project import LineTake, create_line
from app.core.script.script import Line, LineSettings, Script
from app.core.text.dictionary_entries import DictionaryEntry
from app.export.changed_plan import ExportChanges, OwnParts
from app.export.export_ledger import ExportLedger, LedgerScript
from app.export.export_plan import (
    NumberedLine,
    PlanContext,
    PlannedFile,
    PlannedList,
    build_numbered_lines,
    list_character_names,
    plan_files,
)
from app.export.export_settings import ExportSettings
from app.export.loudness import LoudnessMeasurement, compute_file_gains
from app.export.manifest_store import ManifestStore
from app.export.safe_file_names import OwnFiles, SpeakerNames
from app.settings.user_settings import Settings


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """The files of an export, and what is known of an earlier one into the same folder."""

    files: Sequence[PlannedFile]
    game_list: PlannedList | None = None  # for an engine that reads one; None for others
    ledger: ExportLedger | None = None  # None where the plan is only shown and earlier exports have no part in it
    # What would be done as far as is known before all files are read; only where what changed is exported.
    changes: ExportChanges | None = None
    measured: dict[PlannedFile, LoudnessMeasurement] = field(default_factory=dict)  # loudness known; only where what changed is exported
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
            root = Path(settings.folder)
            own_files = OwnFiles(is_remnant=OwnParts(root, lambda: ManifestStore(root).entries.values()).is_own)
            return ExportPlan(plan_files(self._select_lines(settings), settings, self._build_context(), own_files))
        plan = self.plan_export(settings, is_quick=True)
        assert plan.ledger is not None
        is_measured = len(plan.measured) == len(plan.files)
        gains = compute_file_gains(plan.files, plan.measured, settings).by_file if is_measured else {}
        return ExportPlan(plan.files, changes=plan.ledger.plan_changes(plan.files, settings, gains), problem=plan.ledger.problem)

    def plan_export(self, settings: ExportSettings, *, is_quick: bool = False) -> ExportPlan:
        """Plan an export that begins now; `is_quick` compares the sizes of earlier files only."""
        lines = self._select_lines(settings)
        ledger = self._open_ledger(lines, settings, is_quick=is_quick)
        files = ledger.plan_files(lines, settings, self._build_context())
        is_measured = settings.only_changed and settings.loudness is not None
        return ExportPlan(files, ledger.plan_game_list(settings), ledger, measured=ledger.find_measurements(files) if is_measured else {})

    def _select_lines(self, settings: ExportSettings) -> list[NumberedLine]:
        lines = build_numbered_lines(map(self.apply_seed, self.script.lines))
        if settings.what == "selection":
            return [item for item in lines if item.line.id in self.selected_ids]
        if settings.what == "starred":
            numbers = {item.line.id: item.number for item in lines}
            takes = sorted((take for take in self.takes if take.line in numbers), key=lambda take: numbers[take.line])
            # They are spoken again with their own settings and seeds, so that they get sidecar files like any line.
            return [NumberedLine(numbers[take.line], create_line(take)) for take in takes]
        return lines

    def _build_context(self) -> PlanContext:
        name = self.project_name or localize("名称未設定", "Untitled")
        return PlanContext(name, cache(self.describe_speaker), date.today(), list_character_names(self.script.cast))

    def _open_ledger(self, lines: Sequence[NumberedLine], settings: ExportSettings, *, is_quick: bool) -> ExportLedger:
        from app.export.render_keys import collect_sound_conditions
        from app.voices.installed_voices import find_shipped_voice_id

        ids = dict.fromkeys(item.line.settings.voice for item in lines)
        user = self.user_settings
        conditions = collect_sound_conditions(
            {voice: voice or find_shipped_voice_id() for voice in ids}, self.words, user, backend=user.backend, force_bert=user.force_bert
        )
        script = LedgerScript(self.project_name, frozenset(line.id for line in self.script.lines), self.project_file)
        return ExportLedger(settings, script, conditions, is_quick=is_quick)
