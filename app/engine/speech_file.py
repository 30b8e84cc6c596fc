"""Speech that goes into one sound file."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.core.script.line_requests import LineCast
from app.core.synthesis_types import AudioChunk, SynthesisRequest
from app.engine.speech_job_runner import iterate_cast_chunks
from app.engine.synthesis_jobs import ComputeJob, JobTurn

PROGRESS_SECONDS_PER_CHAR = 0.15  # of Japanese text as it is spoken, roughly: only for how far a file is


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
    """Requests whose sound goes into one file, one after the other.

    Attributes:
        casts: who speaks each of them; without them it is the voice we ship, and the requests have the ids.
        may_be_silent: requests in which nothing can be read are silent; else they are an error.
    """

    file: Path
    requests: tuple[SynthesisRequest, ...]
    casts: tuple[LineCast, ...] = ()
    may_be_silent: bool = False

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
