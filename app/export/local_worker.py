"""Works in this process."""

from __future__ import annotations

import math
import threading
from typing import Any

from app.adapters.openjtalk.project_words import PROJECT_WORDS
from app.adapters.openjtalk.reading_choices import READING_CHOICES
from app.engine.open_voices import OpenVoices
from app.engine.voice_terms import VoiceTerms, create_opener
from app.export.export_renderer import FileRenderer, WrittenFile, find_ids_by_name
from app.export.export_tasks import BatchSettings, ExportTask, ReadingTerms
from app.export.loudness import LoudnessMeasurement, convert_loudness_to_data
from app.export.loudness_meter import convert_written_to_data


def build_file_row(result: WrittenFile) -> dict[str, Any]:
    """Return a row of the command-line contract; that of a file of several lines also names the lines."""
    spoken = result.spoken
    first = spoken.lines[0]
    row: dict[str, Any] = {
        "type": "file",
        "id": first.id,
        "file": str(result.file),
        "text": spoken.text,
        "voice": first.voice,
        "speaker": first.speaker,
        "style": first.style,
        "seed": first.seed,
        "audio_s": spoken.length_s,
        "samples": spoken.samples,
        "rate": spoken.rate,
        "sidecars": [str(path) for path in result.sidecars],
    }
    if first.character:
        row["character"] = first.character
    if spoken.is_silent:
        row["silent"] = True
    if result.loudness is not None:
        row |= convert_written_to_data(result.loudness)
    if len(spoken.lines) > 1:
        row["lines"] = [
            {"id": line.id, "text": line.text, "voice": line.voice, "speaker": line.speaker, "style": line.style, "seed": line.seed}
            | ({"character": line.character} if line.character else {})
            | {"start_s": line.start_s, "end_s": line.end_s}
            | ({"silent": True} if line.is_silent else {})
            for line in spoken.lines
        ]
    return row


MAX_OPEN_EXPORT_VOICES = 3


class LocalWorker:
    """Works in the thread that calls."""

    def __init__(self, batch: BatchSettings) -> None:
        self._batch = batch
        self._stopped = threading.Event()
        self._voices = OpenVoices(create_opener(self._find_terms), max_voices=MAX_OPEN_EXPORT_VOICES, max_bytes=math.inf)
        self._renderer = FileRenderer(self._voices.open_speaker, find_ids_by_name, is_cancelled=self._stopped.is_set)
        PROJECT_WORDS.entries = batch.words
        if batch.reading is not None:
            self._apply_reading(batch.reading)

    def run_task(self, task: ExportTask) -> dict[str, Any]:
        """Run a task, as any worker."""
        result = task.run_with(self._renderer, self._batch.export)
        if isinstance(result, LoudnessMeasurement):
            return convert_loudness_to_data(result)
        return {} if result is None else build_file_row(result)

    def stop_task(self) -> None:
        """Stop the present task, as any worker."""
        self._stopped.set()
        self._voices.terminate_graphs()

    def close(self) -> None:
        """Close the worker, as any worker."""
        self._voices.unload_voices()
        PROJECT_WORDS.entries = ()
        if self._batch.reading is not None:
            PROJECT_WORDS.are_alone = False
            READING_CHOICES.built_in_words = READING_CHOICES.links = READING_CHOICES.memos_everywhere = None

    @staticmethod
    def _apply_reading(terms: ReadingTerms) -> None:
        PROJECT_WORDS.are_alone = True
        READING_CHOICES.built_in_words = terms.built_in_words
        READING_CHOICES.links = terms.links
        READING_CHOICES.memos_everywhere = terms.memos_everywhere

    def _find_terms(self, voice: str) -> VoiceTerms:
        batch, own = self._batch, self._batch.openings.get(voice)
        backend = batch.backend if own is None else own.backend
        sound: Any = batch.precision if own is None else own.graph_precision
        named = backend != "auto"
        return VoiceTerms(
            batch.voices[voice],
            backend,
            None if own is None else own.bert_precision,
            sound,
            batch.force_bert,
            convert=named,
            waits_for_devices=named,
        )
