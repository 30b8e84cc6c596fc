"""One job on its way to sound, in the synthesis thread."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.pace_store import save_pace
from app.common.errors import AudioDeviceError
from app.core.line_requests import apply_cast
from app.core.phone_ids import count_marks, count_moras, map_phones_to_marks, map_phones_to_moras
from app.core.phrase_gate import PhraseGate
from app.core.stage_clock import OnStage
from app.core.synthesis_types import AudioChunk, SynthesisRequest
from app.engine.audio_player import AudioPlayer
from app.engine.synthesis_jobs import LinePosition, SpeechJob
from app.engine.synthesis_results import FirstAudioResult

if TYPE_CHECKING:
    from app.compose.speaker import Speaker
    from app.core.pipeline import Pipeline


class PositionSearch:
    """Looks at the chunks of a line one after the other."""

    def __init__(self, position: LinePosition) -> None:
        self._owners_of, self._count = (map_phones_to_moras, count_moras) if position.kind == "mora" else (map_phones_to_marks, count_marks)
        self._left = position.index
        self._made_s = 0.0
        self._spoken = False

    def search_chunk(self, chunk: AudioChunk) -> float | None:
        """Return the position in seconds from the beginning of the line, 0 if the voice reports no times, None while the position is still to come."""
        begins_s, self._made_s = self._made_s, self._made_s + len(chunk.samples) / chunk.sampling_rate
        if not chunk.phones:
            return None if chunk.silence or self._spoken else 0.0
        self._spoken = True
        names = [timing.phone for timing in chunk.phones]
        place, self._left = self._left, self._left - self._count(names)
        if self._left >= 0:
            return None
        return begins_s + chunk.phones[self._owners_of(names).index(place)].start_s


PROGRESS_SECONDS_PER_CHAR = 0.15  # of Japanese text as it is spoken, roughly: only for how far a file is


class SaveProgress:
    """Counts how much of a file is computed, by its letters.

    Args:
        letters: how many each of the requests has that go into the file.
    """

    def __init__(self, letters: Sequence[int]) -> None:
        self._letters, self._finished, self._made_s = letters, 0, 0.0

    def add_chunk(self, chunk: AudioChunk) -> float:
        """Return the share from 0 to 1 after one more chunk."""
        total = max(1, sum(self._letters))
        done = sum(self._letters[: self._finished])
        if chunk.last or self._finished == len(self._letters):
            self._finished, self._made_s = self._finished + 1, 0.0
            return sum(self._letters[: self._finished]) / total
        self._made_s += 0.0 if chunk.silence else len(chunk.samples) / chunk.sampling_rate
        within = min(0.95, self._made_s / (PROGRESS_SECONDS_PER_CHAR * max(1, self._letters[self._finished])))
        return (done + within * self._letters[self._finished]) / total


class SpeechJobRunner:
    """Computes the chunks of a job one after another and hands each over.

    Args:
        open_speaker: the open voice of an id.
        on_stage: called with each stage, between two of them.
        on_first_audio: called when the first chunk that is not silence is there.
        on_waiting: called when computing ends for now, and a sink may make us wait.

    Attributes:
        on_chunk: called with each chunk, before it is heard.
        prepares_first: nothing of a phrase is heard before all of it is there.
    """

    def __init__(
        self,
        job: SpeechJob,
        open_speaker: Callable[[str], Speaker],
        on_stage: OnStage,
        on_first_audio: Callable[[FirstAudioResult], None],
        on_waiting: Callable[[], None],
    ) -> None:
        self._job = job
        self._speaker_of = open_speaker
        self._on_stage = on_stage
        self._on_first_audio = on_first_audio
        self._on_waiting = on_waiting
        self._chunks: Iterator[AudioChunk] | None = None
        self._skipped_s = 0.0
        self._search = PositionSearch(job.position) if job.position is not None else None
        self._gate: PhraseGate | None = None
        self.prepares_first = False
        self.on_chunk: Callable[[AudioChunk], object] = lambda _chunk: None

    def queue_next_chunk(self, player: AudioPlayer) -> bool:
        """Compute and queue a chunk; return False if there was none left."""
        if self._chunks is None:
            self._gate = PhraseGate(pace=None, player=player, prepares_first=self.prepares_first)
            self._chunks = self._iterate_chunks(lambda: player.queued_s)
        try:
            chunk = next(self._chunks, None)
            self._on_waiting()
            if chunk is not None:
                # Untrimmed: progress counts from the beginning of the line, also where it is heard from its middle.
                self.on_chunk(chunk)
                heard = self._trim_to_start(chunk)
                assert self._gate is not None
                self._gate.add_chunk(heard, (len(chunk.samples) - len(heard.samples)) / chunk.sampling_rate)
                return True
        except AudioDeviceError:
            raise
        except BaseException:
            position = player.position
            if position is not None and position.request_id == self._job.request.id:  # else the line before may still be heard
                player.abort_output()
            raise
        if self._job.cancelled.is_set():
            player.abort_output()
        return False

    @property
    def is_holding(self) -> bool:
        """Return whether sound is kept back until it can be heard without gaps."""
        return self._gate is not None and self._gate.is_holding

    @property
    def waited_s(self) -> float:
        """Return how many seconds nothing was heard because sound was kept back."""
        return 0.0 if self._gate is None else self._gate.waited_s

    def _trim_to_start(self, chunk: AudioChunk) -> AudioChunk:
        """Return what of a chunk is to be heard when the line is not spoken from its beginning."""
        length_s = len(chunk.samples) / chunk.sampling_rate
        if self._search is not None and not self._job.found_start_s and (found_s := self._search.search_chunk(chunk)) is not None:
            self._job.found_start_s.append(found_s)
        sought = self._search is not None and not self._job.found_start_s
        left_s = length_s if sought else min(length_s, max(0.0, self._job.audible_start_s - self._skipped_s))
        self._skipped_s += left_s
        return replace(chunk, samples=chunk.samples[round(left_s * chunk.sampling_rate) :]) if left_s else chunk

    def save_file(self, path: Path, on_progress: Callable[[float], object]) -> None:
        """Compute the whole job into a file; remove the file if the job is cancelled or fails.

        Args:
            path: the file.
            on_progress: called after each chunk with the share that is computed, 0 to 1.
        """
        from app.compose.audio_outputs import open_sound_file  # the pipeline, which the window starts without
        from app.core.pipeline import report_empty_queue

        sink = open_sound_file(str(path), self._speaker_of(self._job.voice).pipeline.voice.sampling_rate)
        try:
            progress = SaveProgress([len(request.text) for request in (self._job.request, *self._job.following)])
            for chunk in self._iterate_chunks(report_empty_queue):
                sink.write_chunk(chunk)
                on_progress(progress.add_chunk(chunk))
            if not self._job.cancelled.is_set():
                sink.close()
        except BaseException:
            sink.abort_output()
            raise
        if self._job.cancelled.is_set():
            sink.abort_output()

    def _iterate_chunks(self, find_queued_s: Callable[[], float]) -> Iterator[AudioChunk]:
        job, heard = self._job, False
        if job.recorded is not None:
            yield from job.recorded.iterate_chunks(job.request.id, find_queued_s, job.cancelled.is_set)
            return
        for request, cast in itertools.zip_longest((job.request, *job.following), job.casts):
            pipeline = self._speaker_of(cast.voice if cast else "").pipeline
            if self._gate is not None:
                self._gate.pace = pipeline.pace
            asked = apply_cast(request, cast, pipeline.voice) if cast else request
            for chunk in self._iterate_request_chunks(pipeline, asked, find_queued_s):
                if not chunk.silence and not heard:
                    heard = True
                    self._on_first_audio(FirstAudioResult(job.request.id, (time.perf_counter() - job.requested_at) * 1000))
                yield chunk
            save_pace(pipeline.graphs_id, pipeline.pace)

    def _iterate_request_chunks(
        self, pipeline: Pipeline, request: SynthesisRequest, find_queued_s: Callable[[], float]
    ) -> Iterator[AudioChunk]:
        from app.core.silent_lines import synthesize_or_silence

        speak = partial(synthesize_or_silence, pipeline) if self._job.has_several_lines else pipeline.synthesize
        return speak(request, self._on_stage, self._job.cancelled.is_set, find_queued_s)
