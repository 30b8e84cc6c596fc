"""The engine's reports while it works, each as its type says: facts, and results of jobs. Frozen: they cross threads."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.common.errors import AppError
from app.core.synthesis_types import AudioChunk, StageTiming
from app.engine.line_reader import LineReadResult
from app.engine.open_voices import OpenedVoice
from app.engine.synthesis_jobs import ComputedResult, ComputeJob, SpeechJob, SynthesisJob


@dataclass(frozen=True, slots=True)
class MachineInfo:
    """The backends and devices of this machine."""

    names: tuple[tuple[str, str], ...]  # all backends there could be, as (key, name for people)
    backends: tuple[str, ...]  # keys of those the installed ONNX Runtime offers
    devices: tuple[str, ...]  # labels of the audio outputs


@dataclass(frozen=True, slots=True)
class ClosedVoices:
    """Voices, by the ids that lines have, that were closed because they are to speak in another precision."""

    voices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Announcement:
    """Words in the language of the user: something takes long, or is not as the user may expect."""

    text: str


@dataclass(frozen=True, slots=True)
class FirstAudioResult:
    """The first sound of a request was ready, this long after the user asked."""

    request_id: str
    ms: float


@dataclass(frozen=True, slots=True)
class SynthesisResult:
    """All sound of a request was computed and handed over, or it was stopped."""

    request_id: str
    is_stopped: bool = False
    waited_s: float = 0.0  # seconds in which nothing was heard because sound was kept back until it could be heard without gaps


@dataclass(frozen=True, slots=True, eq=False)
class SpeakFailure:
    """A request that could not be spoken."""

    job: SpeechJob
    error: AppError


@dataclass(frozen=True, slots=True, eq=False)
class JobFailure:
    """A job that failed, with its error."""

    job: object
    error: AppError


@dataclass(frozen=True, slots=True, eq=False)
class JobResult:
    """The engine has finished a job; `succeeded` when it neither failed nor was cancelled. The last report of every job but those of the service."""

    job: SynthesisJob
    succeeded: bool


@dataclass(frozen=True, slots=True, eq=False)
class JobProgress:
    """The share of a job that is done, 0 to 1."""

    job: ComputeJob[Any]
    share: float


EngineEvent = (
    MachineInfo
    | OpenedVoice
    | ClosedVoices
    | Announcement
    | StageTiming
    | AudioChunk
    | LineReadResult
    | FirstAudioResult
    | SynthesisResult
    | JobFailure
    | JobResult
    | JobProgress
    | ComputedResult
)
"""An `AudioChunk` comes with sound that is to be heard, before it is; a `LineReadResult` is the answer to `Engine.request_reading`."""
ReportEvent = Callable[[EngineEvent], None]


def ignore_event(_event: EngineEvent) -> None:
    """Do nothing."""
