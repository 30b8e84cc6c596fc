"""From a line to the sound of a take."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from app.core.line_requests import apply_cast, build_request, find_cast
from app.core.pipeline import Pipeline
from app.core.script import Line
from app.core.stage_clock import OnStage, ignore_cancellation, ignore_stage
from app.core.synthesis_types import AudioChunk, Float32


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
    pieces: list[Float32] = []
    request = apply_cast(build_request(line), find_cast(line), pipeline.voice)
    for chunk in pipeline.synthesize(request, on_stage, cancelled):
        on_chunk(chunk)
        pieces.append(chunk.samples)
    return None if cancelled() else (np.concatenate(pieces), pipeline.voice.sampling_rate)
