"""One line on its way to sound, in the engine's thread, until it was heard; and speech that goes into one sound file."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.pace_store import save_pace
from app.adapters.speech_activity import record_speech
from app.common.errors import AudioDeviceError
from app.core.script.script import LineCast, apply_cast
from app.core.sound.phrase_gate import PhraseGate
from app.core.sound.stage_clock import OnStage
from app.core.sound.waveform import create_silence
from app.core.synthesis_types import AudioChunk, SynthesisRequest
from app.core.text.phone_ids import count_marks, count_moras, map_phones_to_marks, map_phones_to_moras
from app.engine.job_handlers import RunningJob
from app.engine.open_voices import OpenVoices
from app.engine.output_device import AudioPlayer, OutputDevice
from app.engine.synthesis_jobs import (
    ComputeJob,
    FirstAudioResult,
    JobResult,
    JobTurn,
    LinePosition,
    ReportEvent,
    SpeechJob,
    SynthesisResult,
)

if TYPE_CHECKING:
    from app.core.sound.pipeline import Pipeline

PROGRESS_SECONDS_PER_CHAR = 0.15  # of Japanese text as it is spoken, roughly: only for how far a file is


class PositionSearch:
    """Looks at the chunks of a line one after the other."""

    def __init__(self, position: LinePosition) -> None:
        self._owners_of, self._count = (map_phones_to_moras, count_moras) if position.kind == "mora" else (map_phones_to_marks, count_marks)
        self._units_left = position.index
        self._made_s = 0.0
        self._has_spoken = False

    def search_chunk(self, chunk: AudioChunk) -> float | None:
        """Return the position in seconds from the beginning of the line, 0 if the voice reports no times, None while the position is still to come."""
        begins_s, self._made_s = self._made_s, self._made_s + len(chunk.samples) / chunk.sampling_rate
        if not chunk.phones:
            return None if chunk.silence or self._has_spoken else 0.0
        self._has_spoken = True
        names = [timing.phone for timing in chunk.phones]
        index, self._units_left = self._units_left, self._units_left - self._count(names)
        if self._units_left >= 0:
            return None
        return begins_s + chunk.phones[self._owners_of(names).index(index)].start_s


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
    from app.core.sound.pipeline import synthesize_or_silence

    if cast is not None and cast.blend is not None:
        pipeline = replace(pipeline, voice=pipeline.voice.add_blend(cast.blend))
    speak = partial(synthesize_or_silence, pipeline) if may_be_silent else pipeline.synthesize
    yield from speak(apply_cast(request, cast, pipeline.voice) if cast else request, on_stage, is_cancelled, find_queued_s)
    save_pace(pipeline.graphs_id, pipeline.pace)


class SpeechJobRunner:
    """Computes the chunks of a job one after another and hands each over.

    Args:
        report: called with each chunk before it is heard, and when the first one that is not silence is there.
        prepares_first: nothing of a phrase is heard before all of it is there.
    """

    def __init__(self, job: SpeechJob, voices: OpenVoices, running_job: RunningJob, report: ReportEvent, *, prepares_first: bool) -> None:
        self.job, self._voices, self._running_job, self._report = job, voices, running_job, report
        self._prepares_first = prepares_first
        self._chunks: Iterator[AudioChunk] | None = None
        self._skipped_s = 0.0
        self._search = PositionSearch(job.position) if job.position is not None else None
        self._gate: PhraseGate | None = None

    def queue_next_chunk(self, player: AudioPlayer) -> bool:
        """Compute and queue a chunk; return False if there was none left."""
        if self._chunks is None:
            self._gate = PhraseGate(pace=None, player=player, prepares_first=self._prepares_first)
            self._chunks = self._iterate_chunks(lambda: player.queued_s)
        try:
            chunk = next(self._chunks, None)
            self._running_job.stop_stage_clock()  # the player may make us wait
            if chunk is not None:
                # Untrimmed: progress counts from the beginning of the line, also where it is heard from its middle.
                self._report(chunk)
                audible = self._replace_pause(self._trim_to_start(chunk))
                assert self._gate is not None
                self._gate.add_chunk(audible, (len(chunk.samples) - len(audible.samples)) / chunk.sampling_rate)
                return True
        except AudioDeviceError:
            raise
        except BaseException:
            position = player.position
            if position is not None and position.request_id == self.job.request.id:  # else the line before may still be heard
                player.abort_output()
            raise
        if self.job.cancelled.is_set():
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
        length_s = len(chunk.samples) / chunk.sampling_rate
        if self._search is not None and not self.job.found_start_s and (found_s := self._search.search_chunk(chunk)) is not None:
            self.job.found_start_s.append(found_s)
        sought = self._search is not None and not self.job.found_start_s
        left_s = length_s if sought else min(length_s, max(0.0, self.job.audible_start_s - self._skipped_s))
        self._skipped_s += left_s
        return replace(chunk, samples=chunk.samples[round(left_s * chunk.sampling_rate) :]) if left_s else chunk

    def _replace_pause(self, chunk: AudioChunk) -> AudioChunk:
        if self.job.pause_s is None or not (chunk.silence and chunk.last):
            return chunk
        return replace(chunk, samples=create_silence(self.job.pause_s, chunk.sampling_rate))

    def _iterate_chunks(self, find_queued_s: Callable[[], float]) -> Iterator[AudioChunk]:
        job, is_heard = self.job, False
        if job.recorded is not None:
            yield from job.recorded.iterate_chunks(job.request.id, find_queued_s, job.cancelled.is_set)
            return
        pipeline = self._voices.open_speaker(job.voice).pipeline
        if self._gate is not None:
            self._gate.pace = pipeline.pace
        for chunk in iterate_cast_chunks(
            pipeline,
            job.request,
            job.cast,
            self._running_job.report_stage,
            job.cancelled.is_set,
            find_queued_s,
            may_be_silent=job.may_be_silent,
        ):
            if not chunk.silence and not is_heard:
                is_heard = True
                self._report(FirstAudioResult(job.request.id, (time.perf_counter() - job.requested_at) * 1000))
            yield chunk


class PlaybackRunner:
    """The line that is computed, or else the one that sounds. Belongs to the synthesis thread, but for its attribute and `is_holding`."""

    def __init__(self, report: ReportEvent, running_job: RunningJob, voices: OpenVoices, output: OutputDevice) -> None:
        self._report, self._running_job, self._voices, self._output = report, running_job, voices, output
        self._runner: SpeechJobRunner | None = None
        self._audible_job: SpeechJob | None = None  # computed, and perhaps not heard yet
        self._is_reported = False  # whether its result was reported early, because other work came
        self.prepares_first = False  # from the next line on, nothing of a phrase is heard before all of it is there

    @property
    def is_begun(self) -> bool:
        """Return whether part of the line was computed and more is to come."""
        return self._runner is not None

    @property
    def is_sounding(self) -> bool:
        """Return whether a computed line is being watched while it sounds."""
        return self._audible_job is not None

    @property
    def is_holding(self) -> bool:
        """Return whether sound of the line is kept back until it can be heard without gaps."""
        rendering = self._runner  # read once: other threads look
        return rendering is not None and rendering.is_holding

    def advance_job(self, job: SpeechJob) -> bool:
        """Compute and queue the next chunk; return False if there was none left or if it failed."""
        more = self._running_job.run_part(job, lambda: self._compute_chunk(job))
        if more:
            return True
        self._runner = None
        if more is None or job.cancelled.is_set():
            self._report(JobResult(job, False))
        else:
            self._audible_job, self._is_reported = job, False
        return False

    def watch_playback(self, is_interrupted: Callable[[], bool]) -> None:
        """Watch the device while it plays, until there is other work."""
        job = self._audible_job
        if job is None:
            return

        def wait_for_end() -> bool:
            self._running_job.stop_stage_clock()
            return self._output.wait_until_played(should_stop)

        def should_stop() -> bool:
            record_speech()
            return job.cancelled.is_set() or is_interrupted()

        has_played = self._running_job.run_part(job, wait_for_end)
        # Interrupted, the line is not over: its result follows once it has sounded, or when other work comes first.
        if has_played or has_played is None or not is_interrupted():
            self._report_result(has_played is not None)
            self._audible_job = None

    def stop_watching(self) -> None:
        """Report the line that sounds as done, since other work comes; a device that is lost before its end is still reported, when watched next."""
        self._report_result(True)

    def check_device(self) -> None:
        """Report a device that was lost while sound waits and other work is done; does not wait."""
        job = self._audible_job if self._runner is None else self._runner.job
        if job is not None and self._output.queued_s:
            self._running_job.run_part(job, self._output.replace_lost_device)

    def _report_result(self, has_succeeded: bool) -> None:
        job, was_reported, self._is_reported = self._audible_job, self._is_reported, True
        if job is not None and not was_reported:
            self._report(JobResult(job, has_succeeded and not job.cancelled.is_set()))

    def _compute_chunk(self, job: SpeechJob) -> bool:
        record_speech()
        if self._runner is None:
            self._audible_job = None  # the end of its sound is not waited for any more
            self._runner = SpeechJobRunner(job, self._voices, self._running_job, self._report, prepares_first=self.prepares_first)
        player = self._output.ensure_open(
            job.recorded.rate if job.recorded else self._voices.open_speaker(job.voice).pipeline.voice.sampling_rate
        )
        try:
            if self._runner.queue_next_chunk(player):
                return True
        except AudioDeviceError:
            # Closed, so that the next line opens a device instead of failing on the one that is gone.
            self._output.close()
            raise
        self._report(SynthesisResult(job.request.id, job.cancelled.is_set(), self._runner.waited_s))
        return False


class SaveProgress:
    """Counts how much of a file is computed, by the `letters` of each of its requests."""

    def __init__(self, letters: Sequence[int]) -> None:
        self._letters, self._requests, self._sound_s = letters, 0, 0.0

    def add_chunk(self, chunk: AudioChunk) -> float:
        """Return the share from 0 to 1 after one more chunk."""
        total = max(1, sum(self._letters))
        letters_before = sum(self._letters[: self._requests])
        if chunk.last or self._requests == len(self._letters):
            self._requests, self._sound_s = self._requests + 1, 0.0
            return sum(self._letters[: self._requests]) / total
        self._sound_s += 0.0 if chunk.silence else len(chunk.samples) / chunk.sampling_rate
        share = min(0.95, self._sound_s / (PROGRESS_SECONDS_PER_CHAR * max(1, self._letters[self._requests])))
        return (letters_before + share * self._letters[self._requests]) / total


@dataclass(frozen=True, slots=True, eq=False)
class SpeechFile:
    """Requests whose sound goes into one file, one after the other."""

    file: Path
    requests: tuple[SynthesisRequest, ...]
    casts: tuple[LineCast, ...] = ()  # who speaks each of them; without them it is the voice we ship, and the requests have the ids
    may_be_silent: bool = False  # requests in which nothing can be read are silent; else they are an error

    def write_file(self, turn: JobTurn) -> Path | None:
        """Compute the whole file and return it; None if cancelled. A file that is cancelled or fails is removed."""
        from app.compose.audio_outputs import open_sound_file  # the pipeline, which the window starts without

        voices = [cast.voice for cast in self.casts] or [""]
        sink = open_sound_file(str(self.file), turn.open_speaker(voices[0]).pipeline.voice.sampling_rate)
        progress = SaveProgress([len(request.text) for request in self.requests])
        try:
            for request, cast in itertools.zip_longest(self.requests, self.casts):
                pipeline = turn.open_speaker(cast.voice if cast else "").pipeline
                for chunk in iterate_cast_chunks(
                    pipeline, request, cast, turn.on_stage, turn.is_cancelled, may_be_silent=self.may_be_silent
                ):
                    sink.write_chunk(chunk)
                    turn.report_progress(progress.add_chunk(chunk))
            if not turn.is_cancelled():
                sink.close()
                return self.file
        except BaseException:
            sink.abort_output()
            raise
        sink.abort_output()
        return None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SaveJob(ComputeJob[Path]):
    """Write speech into a file."""

    speech: SpeechFile = field(default_factory=lambda: SpeechFile(Path(), ()))
