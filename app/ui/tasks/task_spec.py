"""Values of long tasks: the command, its progress, its errors and licences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum


class TaskState(Enum):
    """The state of a job; `ASKING` means that it waits for the user."""

    WAITING = "waiting"
    RUNNING = "running"
    ASKING = "asking"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


TELLING_S, TELLING_PERCENT = 3.0, 10  # after 3 s and 10 % the pace so far predicts the rest; earlier it says little

FINISHED_STATES = (TaskState.DONE, TaskState.FAILED, TaskState.CANCELLED)


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A task for a job; a subclass adds the values that its result handler needs."""

    title: str
    arguments: tuple[str, ...]  # of our command line, without `--json`
    quiet: bool = False  # neither shown nor announced unless it fails
    done_codes: tuple[int, ...] = (0,)  # exit codes that count as done; the result may still be bad news
    is_background: bool = False  # runs while there is no other task, and yields to any that comes; closing the window asks nothing


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """The progress of a job; a download also has bytes and seconds, and in `waiting` a sentence that says why it waits."""

    step: str = ""
    percent: int = 0
    received: float | None = None
    total: float | None = None
    bytes_per_s: float | None = None
    seconds_left: float | None = None
    waiting: str = ""


def estimate_time_left(progress: TaskProgress, elapsed_s: float) -> TaskProgress:
    """Estimate the seconds left from the pace so far, for a job that reports none."""
    if progress.seconds_left is not None or elapsed_s < TELLING_S or not TELLING_PERCENT <= progress.percent < 100:
        return progress
    return replace(progress, seconds_left=elapsed_s * (100 - progress.percent) / progress.percent)


@dataclass(frozen=True, slots=True)
class LicenceText:
    """A licence that has to be accepted before the task continues."""

    voice_id: str
    name: str
    text: str
