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


# After 3 s and 10 % the pace so far predicts the rest; earlier it says little.
TELLING_S, TELLING_PERCENT = 3.0, 10

FINISHED_STATES = (TaskState.DONE, TaskState.FAILED, TaskState.CANCELLED)


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A task for a job; a subclass adds the values that its result handler needs.

    Attributes:
        title: the displayed title.
        arguments: arguments of our command line, without `--json`.
        quiet: the task is neither shown nor announced unless it fails.
        done_codes: exit codes that count as done; the result may still be bad news.
        is_background: the task runs while there is no other one, and gives way to one that comes; closing the window asks nothing.
    """

    title: str
    arguments: tuple[str, ...]
    quiet: bool = False
    done_codes: tuple[int, ...] = (0,)
    is_background: bool = False


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """The progress of a job.

    A download also has bytes and seconds, and in `waiting` a sentence that says why it waits.
    """

    step: str = ""
    percent: int = 0
    received: int | None = None
    total: int | None = None
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


@dataclass(frozen=True, slots=True)
class TaskError:
    """An error, and the options of our command line that would resolve it."""

    message: str
    hint: str
    ways: tuple[str, ...] = ()
