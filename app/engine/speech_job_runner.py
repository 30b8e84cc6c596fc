"""One job on its way to sound, in the synthesis thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from app.adapters.pace_store import save_pace
from app.common.errors import AudioDeviceError
from app.core.script.line_requests import LineCast, apply_cast
from app.core.sound.phrase_gate import PhraseGate
from app.core.sound.stage_clock import OnStage
from app.core.synthesis_types import AudioChunk, SynthesisRequest
from app.core.text.phone_ids import count_marks, count_moras, map_phones_to_marks, map_phones_to_moras
from app.engine.audio_player import AudioPlayer
from app.engine.synthesis_jobs import LinePosition, SpeechJob
from app.engine.synthesis_results import FirstAudioResult

if TYPE_CHECKING:
    from app.compose.speaker import Speaker
    from app.core.sound.pipeline import Pipeline


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


def iterate_cast_chunks(
    pipeline: Pipeline,
    request: SynthesisRequest,
    cast: LineCast | None,
    on_stage: OnStage,
    is_cancelled: Callable[[], bool],
    find_queued_s: Callable[[], float] = lambda: 0.0,
    *,
    may_be_silent: bool,
) -> Iterator[AudioChunk]:
    """Yield the sound of a request, and keep the pace that the voice spoke at.

    Args:
        cast: who speaks it; None where the request has the ids of the voice.
        find_queued_s: returns the seconds of sound that wait to be heard.
        may_be_silent: a text in which nothing can be read is silent; else it is an error.
    """
    from app.core.sound.silent_lines import synthesize_or_silence

    speak = partial(synthesize_or_silence, pipeline) if may_be_silent else pipeline.synthesize
    yield from speak(apply_cast(request, cast, pipeline.voice) if cast else request, on_stage, is_cancelled, find_queued_s)
    save_pace(pipeline.graphs_id, pipeline.pace)


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

    def _iterate_chunks(self, find_queued_s: Callable[[], float]) -> Iterator[AudioChunk]:
        job, heard = self._job, False
        if job.recorded is not None:
            yield from job.recorded.iterate_chunks(job.request.id, find_queued_s, job.cancelled.is_set)
            return
        pipeline = self._speaker_of(job.voice).pipeline
        if self._gate is not None:
            self._gate.pace = pipeline.pace
        for chunk in iterate_cast_chunks(
            pipeline, job.request, job.cast, self._on_stage, job.cancelled.is_set, find_queued_s, may_be_silent=job.may_be_silent
        ):
            if not chunk.silence and not heard:
                heard = True
                self._on_first_audio(FirstAudioResult(job.request.id, (time.perf_counter() - job.requested_at) * 1000))
            yield chunk
