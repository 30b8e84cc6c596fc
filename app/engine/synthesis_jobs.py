"""The jobs for the synthesis thread, and the answers to their callers. Frozen: they cross threads; see also `synthesis_results`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from app.core.line_requests import LineCast
from app.core.script import Line
from app.core.stage_clock import OnStage
from app.core.synthesis_types import Float32, SynthesisRequest
from app.engine.parallel_sounds import ParallelSounds
from app.settings.graph_precision import PrecisionPreference
from app.settings.user_settings import PrecisionChoice

if TYPE_CHECKING:
    from app.common.errors import AppError
    from app.export.export_plan import PlannedFile
    from app.export.export_renderer import WrittenFile
    from app.export.export_settings import ExportSettings
    from app.export.loudness import LoudnessMeasurement


@dataclass(frozen=True, slots=True)
class VoicePrecisions:
    """In which precision BERT and the graphs of each voice compute."""

    bert: PrecisionChoice = "auto"
    graphs: PrecisionPreference = field(default_factory=PrecisionPreference)


@dataclass(frozen=True, slots=True, eq=False)
class OpenVoiceJob:
    """Open a voice on a backend and warm it up.

    Attributes:
        voice: its id; empty is the one we ship.
        keep_open: keep it open; otherwise it is only looked at, and opened again when it speaks.
        precisions: of this voice, and of those that open on demand after it.
        retry: the user has chosen the backend: devices that failed are tried again.
    """

    backend: str
    voice: str = ""
    keep_open: bool = True
    retry: bool = False
    precisions: VoicePrecisions = field(default_factory=VoicePrecisions)
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


# Compared by identity, as all jobs: a line asked for twice is two jobs, of which only the right one may leave a list.
@dataclass(frozen=True, slots=True, eq=False)
class SpeechJob:
    """Speak a request, into a file when there is one.

    Attributes:
        requested_at: when the user asked, seconds of `time.perf_counter`.
        following: further requests whose sound goes into the same file.
        casts: who speaks `request` and each of `following`; without them it is the voice we ship, and the request has the ids.
        recorded: sounds that are there already and are heard instead.
        start_s: seconds from the beginning of the sound that are not heard.
        position: where the sound begins that is heard, in place of `start_s`.
        found_start_s: when `position` sounds; empty until the synthesis thread has made it.
        source: what the request was made from; handed back as it is with everything that is reported of the job.
        has_several_lines: it is written with other lines, and silent where nothing can be read; alone that is an error.
        is_comment: it came by itself, and gives way to whatever the user plays.
        cancelled: set by the window; the synthesis thread only looks at it.
    """

    request: SynthesisRequest
    requested_at: float
    file: Path | None = None
    following: tuple[SynthesisRequest, ...] = ()
    casts: tuple[LineCast, ...] = ()
    recorded: ParallelSounds | None = None
    start_s: float = 0.0
    position: LinePosition | None = None
    found_start_s: list[float] = field(default_factory=list)
    source: object = None
    has_several_lines: bool = False
    is_comment: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def audible_start_s(self) -> float:
        """Return where the sound begins that is heard, seconds from the beginning of all of it, as far as that is known."""
        return self.found_start_s[0] if self.found_start_s else self.start_s

    @property
    def voice(self) -> str:
        """Return the id of the voice that speaks first."""
        return self.casts[0].voice if self.casts else ""


@dataclass(frozen=True, slots=True, eq=False)
class ExportFileJob:
    """Write a planned file with what belongs beside it; with `is_measurement` only find out how loud it is.

    Attributes:
        on_done, on_failed: called in the window's thread with the result or the error, unless the job was cancelled.
        gain_db: see `FileRenderer.write_file`.
        recorded: samples `(T,)` and rate (Hz) that the one line of the file had when it was heard; they are written instead.
    """

    item: PlannedFile
    settings: ExportSettings
    on_done: Callable[[ExportResult], object]
    on_failed: Callable[[ExportFileJob, AppError], object]
    gain_db: float | None = None
    is_measurement: bool = False
    recorded: tuple[Float32, int] | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The answer to `ExportFileJob`: what was written, or how loud it is."""

    job: ExportFileJob
    result: WrittenFile | LoudnessMeasurement


@dataclass(frozen=True, slots=True, eq=False)
class RenderTakeJob:
    """Make the sound of a line, to be kept: nobody hears it, and no device is opened for it.

    Attributes:
        line: as it is to be rendered, with the seed that counts.
        on_made, on_failed: called in the window's thread with the sound or the error, unless the job was cancelled.
        is_quiet: `on_failed` shows the error.
        precisions: with these instead of those that lines speak in, and on the processor, which has both.
        cancelled: set by the window; the synthesis thread only looks at it.
    """

    line: Line
    on_made: Callable[[TakeResult], object]
    on_failed: Callable[[AppError], object]
    is_quiet: bool = False
    precisions: VoicePrecisions | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True, eq=False)
class TakeResult:
    """The answer to `RenderTakeJob`: samples of shape (N,), and their rate in Hz."""

    job: RenderTakeJob
    samples: Float32
    rate: int


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


class ServiceWork(Protocol):
    """Work of the service, which brings its results to its clients by itself."""

    def run_work(self, voices: Any, on_stage: OnStage) -> None:
        """Compute the result with `voices.open_speaker`; never raise."""


@dataclass(frozen=True, slots=True, eq=False)
class ServeRequestJob:
    """Compute what a client of the service asked for, after what is to be heard and before takes and files."""

    work: ServiceWork


StoppableJob = OpenVoiceJob | SpeechJob | RenderTakeJob | ExportFileJob
SynthesisJob = (
    StoppableJob
    | ServeRequestJob
    | ChoosePrecisionsJob
    | ChooseDeviceJob
    | PlaySampleJob
    | CloseVoiceJob
    | ReloadDictionaryJob
    | ShutdownJob
)
