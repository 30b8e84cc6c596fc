"""From a line to the sound of a take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.adapters.speech_activity import record_at_stages
from app.core.script.script import Line, apply_cast, build_request, find_cast
from app.core.sound.stage_clock import OnStage, ignore_cancellation, ignore_stage
from app.core.synthesis_types import AudioChunk, Float32
from app.engine.open_voices import VoicePrecisions
from app.engine.synthesis_jobs import JobTurn

if TYPE_CHECKING:
    from app.core.sound.pipeline import Pipeline


@dataclass(frozen=True, slots=True, eq=False)
class TakeResult:
    """The sound of a line: samples of shape (N,), and their rate in Hz."""

    line: Line
    samples: Float32
    rate: int


def render_take(line: Line, precisions: VoicePrecisions | None, turn: JobTurn) -> TakeResult | None:
    """Return the sound of a line, which nobody hears now; None if cancelled.

    Args:
        line: as it is to be rendered, with the seed that counts.
        precisions: with these instead of those that lines speak in.
    """
    voice = line.settings.voice
    speaker = turn.open_speaker(voice) if precisions is None else turn.open_isolated_speaker(voice, precisions)
    rendered = render_line(speaker.pipeline, line, record_at_stages(turn.on_stage), turn.is_cancelled)
    return None if rendered is None else TakeResult(line, *rendered)


def render_line(
    pipeline: Pipeline,
    line: Line,
    on_stage: OnStage = ignore_stage,
    cancelled: Callable[[], bool] = ignore_cancellation,
    on_chunk: Callable[[AudioChunk], object] = lambda _chunk: None,
) -> tuple[Float32, int] | None:
    """Return all samples of a line and their rate; None if cancelled. Raise the errors of `Pipeline.synthesize`.

    Args:
        pipeline: of the voice that the line names.
        on_chunk: called with each piece as soon as it is there, so that listening begins before the end.
    """
    samples: list[Float32] = []
    request = apply_cast(build_request(line), find_cast(line), pipeline.voice)
    for chunk in pipeline.synthesize(request, on_stage, cancelled):
        on_chunk(chunk)
        samples.append(chunk.samples)
    return None if cancelled() else (np.concatenate(samples), pipeline.voice.sampling_rate)
