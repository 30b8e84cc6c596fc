"""What workers are given and who they are: one settings a batch, one task a file; as plain data for those in other processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from app.core.dictionary import Entry
from app.core.dictionary_data import from_data as dictionary_from_data
from app.core.dictionary_data import to_data as dictionary_to_data
from app.core.script import Script
from app.core.script_data import script_from_data, script_to_data
from app.export.loudness import Measured
from app.export.plan import PlannedFile
from app.export.settings import ExportSettings, settings_from_data, settings_to_data


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """What every file of a batch has in common.

    Attributes:
        voices: what `open_speaker` takes, by the id that lines have.
        words: of the project, which count before the user's own.
    """

    export: ExportSettings
    voices: Mapping[str, str | None]
    words: tuple[Entry, ...] = ()
    backend: str = "auto"
    precision: str | None = None
    force_bert: bool = False

    def to_data(self) -> dict[str, Any]:
        """What `from_data` reads."""
        return {
            "export": settings_to_data(self.export),
            "voices": dict(self.voices),
            "words": dictionary_to_data(self.words),
            "backend": self.backend,
            "precision": self.precision,
            "force_bert": self.force_bert,
        }

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> BatchSettings:
        """Raises ValueError, KeyError."""
        words = dictionary_from_data(data["words"])
        export = settings_from_data(data["export"])
        return BatchSettings(export, data["voices"], words, data["backend"], data["precision"], data["force_bert"])


@dataclass(frozen=True, slots=True)
class Task:
    """A file to write, or only to measure."""

    item: PlannedFile
    gain_db: float = 0.0
    measures: bool = False


class Worker(Protocol):
    """Does one task after another."""

    def do(self, task: Task) -> dict[str, Any]:
        """A row of a written file, or what was measured; empty where it was stopped. Raises AppError."""

    def stop(self) -> None:
        """Ends what is done now, from any thread."""

    def close(self) -> None:
        """Lets everything go."""


def task_to_data(task: Task) -> dict[str, Any]:
    """What `task_from_data` reads."""
    lines = script_to_data(Script(task.item.lines))
    return {"file": str(task.item.file), "script": lines, "gain_db": task.gain_db, "measures": task.measures}


def task_from_data(data: Mapping[str, Any]) -> Task:
    """Raises ValueError, KeyError."""
    lines = script_from_data(data["script"]).lines
    return Task(PlannedFile(Path(data["file"]), lines), float(data["gain_db"]), bool(data["measures"]))


def measured_of(answer: Mapping[str, Any]) -> Measured:
    """What a worker has measured."""
    return Measured(tuple(answer["powers"]), answer["peak"], answer["seconds"])
