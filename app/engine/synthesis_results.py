"""The reports of the synthesis thread to the window: facts, and results of jobs. Frozen: they cross threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.common.errors import AppError
from app.core.sound.voice_architecture import SBV2_ARCHITECTURE, VoiceArchitecture
from app.engine.synthesis_jobs import SpeechJob, SynthesisJob


@dataclass(frozen=True, slots=True)
class MachineInfo:
    """The backends and devices of this machine.

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
        requested_backend: the backend asked for.
        backends: where each stage runs, as (stage, backend key).
        fallback: why it does not run where it was asked to, or None.
        is_fallback_failure: `fallback` is about a failure; else a graph has no room on its device, or no form.
        is_device_lost: it does not because its device failed, now or when the program ran last.
        speakers, styles: as (id, name).
        is_starter: it is the voice we ship.
        is_single_graph: it is one graph, which can only be heard sentence by sentence.
        id: what lines call it; empty is the voice we ship.
        is_fast: it speaks fast.
        has_forced_bert: it speaks with a BERT that is not its own, so that its prosody is wrong.
        architecture: the kind of voice.
        measurements: what a probe has found for it, as `koebako backends --json` reports it.
        recipe: the number of the way in which it was prepared.
    """

    name: str
    description: str
    licence: str
    is_starter: bool
    is_single_graph: bool
    sampling_rate: int
    speakers: tuple[tuple[int, str], ...]
    styles: tuple[tuple[int, str], ...]
    requested_backend: str
    backends: tuple[tuple[str, str], ...]
    fallback: str | None
    id: str = ""
    is_fast: bool = False
    has_forced_bert: bool = False
    architecture: VoiceArchitecture = SBV2_ARCHITECTURE
    is_device_lost: bool = False
    is_fallback_failure: bool = True
    # Not compared: a frozen class hashes what it compares, and dicts have no hash.
    measurements: tuple[Mapping[str, Any], ...] = field(default=(), compare=False)
    recipe: int = 1


@dataclass(frozen=True, slots=True)
class FirstAudioResult:
    """The first sound of a request was ready, this long after the user asked."""

    request_id: str
    ms: float


@dataclass(frozen=True, slots=True)
class SynthesisResult:
    """All sound of a request was computed and handed over, or it was stopped.

    Attributes:
        waited_s: seconds in which nothing was heard because sound was kept back until it could be heard without gaps.
    """

    request_id: str
    is_stopped: bool = False
    waited_s: float = 0.0


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
    """The synthesis thread has finished a job; `succeeded` when it neither failed nor was cancelled."""

    job: SynthesisJob
    succeeded: bool
