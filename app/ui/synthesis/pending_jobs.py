"""The jobs that are not over yet, their progress, and the state of synthesis and playback that the window shows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from app.adapters.portaudio.sample_ring import PlayPosition
from app.core.synthesis_types import AudioChunk
from app.engine.speech_job_runner import SaveJob
from app.engine.synthesis_jobs import ComputeJob, Importance, OpenVoiceJob, SpeechJob, SynthesisJob


@dataclass(frozen=True, slots=True)
class SpeechState:
    """The state of synthesis and playback."""

    is_ready: bool = False
    is_loading: bool = False
    is_speaking: bool = False
    is_preparing: bool = False  # nothing sounds because a phrase is kept back until it can be heard without gaps
    is_saving: bool = False
    is_comment: bool = False  # nothing sounds but comments, which yield to whatever the user plays
    request_id: str = ""  # the request that sounds now, or the one that will as soon as it is made; empty while nothing is spoken
    played_s: float = 0.0  # played_s, computed_s: of the line that is spoken now, in seconds of sound
    computed_s: float = 0.0

    @property
    def is_playing(self) -> bool:
        """Return whether something sounds that the user asked for, so that the play button stops it."""
        return self.is_speaking and not self.is_comment


class PendingJobs:
    """Belongs to the window's thread."""

    def __init__(self) -> None:
        self.jobs: list[SynthesisJob] = []
        self.spoken: list[SpeechJob] = []  # to be heard, in order: the first sounds now, or will as soon as it is made
        self._made_s: dict[str, float] = {}
        self._computed_ids: set[str] = set()

    def __bool__(self) -> bool:
        """Return whether sound is being computed or heard."""
        return bool(self.jobs or self.spoken)

    def find_job(self, request_id: str) -> SpeechJob | None:
        """Return the job of a request that is computed or heard, or None."""
        speaking = (job for job in (*self.spoken, *self.jobs) if isinstance(job, SpeechJob))
        return next((job for job in speaking if job.request.id == request_id), None)

    def list_openings(self) -> list[OpenVoiceJob]:
        """Return the voices that are being opened, or will be."""
        return [job for job in self.jobs if isinstance(job, OpenVoiceJob)]

    def list_save_jobs(self) -> list[SaveJob]:
        """Return what is written into files of its own."""
        return [job for job in self.jobs if isinstance(job, SaveJob)]

    def list_computations(self, importance: Importance) -> list[ComputeJob[Any]]:
        """Return the takes that are being rendered, or will be, or the files that are written."""
        return [job for job in self.jobs if isinstance(job, ComputeJob) and job.importance is importance]

    def add_sound(self, chunk: AudioChunk) -> None:
        """Add sound computed for a request; silence around it is not counted."""
        if not chunk.silence:
            made_s = len(chunk.samples) / chunk.sampling_rate
            self._made_s[chunk.request_id] = self.count_computed_s(chunk.request_id) + made_s

    def count_computed_s(self, request_id: str) -> float:
        """Return the seconds of sound computed for a request so far."""
        return self._made_s.get(request_id, 0.0)

    def mark_computed(self, job: SpeechJob) -> None:
        """Mark a job whose sound is complete."""
        self._computed_ids.add(job.request.id)

    def count_queued_s(self, played_s: float) -> float | None:
        """Return the seconds of sound that wait to be heard, or None while some of it is still being computed."""
        if any(job.request.id not in self._computed_ids for job in self.spoken):
            return None
        return sum(self.count_computed_s(job.request.id) for job in self.spoken) - played_s

    def take_spoken(self) -> list[SpeechJob]:
        """Remove and return all audible jobs."""
        jobs, self.spoken = self.spoken, []
        return jobs

    def remove_spoken(self, job: object) -> bool:
        """Remove a job from the audible ones; return False if it was not among them."""
        previous_jobs, self.spoken = self.spoken, [other for other in self.spoken if other is not job]
        return len(previous_jobs) != len(self.spoken)

    def finish_job(self, job: SynthesisJob) -> None:
        """Remove a job that the synthesis thread has finished."""
        if job in self.jobs:
            self.jobs.remove(job)
        # A computed line may still sound, and its bar needs the length until it has left `spoken` as well.
        remaining_ids = {item.request.id for item in (*self.jobs, *self.spoken) if isinstance(item, SpeechJob)}
        self._computed_ids &= remaining_ids
        self._made_s = {name: made_s for name, made_s in self._made_s.items() if name in remaining_ids}

    def advance_playback(self, position: PlayPosition) -> tuple[float, list[SpeechJob]]:
        """Return the seconds heard of the present job, and the jobs that were heard to the end since, which are removed."""
        index = next((index for index, job in enumerate(self.spoken) if job.request.id == position.request_id), None)
        if index is None:
            return 0.0, []
        # The device names only the present request, so short ones before it may have passed between two looks.
        ended_count = index + position.is_finished
        ended, self.spoken = self.spoken[:ended_count], self.spoken[ended_count:]
        played_s = 0.0 if position.is_finished else self.spoken[0].audible_start_s + position.frames / position.sampling_rate
        return played_s, ended

    def drop_lost_sound(self) -> list[SpeechJob]:
        """Remove and return the jobs computed but not heard, after the device was lost; jobs still being computed will find another device."""
        lost = [job for job in self.spoken if job not in self.jobs]
        self.spoken = [job for job in self.spoken if job in self.jobs]
        return lost

    def build_state(self, is_ready: bool, played_s: float, *, is_preparing: bool = False) -> SpeechState:
        """Return the state that the window shows; cancelled jobs do not count."""
        first_id = self.spoken[0].request.id if self.spoken else ""
        return SpeechState(
            is_ready=is_ready,
            is_loading=any(_iterate_wanted(self.list_openings())),
            is_speaking=bool(self.spoken),
            is_preparing=is_preparing,
            is_saving=any(_iterate_wanted(self.list_save_jobs())),
            is_comment=bool(self.spoken) and all(job.is_comment for job in self.spoken),
            request_id=first_id,
            played_s=played_s,
            computed_s=self.count_computed_s(first_id),
        )


def _iterate_wanted(jobs: list[OpenVoiceJob] | list[SaveJob]) -> Iterator[bool]:
    return (not job.cancelled.is_set() for job in jobs)
