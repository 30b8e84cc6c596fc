"""Exports what changed of a project that an agent has saved, into a folder of its name inside the agent's folder."""

from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import Any

from app.common.errors import AppError
from app.core.script.characters import replace_voices
from app.core.script.project import Project
from app.core.sound.stage_clock import RequestStopped
from app.core.text.dictionary_entries import DictionaryEntry
from app.engine.synthesis_jobs import JobTurn
from app.export.export_ledger import ExportLedger, LedgerScript
from app.export.export_plan import NumberedLine, PlanContext, build_numbered_lines, list_character_names
from app.export.export_renderer import WrittenFile, is_single_line_error
from app.export.export_settings import ExportSettings
from app.export.export_tasks import ExportTask
from app.export.render_keys import SoundConditions
from app.service.agents.offered_voices import OfferedVoices, create_unknown_voice_error
from app.service.agents.tool_arguments import MAX_CALL_CHARS, MAX_EXPORTED_LINES

FindConditions = Callable[[Iterable[str], tuple[DictionaryEntry, ...]], SoundConditions]
"""Returns what the sound of voices, by id, depends on apart from their lines, given the words of the project."""


class ProjectExport:
    """One export of a project that is in a file, in its turn of the engine."""

    def __init__(
        self,
        *,
        project: Project,
        file: Path,
        folder: Path,
        form: Any,
        voices: OfferedVoices,
        find_conditions: FindConditions,
        turn: JobTurn,
    ) -> None:
        shipped = voices.shipped_voice
        self._script = replace_voices(project.script, {"": shipped}) if shipped else project.script
        self._settings = ExportSettings(folder=str(folder), sound=form, existing="skip", only_changed=True)
        self._voices, self._turn = voices, turn
        self._spoken, self._failures = list[NumberedLine](), list[dict[str, Any]]()
        for item in build_numbered_lines(self._script.lines):
            if voices.find_speaker(item.line.settings) is not None:
                self._spoken.append(item)
            else:
                self._failures.append({"line": item.number, "reason": create_unknown_voice_error().message})
        ids, used_voices = (
            frozenset(line.id for line in self._script.lines),
            dict.fromkeys(item.line.settings.voice for item in self._spoken),
        )
        self._ledger = ExportLedger(self._settings, LedgerScript(file.stem, ids, file), find_conditions(used_voices, project.dictionary))
        self._context = PlanContext(
            self._script.title or file.stem, voices.name_speaker, date.today(), list_character_names(self._script.cast)
        )

    def write_changes(self, is_cancelled: Callable[[], bool]) -> dict[str, Any]:
        """Write as many files of new and changed lines as one call may, and return what became of all; raise OutputFileError, RequestStopped."""
        try:
            return self._write_files(is_cancelled)
        finally:
            self._ledger.close()

    def _write_files(self, is_cancelled: Callable[[], bool]) -> dict[str, Any]:
        changes = self._ledger.plan_changes(self._ledger.plan_files(self._spoken, self._settings, self._context), self._settings, {})
        renamed = sum(1 for _ in self._ledger.rename_files(changes))
        written, room, remaining = list[dict[str, Any]](), MAX_CALL_CHARS, len(changes.rendered)
        numbers = {item.line.id: item.number for item in self._spoken}
        for file in changes.rendered:
            room -= sum(len(line.text) for line in file.item.lines)
            if written and (room < 0 or len(written) == MAX_EXPORTED_LINES):
                break
            remaining -= 1
            number = numbers[file.lines[0]]
            try:
                result = ExportTask(file.item).run_in_turn(self._settings, self._turn)
            except AppError as error:
                if not is_single_line_error(error):
                    raise
                self._failures.append({"line": number, "reason": error.message})
                continue
            if not isinstance(result, WrittenFile) or is_cancelled():
                raise RequestStopped
            self._ledger.record_written(file.item, result.sidecars)
            name, seconds = f"{Path(self._settings.folder).name}/{file.path}", round(result.spoken.length_s, 3)
            written.append({"line": number, "file": name, "seconds": seconds})
        counts = {"unchanged": len(changes.unchanged), "renamed": renamed, "skipped": len(changes.skipped), "orphans": len(changes.orphans)}
        return {"files": written, "remaining": remaining, **counts, "failed": self._failures}
