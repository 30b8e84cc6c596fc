"""Works in this process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from app.adapters.openjtalk.project_words import PROJECT_WORDS
from app.adapters.openjtalk.reading_choices import READING_CHOICES
from app.export.export_renderer import FileRenderer, WrittenFile, find_ids_by_name
from app.export.export_tasks import BatchSettings, ExportTask, ReadingTerms
from app.export.loudness_data import convert_loudness_to_data
from app.export.loudness_stage import convert_written_to_data

if TYPE_CHECKING:
    from app.compose.speaker import Speaker


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
        self._open: OrderedDict[str, Speaker] = OrderedDict()
        self._renderer = FileRenderer(self._open_speaker, find_ids_by_name, is_cancelled=self._stopped.is_set)
        PROJECT_WORDS.entries = batch.words
        if batch.reading is not None:
            self._apply_reading(batch.reading)

    def run_task(self, task: ExportTask) -> dict[str, Any]:
        """Run a task, as any worker."""
        if task.is_measurement:
            measured = self._renderer.measure_file(task.item)
            return {} if measured is None else convert_loudness_to_data(measured)
        written = self._renderer.write_file(task.item, self._batch.export, task.gain_db)
        return {} if written is None else build_file_row(written)

    def stop_task(self) -> None:
        """Stop the present task, as any worker."""
        self._stopped.set()
        for speaker in list(self._open.values()):
            speaker.terminate()

    def close(self) -> None:
        """Close the worker, as any worker."""
        self._open.clear()
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

    def _open_speaker(self, voice: str) -> Speaker:
        from app.compose.speaker_opening import open_speaker

        found = self._open.pop(voice, None)
        if found is None:
            batch, like = self._batch, next(reversed(self._open.values()), None)
            own = batch.openings.get(voice)
            backend = batch.backend if own is None else own.backend
            sound: Any = batch.precision if own is None else own.graph_precision
            named = backend != "auto"
            found = open_speaker(
                batch.voices[voice],
                backend,
                precision=None if own is None else own.bert_precision,
                graph_precision=sound,
                force_bert=batch.force_bert,
                reuse_from=like,
                convert=named,
            )
            if named:
                found.wait_for_devices()
        self._open[voice] = found
        while len(self._open) > MAX_OPEN_EXPORT_VOICES:
            self._open.popitem(last=False)
        return found
