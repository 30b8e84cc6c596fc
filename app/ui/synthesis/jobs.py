"""What the window asks of the synthesis thread, and what that thread reports to the window. Frozen: they cross threads."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core.types import SynthesisRequest
from app.settings import DecoderPrecision, PrecisionChoice


@dataclass(frozen=True, slots=True)
class Precisions:
    """In which precision BERT and decoder compute."""

    bert: PrecisionChoice = "auto"
    decoder: DecoderPrecision = "float32"


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
class ChooseDevice:
    """Play on this output from now on; None follows the system."""

    device: str | None


@dataclass(frozen=True, slots=True)
class Cast:
    """Who speaks a request: the voice by id, speaker and style by name; empty is the first, and so is a name the voice does not have."""

    voice: str = ""
    speaker: str = ""
    style: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Speak:
    """Speak a request, into a file when there is one.

    Attributes:
        asked_at: when the user asked, seconds of `time.perf_counter`.
        then: further requests whose sound goes into the same file.
        casts: who speaks `request` and each of `then`; without them it is the voice we ship, and the request has the ids.
        from_s: seconds from the beginning of the sound that are not heard.
        source: what the request was made from; handed back as it is with everything that is reported of the job.
        cancelled: set by the window; the synthesis thread only looks at it.
    """

    request: SynthesisRequest
    asked_at: float
    file: Path | None = None
    then: tuple[SynthesisRequest, ...] = ()
    casts: tuple[Cast, ...] = ()
    from_s: float = 0.0
    source: object = None
    cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def voice(self) -> str:
        """Id of the voice that begins."""
        return self.casts[0].voice if self.casts else ""


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


Job = OpenVoice | ChooseDevice | Speak | PlaySample | CloseVoice | ForgetWords | Shutdown


@dataclass(frozen=True, slots=True)
class MachineInfo:
    """What this machine offers.

    Attributes:
        names: all backends there could be, as (key, name for people).
        backends: keys of those the installed ONNX Runtime offers.
        devices: labels of the audio outputs.
    """

    names: tuple[tuple[str, str], ...]
    backends: tuple[str, ...]
    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenedVoice:
    """A voice that can speak now.

    Attributes:
        requested: the backend asked for.
        backends: where each stage runs, as (stage, backend key).
        fallback: why it does not run where it was asked to, or None.
        lost: it does not because its device failed, now or when the program ran last.
        speakers, styles: as (id, name).
        starter: it is the voice we ship.
        opaque: it is one graph, which can only be heard sentence by sentence.
        id: what lines call it; empty is the voice we ship.
        forced_bert: it speaks with a BERT that is not its own, so that its prosody is wrong.
        measured: what a probe has found for it, as `koebako backends --json` reports it.
    """

    name: str
    description: str
    licence: str
    starter: bool
    opaque: bool
    sampling_rate: int
    speakers: tuple[tuple[int, str], ...]
    styles: tuple[tuple[int, str], ...]
    requested: str
    backends: tuple[tuple[str, str], ...]
    fallback: str | None
    id: str = ""
    forced_bert: bool = False
    lost: bool = False
    measured: tuple[Mapping[str, Any], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class FirstAudio:
    """The first sound of a request was ready, this long after the user asked."""

    request_id: str
    ms: float


@dataclass(frozen=True, slots=True)
class Synthesised:
    """All sound of a request was computed and handed over, or it was stopped."""

    request_id: str
    stopped: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Done:
    """The synthesis thread has finished a job; `succeeded` when it neither failed nor was cancelled."""

    job: Job
    succeeded: bool
