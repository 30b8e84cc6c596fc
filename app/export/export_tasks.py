"""The tasks and the interface of export workers: one settings a batch, one task a file; plain data for other processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from app.core.script.script import Script, find_cast_ids
from app.core.script.script_data import convert_script_to_data, parse_script
from app.core.synthesis_types import Float32
from app.core.text.dictionary_entries import DictionaryEntry
from app.core.text.dictionary_formats import convert_entries_to_data, parse_entries
from app.core.text.link_reading import LINK_READINGS, LinkReading
from app.engine.synthesis_jobs import JobTurn
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings, convert_settings_to_data, parse_settings_data
from app.settings.user_settings import GRAPH_PRECISIONS, PRECISION_CHOICES, GraphPrecision, PrecisionChoice

if TYPE_CHECKING:
    from app.export.export_renderer import FileRenderer, WrittenFile
    from app.export.loudness import LoudnessMeasurement


@dataclass(frozen=True, slots=True)
class VoiceOpening:
    """The way in which a voice is opened, whatever the machine that opens it would choose."""

    backend: str
    graph_precision: GraphPrecision
    bert_precision: PrecisionChoice

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> VoiceOpening:
        """Parse an opening; raise ValueError or KeyError."""
        graph, bert = data["graph_precision"], data["bert_precision"]
        if graph not in GRAPH_PRECISIONS or bert not in PRECISION_CHOICES:
            raise ValueError("precision")
        return VoiceOpening(str(data["backend"]), graph, bert)


@dataclass(frozen=True, slots=True)
class ReadingTerms:
    """The reading settings of the machine that asks; they and its dictionary replace those of the machine that speaks."""

    built_in_words: bool
    links: LinkReading
    memos_everywhere: bool

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> ReadingTerms:
        """Parse the choices; raise ValueError or KeyError."""
        if data["links"] not in LINK_READINGS:
            raise ValueError("links")
        return ReadingTerms(bool(data["built_in_words"]), data["links"], bool(data["memos_everywhere"]))


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """The settings that every file of a batch has in common."""

    export: ExportSettings
    voices: Mapping[str, str | None]  # what `open_speaker` takes, by the id that lines have
    words: tuple[DictionaryEntry, ...] = ()  # of the project, which count before the user's own
    backend: str = "auto"
    precision: str | None = None
    force_bert: bool = False
    # Of voices, by the same id, for which `backend` and `precision` do not count.
    openings: Mapping[str, VoiceOpening] = field(default_factory=dict)
    # For a batch of somebody else, whose `words` are all that count; None reads as the user of this machine chose.
    reading: ReadingTerms | None = None

    def convert_to_data(self) -> dict[str, Any]:
        return {
            "export": convert_settings_to_data(self.export),
            "voices": dict(self.voices),
            "words": convert_entries_to_data(self.words),
            "backend": self.backend,
            "precision": self.precision,
            "force_bert": self.force_bert,
            "openings": {voice: asdict(opening) for voice, opening in self.openings.items()},
            "reading": None if self.reading is None else asdict(self.reading),
        }

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> BatchSettings:
        """Parse the settings of a batch; raise ValueError or KeyError."""
        entries = parse_entries(data["words"])
        export = parse_settings_data(data["export"])
        openings = {voice: VoiceOpening.from_data(opening) for voice, opening in data["openings"].items()}
        reading = None if data["reading"] is None else ReadingTerms.from_data(data["reading"])
        return BatchSettings(export, data["voices"], entries, data["backend"], data["precision"], data["force_bert"], openings, reading)


# Compared by identity: by value, every line of the file would be gone through.
@dataclass(frozen=True, slots=True, eq=False)
class ExportTask:
    """A file to write with its sidecars, with a gain and the limiter after it or as it is, or only to measure."""

    item: PlannedFile
    gain_db: float | None = None
    is_measurement: bool = False
    recorded: tuple[Float32, int] | None = None  # samples `(T,)` and rate (Hz) of its one line when it was heard; written instead

    def run_with(self, renderer: FileRenderer, settings: ExportSettings) -> WrittenFile | LoudnessMeasurement | None:
        """Return what was written, or how loud it is; None if cancelled."""
        if self.recorded is not None:
            return renderer.write_recorded_file(self.item, settings, self.recorded)
        return renderer.measure_file(self.item) if self.is_measurement else renderer.write_file(self.item, settings, self.gain_db)

    def run_in_turn(self, settings: ExportSettings, turn: JobTurn) -> WrittenFile | LoudnessMeasurement | None:
        """Return as `run_with`, where the engine's voices are open."""
        from app.export.export_renderer import FileRenderer

        open_voices = turn.open_speaker, lambda line, speaker: find_cast_ids(line, speaker.pipeline.voice)
        return self.run_with(FileRenderer(*open_voices, turn.on_stage, turn.is_cancelled, turn.yield_to_urgent), settings)


class ExportWorker(Protocol):
    """Does one task after another."""

    def run_task(self, task: ExportTask) -> dict[str, Any]:
        """Return the row of a written file, or its measurement; empty if stopped. Raise AppError if it fails."""

    def stop_task(self) -> None:
        """Stop the present task; may be called from any thread."""

    def close(self) -> None:
        """Close everything that is open."""


def convert_task_to_data(task: ExportTask) -> dict[str, Any]:
    return {
        "file": str(task.item.file),
        "script": convert_script_to_data(Script(task.item.lines)),
        "characters": list(task.item.characters),
        "replaced_names": list(task.item.replaced_names),
        "gain_db": task.gain_db,
        "measures": task.is_measurement,
    }


def parse_task_data(data: Mapping[str, Any]) -> ExportTask:
    """Parse a task; raise ValueError or KeyError."""
    lines = parse_script(data["script"]).lines
    item = PlannedFile(Path(data["file"]), lines, characters=tuple(data["characters"]), replaced_names=tuple(data["replaced_names"]))
    gain = data["gain_db"]
    return ExportTask(item, None if gain is None else float(gain), bool(data["measures"]))
