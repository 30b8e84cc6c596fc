"""Voices of one graph: they decide all lengths themselves, and only the speed of the whole can be chosen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from app.core.limits import BOUNDS
from app.core.pipeline import Pipeline
from app.core.shaped import ShapedSentence
from app.core.types import SynthesisRequest
from app.service.layout import Place, frames_of
from app.service.refused import refused

MOST_TRIES = 3
Measure = Callable[[SynthesisRequest], Sequence[ShapedSentence]]


def check_unedited(pipeline: Pipeline, wanted_s: Mapping[Place, float], frames: Mapping[Place, int]) -> None:
    """Raises Refused for lengths that are not the voice's own, both at speed 1: to ignore an edit would be worse."""
    frame_s = pipeline.voice.hop_length / pipeline.voice.sampling_rate
    if frames and any(abs(length_s - frames[place] * frame_s) > frame_s for place, length_s in wanted_s.items()):
        raise refused(
            422,
            f"声「{pipeline.voice.name}」では、間や音の長さを変更できません。",
            f"Pauses and lengths cannot be changed with “{pipeline.voice.name}”.",
        )


def paced(
    sentences: Sequence[ShapedSentence],
    request: SynthesisRequest,
    wanted_s: float,
    spare_s: float,
    measure: Measure,
    places: Collection[Place],
    frame_s: float,
) -> tuple[Sequence[ShapedSentence], SynthesisRequest, float]:
    """Sentences that last as long as their query says: such a graph rounds up each length at its speed, not their sum.

    Args:
        sentences: as measured for `request`.
        wanted_s: from the first mora to the last, as the query has it.
        spare_s: of silence after the last mora, which may take in what is left.
        places: from the first mora to the last.

    Returns:
        The sentences, the request that they were measured for, and what is left: more than -`spare_s` wherever a higher speed can reach it.
    """

    def left() -> float:
        frames = frames_of(sentences)
        return wanted_s - sum(frames[place] for place in places) * frame_s

    left_s = left()
    for _ in range(MOST_TRIES):
        if left_s >= -spare_s or request.speed >= BOUNDS["speed"].high:
            break
        request = replace(request, speed=min(BOUNDS["speed"].high, request.speed * (wanted_s - left_s) / wanted_s))
        sentences = measure(request)
        left_s = left()
    return sentences, request, left_s
