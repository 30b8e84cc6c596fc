"""What was asked for and is not over yet."""

from __future__ import annotations

from collections.abc import Iterator

from app.adapters.play_position import PlayPosition
from app.ui.jobs import Job, OpenVoice, Speak
from app.ui.state import SpeechState


class Outstanding:
    """Belongs to the window's thread.

    Attributes:
        jobs: what the synthesis thread has not finished.
        spoken: to be heard, in order: the first sounds now, or will as soon as it is made.
    """

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.spoken: list[Speak] = []

    def __bool__(self) -> bool:
        """Something is computed, or heard."""
        return bool(self.jobs or self.spoken)

    @property
    def first_id(self) -> str:
        """Id of the request that sounds now, or will as soon as it is made; empty while nothing is spoken."""
        return self.spoken[0].request.id if self.spoken else ""

    def openings(self) -> list[OpenVoice]:
        """Voices that are opened, or will be."""
        return [job for job in self.jobs if isinstance(job, OpenVoice)]

    def files(self) -> list[Speak]:
        """What is written into files."""
        return [job for job in self.jobs if isinstance(job, Speak) and job.file is not None]

    def leave_out(self, job: Job) -> bool:
        """Takes a job out of what is to be heard; False where it was not in it."""
        before, self.spoken = self.spoken, [other for other in self.spoken if other is not job]
        return len(before) != len(self.spoken)

    def follow(self, position: PlayPosition | None) -> tuple[float, list[str]]:
        """Seconds heard of the request that sounds, and those that were heard to the end since, which are left out."""
        if position is None:  # what is made, but sounds no more, was lost with its device
            self.spoken = [job for job in self.spoken if job in self.jobs]
            return 0.0, []
        place = next((place for place, job in enumerate(self.spoken) if job.request.id == position.request_id), None)
        if place is None:
            return 0.0, []
        over = place + position.finished
        ended, self.spoken = self.spoken[:over], self.spoken[over:]
        played_s = 0.0 if position.finished else self.spoken[0].from_s + position.frames / position.sampling_rate
        return played_s, [job.request.id for job in ended]

    def state(self, ready: bool, played_s: float, made_s: float) -> SpeechState:
        """All of it as the window shows it; what was given up counts no more."""
        return SpeechState(
            ready=ready,
            loading=any(_wanted(self.openings())),
            speaking=bool(self.spoken),
            saving=any(_wanted(self.files())),
            request_id=self.first_id,
            played_s=played_s,
            made_s=made_s,
        )


def _wanted(jobs: list[OpenVoice] | list[Speak]) -> Iterator[bool]:
    return (not job.cancelled.is_set() for job in jobs)
