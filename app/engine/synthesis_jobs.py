"""The jobs for the synthesis thread, the answers to their callers, and what the engine reports while it works. Frozen: they cross threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from app.common.errors import AppError
from app.core.script.script import LineCast
from app.core.synthesis_types import AudioChunk, StageTiming, SynthesisRequest
from app.engine.line_reader import LineReadResult
from app.engine.open_voices import OpenedVoice, OpenVoices, VoicePrecisions

if TYPE_CHECKING:
    from app.common.errors import AppError
    from app.compose.speaker import Speaker
    from app.core.sound.stage_clock import OnStage

Result = TypeVar("Result")


def ignore_result(_result: object) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenVoiceJob:
    """Open a voice on a backend and warm it up."""

    backend: str
    voice: str = ""  # empty is the one we ship
    keep_open: bool = True  # otherwise it is only looked at, and opened again when it speaks
    retry: bool = False  # the user has chosen the backend: devices that failed are tried again
    precisions: VoicePrecisions = field(default_factory=VoicePrecisions)  # of this voice, and of those that open on demand after it
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True, eq=False)
class ChoosePrecisionsJob:
    """Open voices in these precisions from now on; those that are open in another one are let go."""

    precisions: VoicePrecisions


@dataclass(frozen=True, slots=True, eq=False)
class ChooseDeviceJob:
    """Play on this output from now on; None follows the system."""

    device: str | None


@dataclass(frozen=True, slots=True)
class LinePosition:
    """A mora or a mark of a line, counted over the line as edits are; when it sounds is known once it is made."""

    kind: Literal["mora", "mark"]
    index: int


class RecordedSound(Protocol):
    """A sound that is there already."""

    @property
    def rate(self) -> int:
        """Return the sampling rate in Hz."""

    def iterate_chunks(self, request_id: str, find_queued_s: Callable[[], float], is_cancelled: Callable[[], bool]) -> Iterator[AudioChunk]:
        """Yield the sound; `find_queued_s` returns the seconds of sound that wait to be heard."""


# Compared by identity, as all jobs: a line asked for twice is two jobs, of which only the right one may leave a list.
@dataclass(frozen=True, slots=True, eq=False)
class SpeechJob:
    """Speak a request."""

    request: SynthesisRequest
    requested_at: float  # when the user asked, seconds of `time.perf_counter`
    cast: LineCast | None = None  # who speaks it; without one it is the voice we ship, and the request has the ids
    recorded: RecordedSound | None = None  # a sound that is there already and is heard instead
    start_s: float = 0.0  # seconds from the beginning of the sound that are not heard
    position: LinePosition | None = None  # where the sound begins that is heard, in place of `start_s`
    pause_s: float | None = None  # of silence heard behind it, in place of the request's; what is reported keeps that
    found_start_s: list[float] = field(default_factory=list)  # when `position` sounds; empty until the synthesis thread has made it
    source: object = None  # what the request was made from; handed back as it is with everything that is reported of the job
    may_be_silent: bool = False  # a text in which nothing can be read is silent; else it is an error
    is_comment: bool = False  # it came by itself, and yields to whatever the user plays
    cancelled: threading.Event = field(default_factory=threading.Event)  # set by the window; the synthesis thread only looks at it

    @property
    def audible_start_s(self) -> float:
        """Return where the sound begins that is heard, seconds from the beginning of all of it, as far as that is known."""
        return self.found_start_s[0] if self.found_start_s else self.start_s

    @property
    def voice(self) -> str:
        """Return the id of the voice that speaks."""
        return self.cast.voice if self.cast is not None else ""


class Importance(IntEnum):
    """The urgency of a result, the most urgent first; sound for the engine's own player comes before all of these.

    HEARD is for sound with a player of its own: comments and agents.
    """

    HEARD = 0
    SERVED = 1
    TAKE = 2
    FILE = 3


@dataclass(frozen=True, slots=True)
class JobTurn:
    """The resources that a job may use while it has the engine's thread."""

    voices: OpenVoices
    cancelled: threading.Event
    on_stage: OnStage  # to be called with each stage: what is more important has its turn there
    yield_to_urgent: Callable[[], None]  # to be called between two pieces of work that are no stages
    report_progress: Callable[[float], None]  # to be called with how much of the job is done, 0 to 1

    def is_cancelled(self) -> bool:
        """Return whether nobody waits for the result any more."""
        return self.cancelled.is_set()

    def open_speaker(self, voice: str) -> Speaker:
        """Return the open voice of an id, opened if need be; raise VoiceError if it cannot be."""
        return self.voices.open_speaker(self.voices.find_line_id(voice))

    def open_isolated_speaker(self, voice: str, precisions: VoicePrecisions) -> Speaker:
        """Return a voice in other precisions than those that lines speak in, on the CPU, which has both."""
        return self.voices.open_isolated_speaker(voice, precisions)


@dataclass(frozen=True, slots=True, eq=False)
class ComputeJob(Generic[Result]):
    """Compute a result for the caller, and let audible and more important jobs run between stages."""

    importance: Importance
    compute: Callable[[JobTurn], Result | None]  # called in the engine's thread; returns None if the job was cancelled
    # `on_result`, `on_failed`, `on_progress`: called with the result, the error, or the share that is done, 0 to 1; in the thread that
    # receives the engine's events, unless the job was cancelled.
    on_result: Callable[[Result], object] = ignore_result
    on_failed: Callable[[AppError], object] = ignore_result
    on_progress: Callable[[float], object] = ignore_result
    is_quiet: bool = False  # `on_failed` shows the error, and nobody else does
    cancelled: threading.Event = field(default_factory=threading.Event)  # set by the caller; the engine's thread only reads it


@dataclass(frozen=True, slots=True, eq=False)
class ComputedResult:
    """The answer to a `ComputeJob`."""

    job: ComputeJob[Any]
    result: Any

    def deliver_result(self) -> None:
        """Pass the result to the caller, unless the job was cancelled in the meantime."""
        if not self.job.cancelled.is_set():
            self.job.on_result(self.result)


@dataclass(frozen=True, slots=True, eq=False)
class PlaySampleJob:
    """Play a recording that came with a voice."""

    file: Path


@dataclass(frozen=True, slots=True, eq=False)
class CloseVoiceJob:
    """Let a voice go, whose files are about to change."""

    voice: str


@dataclass(frozen=True, slots=True, eq=False)
class ReloadDictionaryJob:
    """Reload the user's dictionary."""


@dataclass(frozen=True, slots=True, eq=False)
class ShutdownJob:
    """Let the audio device go and end the thread."""


StoppableJob = OpenVoiceJob | SpeechJob | ComputeJob[Any]
SynthesisJob = StoppableJob | ChoosePrecisionsJob | ChooseDeviceJob | PlaySampleJob | CloseVoiceJob | ReloadDictionaryJob | ShutdownJob


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
