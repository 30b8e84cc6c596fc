"""The engine's reports while it works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.core.synthesis_types import AudioChunk, StageTiming
from app.engine.line_reader import LineReadResult
from app.engine.synthesis_jobs import ComputedResult, ComputeJob
from app.engine.synthesis_results import FirstAudioResult, JobFailure, JobResult, MachineInfo, OpenedVoice, SynthesisResult


def ignore_event(*_event: object) -> None:
    """Do nothing."""


@dataclass(slots=True)
class EngineEvents:
    """Called in the engine's thread; each does nothing unless it is set.

    Attributes:
        on_chunk: with sound that is to be heard, before it is.
        on_line_read: with the answer to `Engine.request_reading`.
        on_synthesised: all sound of a request was computed, or it was stopped.
        on_failed: a job has failed; `on_done` follows every job, failed or not, but those of the service.
        on_advanced: how much of a `ComputeJob` is done, 0 to 1.
        on_computed: the result of a `ComputeJob` is there.
        on_announcement: in the language of the user: something takes long, or is not as the user may expect.
    """

    on_machine_info: Callable[[MachineInfo], None] = ignore_event
    on_voice_opened: Callable[[OpenedVoice], None] = ignore_event
    on_voices_closed: Callable[[list[str]], None] = ignore_event
    on_stage: Callable[[StageTiming], None] = ignore_event
    on_first_audio: Callable[[FirstAudioResult], None] = ignore_event
    on_chunk: Callable[[AudioChunk], None] = ignore_event
    on_line_read: Callable[[LineReadResult], None] = ignore_event
    on_synthesised: Callable[[SynthesisResult], None] = ignore_event
    on_failed: Callable[[JobFailure], None] = ignore_event
    on_done: Callable[[JobResult], None] = ignore_event
    on_advanced: Callable[[ComputeJob[Any], float], None] = ignore_event
    on_computed: Callable[[ComputedResult], None] = ignore_event
    on_announcement: Callable[[str], None] = ignore_event
