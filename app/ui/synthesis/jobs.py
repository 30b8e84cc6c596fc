"""What the window asks of the synthesis thread, and the answers that go to who asked. Frozen: they cross threads; other reports are in `results`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from app.core.requests import Cast
from app.core.script import Line
from app.core.timing import OnStage
from app.core.types import Float32, SynthesisRequest
from app.settings import PrecisionChoice
from app.sound_choice import SoundChoice
from app.ui.synthesis.side_by_side import SideBySide

if TYPE_CHECKING:
    from app.errors import AppError
    from app.export.loudness import Measured
    from app.export.plan import PlannedFile
    from app.export.render import WrittenFile
    from app.export.settings import ExportSettings


@dataclass(frozen=True, slots=True)
class Precisions:
    """In which precision BERT and the graphs of each voice compute."""

    bert: PrecisionChoice = "auto"
    sound: SoundChoice = field(default_factory=SoundChoice)


@dataclass(frozen=True, slots=True, eq=False)
class OpenVoice:
    """Open a voice on a backend and warm it up.

    Attributes:
        voice: its id; empty is the one we ship.
        hold: keep it open; otherwise it is only looked at, and opened again when it speaks.
        precisions: of this voice, and of those that open on demand after it.
        retry: the user has chosen the backend: devices that failed are tried again.
    """

    backend: str
    voice: str = ""
    hold: bool = True
    retry: bool = False
    precisions: Precisions = field(default_factory=Precisions)
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True, eq=False)
class ChoosePrecisions:
    """Open voices in these precisions from now on; those that are open in another one are let go."""

    precisions: Precisions


@dataclass(frozen=True, slots=True, eq=False)
class ChooseDevice:
    """Play on this output from now on; None follows the system."""

    device: str | None


@dataclass(frozen=True, slots=True)
class LinePlace:
    """A mora or a mark of a line, counted over the line as edits are; when it sounds is known once it is made."""

    kind: Literal["mora", "mark"]
    index: int


@dataclass(frozen=True, slots=True, eq=False)
class Speak:
    """Speak a request, into a file when there is one.

    Attributes:
        asked_at: when the user asked, seconds of `time.perf_counter`.
        then: further requests whose sound goes into the same file.
        casts: who speaks `request` and each of `then`; without them it is the voice we ship, and the request has the ids.
        kept: sounds that are there already and are heard instead.
        from_s: seconds from the beginning of the sound that are not heard.
        place: where the sound begins that is heard, in place of `from_s`.
        found_s: when `place` sounds; empty until the synthesis thread has made it.
        source: what the request was made from; handed back as it is with everything that is reported of the job.
        several: it is written with other lines, and silent where nothing can be read; alone that is an error.
        cancelled: set by the window; the synthesis thread only looks at it.
    """

    request: SynthesisRequest
    asked_at: float
    file: Path | None = None
    then: tuple[SynthesisRequest, ...] = ()
    casts: tuple[Cast, ...] = ()
    kept: SideBySide | None = None
    from_s: float = 0.0
    place: LinePlace | None = None
    found_s: list[float] = field(default_factory=list)
    source: object = None
    several: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def begins_s(self) -> float:
        """Where the sound begins that is heard, seconds from the beginning of all of it, as far as that is known."""
        return self.found_s[0] if self.found_s else self.from_s

    @property
    def voice(self) -> str:
        """Id of the voice that begins."""
        return self.casts[0].voice if self.casts else ""


@dataclass(frozen=True, slots=True, eq=False)
class ExportFile:
    """Write a planned file with what belongs beside it; with `measures` only find out how loud it is.

    Attributes:
        on_done, on_failed: called in the window's thread with the result or the error, unless the job was cancelled.
    """

    item: PlannedFile
    settings: ExportSettings
    on_done: Callable[[ExportResult], object]
    on_failed: Callable[[ExportFile, AppError], object]
    gain_db: float = 0.0
    measures: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The answer to `ExportFile`: what was written, or how loud it is."""

    job: ExportFile
    result: WrittenFile | Measured


@dataclass(frozen=True, slots=True, eq=False)
class RenderTake:
    """Make the sound of a line, to be kept: nobody hears it, and no device is opened for it.

    Attributes:
        line: as it is to be rendered, with the seed that counts.
        on_made, on_failed: called in the window's thread with the sound or the error, unless the job was cancelled.
        quiet: `on_failed` shows the error.
        precisions: with these instead of those that lines speak in, and on the processor, which has both.
        cancelled: set by the window; the synthesis thread only looks at it.
    """

    line: Line
    on_made: Callable[[TakeResult], object]
    on_failed: Callable[[AppError], object]
    quiet: bool = False
    precisions: Precisions | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True, eq=False)
class TakeResult:
    """The answer to `RenderTake`: samples of shape (N,), and their rate in Hz."""

    job: RenderTake
    samples: Float32
    rate: int


@dataclass(frozen=True, slots=True, eq=False)
class PlaySample:
    """Play a recording that came with a voice."""

    file: Path


@dataclass(frozen=True, slots=True, eq=False)
class CloseVoice:
    """Let a voice go, whose files are about to change."""

    voice: str


@dataclass(frozen=True, slots=True, eq=False)
class ForgetWords:
    """Reload the user's dictionary."""


@dataclass(frozen=True, slots=True, eq=False)
class Shutdown:
    """Let the audio device go and end the thread."""


class Served(Protocol):
    """Work of the service, which brings its results to its clients by itself."""

    def run(self, voices: Any, on_stage: OnStage) -> None:
        """Computes it with `voices.speaker_of`; raises nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class ServeRequest:
    """Compute what a client of the service asked for, after what is to be heard and before takes and files."""

    work: Served


Stoppable = OpenVoice | Speak | RenderTake | ExportFile
Job = Stoppable | ServeRequest | ChoosePrecisions | ChooseDevice | PlaySample | CloseVoice | ForgetWords | Shutdown
