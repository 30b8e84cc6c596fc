"""The tasks and the interface of export workers: one settings a batch, one task a file; plain data for other processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from app.core.dictionary_entries import DictionaryEntry
from app.core.dictionary_formats import convert_entries_to_data, parse_entries
from app.core.script import Script
from app.core.script_data import convert_script_to_data, parse_script
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings, convert_settings_to_data, parse_settings_data
from app.export.loudness import LoudnessMeasurement


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """The settings that every file of a batch has in common.

    Attributes:
        voices: what `open_speaker` takes, by the id that lines have.
        words: of the project, which count before the user's own.
    """

    export: ExportSettings
    voices: Mapping[str, str | None]
    words: tuple[DictionaryEntry, ...] = ()
    backend: str = "auto"
    precision: str | None = None
    force_bert: bool = False

    def convert_to_data(self) -> dict[str, Any]:
        """Return the data that `from_data` reads."""
        return {
            "export": convert_settings_to_data(self.export),
            "voices": dict(self.voices),
            "words": convert_entries_to_data(self.words),
            "backend": self.backend,
            "precision": self.precision,
            "force_bert": self.force_bert,
        }

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> BatchSettings:
        """Parse the settings of a batch; raise ValueError or KeyError."""
        words = parse_entries(data["words"])
        export = parse_settings_data(data["export"])
        return BatchSettings(export, data["voices"], words, data["backend"], data["precision"], data["force_bert"])


@dataclass(frozen=True, slots=True)
class ExportTask:
    """A file to write, or only to measure."""

    item: PlannedFile
    gain_db: float = 0.0
    is_measurement: bool = False


class ExportWorker(Protocol):
    """Does one task after another."""

    def run_task(self, task: ExportTask) -> dict[str, Any]:
        """Return the row of a written file, or its measurement; empty if stopped. Raise AppError if it fails."""

    def stop_task(self) -> None:
        """Stop the present task; may be called from any thread."""

    def close(self) -> None:
        """Close everything that is open."""


def convert_task_to_data(task: ExportTask) -> dict[str, Any]:
    """Return the data that `parse_task_data` reads."""
    lines = convert_script_to_data(Script(task.item.lines))
    return {"file": str(task.item.file), "script": lines, "gain_db": task.gain_db, "measures": task.is_measurement}


def parse_task_data(data: Mapping[str, Any]) -> ExportTask:
    """Parse a task; raise ValueError or KeyError."""
    lines = parse_script(data["script"]).lines
    return ExportTask(PlannedFile(Path(data["file"]), lines), float(data["gain_db"]), bool(data["measures"]))


def parse_measurement(answer: Mapping[str, Any]) -> LoudnessMeasurement:
    """Parse a worker's loudness measurement."""
    return LoudnessMeasurement(tuple(answer["powers"]), answer["peak"], answer["seconds"])
