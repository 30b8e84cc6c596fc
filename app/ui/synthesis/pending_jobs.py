"""What was asked for and is not over yet, and how far it is."""

from __future__ import annotations

from collections.abc import Iterator

from app.adapters.portaudio.play_position import PlayPosition
from app.core.types import AudioChunk
from app.ui.synthesis.jobs import ExportFile, Job, OpenVoice, RenderTake, Speak
from app.ui.synthesis.state import SpeechState


class PendingJobs:
    """Belongs to the window's thread.

    Attributes:
        jobs: what the synthesis thread has not finished.
        spoken: to be heard, in order: the first sounds now, or will as soon as it is made.
    """

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.spoken: list[Speak] = []
        self._made_s: dict[str, float] = {}  # sound so far, by request
        self._made: set[str] = set()

    def __bool__(self) -> bool:
        """Something is computed, or heard."""
        return bool(self.jobs or self.spoken)

    def find(self, request_id: str) -> Speak | None:
        """The job of a request that is computed or heard."""
        speaking = (job for job in (*self.spoken, *self.jobs) if isinstance(job, Speak))
        return next((job for job in speaking if job.request.id == request_id), None)

    def openings(self) -> list[OpenVoice]:
        """Voices that are opened, or will be."""
        return [job for job in self.jobs if isinstance(job, OpenVoice)]

    def files(self) -> list[Speak]:
        """What is written into files."""
        return [job for job in self.jobs if isinstance(job, Speak) and job.file is not None]

    def exports(self) -> list[ExportFile]:
        """Files of a batch."""
        return [job for job in self.jobs if isinstance(job, ExportFile)]

    def takes(self) -> list[RenderTake]:
        """Takes that are made, or will be."""
        return [job for job in self.jobs if isinstance(job, RenderTake)]

    def add_sound(self, chunk: AudioChunk) -> None:
        """More of a request was made; silence around it is not counted."""
        if not chunk.silence:
            made_s = len(chunk.samples) / chunk.sampling_rate
            self._made_s[chunk.request_id] = self.made_s(chunk.request_id) + made_s

    def made_s(self, request_id: str) -> float:
        """Seconds of sound of a request so far."""
        return self._made_s.get(request_id, 0.0)

    def mark_made(self, job: Speak) -> None:
        """All sound of a job was made."""
        self._made.add(job.request.id)

    def ahead_s(self, played_s: float) -> float | None:
        """Seconds of sound that wait to be heard; None while some of what is to be heard is still being made."""
        if any(job.request.id not in self._made for job in self.spoken):
            return None
        return sum(self.made_s(job.request.id) for job in self.spoken) - played_s

    def take_spoken(self) -> list[Speak]:
        """Takes out all that was to be heard."""
        taken, self.spoken = self.spoken, []
        return taken

    def leave_out(self, job: object) -> bool:
        """Takes a job out of what is to be heard; False where it was not in it."""
        before, self.spoken = self.spoken, [other for other in self.spoken if other is not job]
        return len(before) != len(self.spoken)

    def finish(self, job: Job) -> None:
        """The synthesis thread is done with a job."""
        if job in self.jobs:
            self.jobs.remove(job)
        left = {item.request.id for item in (*self.jobs, *self.spoken) if isinstance(item, Speak)}
        self._made &= left
        self._made_s = {name: made_s for name, made_s in self._made_s.items() if name in left}

    def follow(self, position: PlayPosition) -> tuple[float, list[Speak]]:
        """Seconds heard of the job that sounds, and those that were heard to the end since, which are left out."""
        place = next((place for place, job in enumerate(self.spoken) if job.request.id == position.request_id), None)
        if place is None:
            return 0.0, []
        over = place + position.finished
        ended, self.spoken = self.spoken[:over], self.spoken[over:]
        played_s = 0.0 if position.finished else self.spoken[0].begins_s + position.frames / position.sampling_rate
        return played_s, ended

    def lose_sound(self) -> list[Speak]:
        """The device is gone, and with it what was made but not heard; what is still computed will find another one."""
        lost = [job for job in self.spoken if job not in self.jobs]
        self.spoken = [job for job in self.spoken if job in self.jobs]
        return lost

    def state(self, ready: bool, played_s: float) -> SpeechState:
        """All of it as the window shows it; what was given up counts no more."""
        first_id = self.spoken[0].request.id if self.spoken else ""
        return SpeechState(
            ready=ready,
            loading=any(_wanted(self.openings())),
            speaking=bool(self.spoken),
            saving=any(_wanted(self.files())),
            request_id=first_id,
            played_s=played_s,
            made_s=self.made_s(first_id),
        )


def _wanted(jobs: list[OpenVoice] | list[Speak]) -> Iterator[bool]:
    return (not job.cancelled.is_set() for job in jobs)
