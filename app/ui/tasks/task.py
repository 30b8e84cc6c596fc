"""Long work in values: what is to be done, how far it is, and what has to be agreed to first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum


class Stage(Enum):
    """How far a job is. `ASKING`: it waits for the user."""

    WAITING = "waiting"
    RUNNING = "running"
    ASKING = "asking"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


TELLING_S, TELLING_PERCENT = 3.0, 10  # from here on the past of a work says something of what is left

OVER = (Stage.DONE, Stage.FAILED, Stage.CANCELLED)


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """Work for a job. Who needs more of it when the job has ended inherits this class, and adds what that is.

    Attributes:
        title: for people.
        arguments: of our command line, without `--json`.
        quiet: it is neither shown nor announced unless it fails.
        done_codes: exit codes of work that was done; what it found may be bad news.
    """

    title: str
    arguments: tuple[str, ...]
    quiet: bool = False
    done_codes: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class Advance:
    """Where a job is; of a download also bytes and seconds, and what it waits for, as a sentence."""

    step: str = ""
    percent: int = 0
    received: int | None = None
    total: int | None = None
    bytes_per_s: float | None = None
    seconds_left: float | None = None
    waiting: str = ""


def with_time_left(advance: Advance, elapsed_s: float) -> Advance:
    """What does not report how long it still takes is taken to continue at its pace so far, once that says something."""
    if advance.seconds_left is not None or elapsed_s < TELLING_S or not TELLING_PERCENT <= advance.percent < 100:
        return advance
    return replace(advance, seconds_left=elapsed_s * (100 - advance.percent) / advance.percent)


@dataclass(frozen=True, slots=True)
class LicenceText:
    """A licence that has to be accepted first."""

    voice_id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Complaint:
    """What went wrong, and the options of our command line that would decide it."""

    message: str
    hint: str
    ways: tuple[str, ...] = ()
