"""From a line to the sound of a take."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from app.core.pipeline import Pipeline
from app.core.requests import cast_for, cast_of, request_of
from app.core.script import Line
from app.core.timing import OnStage, ignore_stage, never
from app.core.types import AudioChunk, Float32


def render(
    pipeline: Pipeline,
    line: Line,
    on_stage: OnStage = ignore_stage,
    cancelled: Callable[[], bool] = never,
    on_chunk: Callable[[AudioChunk], object] = lambda _chunk: None,
) -> tuple[Float32, int] | None:
    """All samples of a line and their rate; None where it was cancelled. Raises what `Pipeline.synthesize` raises.

    Args:
        pipeline: of the voice that the line names.
        on_chunk: called with each piece as soon as it is there, so that listening begins before the end.
    """
    pieces: list[Float32] = []
    request = cast_for(request_of(line), cast_of(line), pipeline.voice)
    for chunk in pipeline.synthesize(request, on_stage, cancelled):
        on_chunk(chunk)
        pieces.append(chunk.samples)
    return None if cancelled() else (np.concatenate(pieces), pipeline.voice.sampling_rate)
