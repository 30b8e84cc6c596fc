"""A batch without a window: all files of a plan by workers side by side, each file once, in whatever order they come to it; one works here."""

import math
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.adapters.openjtalk.reading_choices import PROJECT_WORDS, READING_CHOICES
from app.common.errors import AppError, InternalError
from app.common.language import localize
from app.engine.open_voices import OpenVoices
from app.engine.voice_terms import VoiceTerms, create_opener
from app.export.export_plan import PlannedFile
from app.export.export_renderer import FileRenderer, WrittenFile, find_ids_by_name, is_single_line_error
from app.export.export_tasks import BatchSettings, ExportTask, ExportWorker
from app.export.loudness import LoudnessMeasurement, convert_loudness_to_data, convert_written_to_data, parse_loudness
from app.export.sidecar_formats import SpokenLine

BATCH_POLL_S = 0.05  # how soon Ctrl+C is noticed


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """The outcome of one task: an answer, or an error."""

    task: ExportTask
    answer: dict[str, Any]
    error: AppError | None = None


class ExportBatch:
    """Gives each worker its thread."""

    def __init__(self, make_worker: Callable[[], ExportWorker], jobs: int) -> None:
        self.failed: list[tuple[PlannedFile, AppError]] = []  # files that could not be made, each with why
        self.stopped = threading.Event()  # nothing more is begun: it was cancelled, or the disk is full
        self._workers = [make_worker() for _ in range(max(1, jobs))]

    def write_files(self, files: Sequence[PlannedFile], gains_db: Mapping[PlannedFile, float]) -> Iterator[TaskOutcome]:
        """Write the files, each with its gain; one without in `gains_db` stays as it is. Raise the error that ends the batch."""
        yield from self._run_tasks([ExportTask(item, gains_db.get(item)) for item in files])

    def measure_files(self, files: Sequence[PlannedFile]) -> dict[PlannedFile, LoudnessMeasurement]:
        """Measure the loudness of files without writing them; those that fail are left out, and listed in `failed`."""
        outcomes = self._run_tasks([ExportTask(item, is_measurement=True) for item in files])
        return {outcome.task.item: parse_loudness(outcome.answer) for outcome in outcomes}

    def stop_batch(self) -> None:
        """Stop the batch soon; may be called from any thread. Incomplete files are removed."""
        self.stopped.set()
        for worker in self._workers:
            worker.stop_task()

    def _run_tasks(self, tasks: Sequence[ExportTask]) -> Iterator[TaskOutcome]:
        """Yield successful outcomes as they come; keep failures, and raise one that is not for its file alone after all have ended."""
        waiting, outcomes = deque(tasks), queue.SimpleQueue[TaskOutcome | None]()
        threads = [
            threading.Thread(target=self._run_worker, args=(worker, waiting, outcomes), name="export")
            for worker in self._workers[: max(1, min(len(self._workers), len(tasks)))]
        ]
        for thread in threads:
            thread.start()
        fatal: AppError | None = None
        ended = 0
        while ended < len(threads):
            try:
                outcome = outcomes.get(timeout=BATCH_POLL_S)
            except queue.Empty:
                continue
            if outcome is None:
                ended += 1
            elif outcome.error is None:
                yield outcome
            else:
                self.failed.append((outcome.task.item, outcome.error))
                if not is_single_line_error(outcome.error):
                    fatal = fatal or outcome.error
                    self.stop_batch()
        if fatal is not None:
            raise fatal

    def _run_worker(self, worker: ExportWorker, waiting: deque[ExportTask], outcomes: queue.SimpleQueue[TaskOutcome | None]) -> None:
        try:
            while not self.stopped.is_set() and waiting:
                try:
                    task = waiting.popleft()
                except IndexError:
                    break
                try:
                    if answer := worker.run_task(task):
                        outcomes.put(TaskOutcome(task, answer))
                except AppError as error:
                    outcomes.put(TaskOutcome(task, {}, error))
                except Exception as exc:  # seen by the thread that asked
                    message = localize("予期しないエラーが発生しました。", "An unexpected error occurred.")
                    outcomes.put(TaskOutcome(task, {}, InternalError(message, f"{type(exc).__name__}: {exc}"[:500])))
        finally:
            outcomes.put(None)

    def close(self) -> None:
        for worker in self._workers:
            worker.close()


def build_file_row(result: WrittenFile) -> dict[str, Any]:
    """Return a row of the command-line contract; that of a file of several lines also names the lines."""
    spoken = result.spoken
    first = spoken.lines[0]
    row: dict[str, Any] = {"type": "file", "id": first.id, "file": str(result.file), "text": spoken.text} | _describe_speaker(first)
    row |= {"audio_s": spoken.length_s, "samples": spoken.samples, "rate": spoken.rate, "sidecars": list(map(str, result.sidecars))}
    if first.character:
        row["character"] = first.character
    if spoken.is_silent:
        row["silent"] = True
    if result.loudness is not None:
        row |= convert_written_to_data(result.loudness)
    if len(spoken.lines) > 1:
        row["lines"] = [
            {"id": line.id, "text": line.text}
            | _describe_speaker(line)
            | ({"character": line.character} if line.character else {})
            | {"start_s": line.start_s, "end_s": line.end_s}
            | ({"silent": True} if line.is_silent else {})
            for line in spoken.lines
        ]
    return row


def _describe_speaker(line: SpokenLine) -> dict[str, Any]:
    return {"voice": line.voice, "speaker": line.speaker, "style": line.style, "seed": line.seed}


MAX_OPEN_EXPORT_VOICES = 3


class LocalWorker:
    """Works in the thread that calls."""

    def __init__(self, batch: BatchSettings) -> None:
        self._batch = batch
        self._stop_event = threading.Event()
        self._voices = OpenVoices(create_opener(self._find_terms), max_voices=MAX_OPEN_EXPORT_VOICES, max_bytes=math.inf)
        self._renderer = FileRenderer(self._voices.open_speaker, find_ids_by_name, is_cancelled=self._stop_event.is_set)
        PROJECT_WORDS.entries = batch.words
        if (reading := batch.reading) is not None:
            PROJECT_WORDS.are_alone, choices = True, READING_CHOICES
            choices.built_in_words, choices.links, choices.memos_everywhere = (
                reading.built_in_words,
                reading.links,
                reading.memos_everywhere,
            )

    def run_task(self, task: ExportTask) -> dict[str, Any]:
        result = task.run_with(self._renderer, self._batch.export)
        if isinstance(result, LoudnessMeasurement):
            return convert_loudness_to_data(result)
        return {} if result is None else build_file_row(result)

    def stop_task(self) -> None:
        """Stop the present task, as any worker."""
        self._stop_event.set()
        self._voices.terminate_graphs()

    def close(self) -> None:
        self._voices.unload_voices()
        PROJECT_WORDS.entries = ()
        if self._batch.reading is not None:
            PROJECT_WORDS.are_alone = False
            READING_CHOICES.built_in_words = READING_CHOICES.links = READING_CHOICES.memos_everywhere = None

    def _find_terms(self, voice: str) -> VoiceTerms:
        batch, opening = self._batch, self._batch.openings.get(voice)
        backend = batch.backend if opening is None else opening.backend
        sound: Any = batch.precision if opening is None else opening.graph_precision
        is_chosen = backend != "auto"
        return VoiceTerms(
            batch.voices[voice],
            backend,
            None if opening is None else opening.bert_precision,
            sound,
            batch.force_bert,
            convert=is_chosen,
            waits_for_devices=is_chosen,
        )
