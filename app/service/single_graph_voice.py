"""Voices of one graph: they decide all lengths themselves, and only the speed of the whole can be chosen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from app.core.fixed_durations import FixedSentence
from app.core.pipeline import Pipeline
from app.core.request_limits import BOUNDS
from app.core.synthesis_types import SynthesisRequest
from app.service.http_errors import create_refusal
from app.service.mora_alignment import PhoneOffset, map_frames

MAX_SPEED_TRIES = 3
MeasureSentences = Callable[[SynthesisRequest], Sequence[FixedSentence]]


def check_unedited(pipeline: Pipeline, wanted_s: Mapping[PhoneOffset, float], frames: Mapping[PhoneOffset, int]) -> None:
    """Raises Refused for lengths that are not the voice's own, both at speed 1: to ignore an edit would be worse."""
    frame_s = pipeline.voice.hop_length / pipeline.voice.sampling_rate
    if frames and any(abs(length_s - frames[place] * frame_s) > frame_s for place, length_s in wanted_s.items()):
        raise create_refusal(
            422,
            f"声「{pipeline.voice.name}」では、間や音の長さを変更できません。",
            f"Pauses and lengths cannot be changed with “{pipeline.voice.name}”.",
        )


def fit_speed(
    sentences: Sequence[FixedSentence],
    request: SynthesisRequest,
    wanted_s: float,
    spare_s: float,
    measure: MeasureSentences,
    offsets: Collection[PhoneOffset],
    frame_s: float,
) -> tuple[Sequence[FixedSentence], SynthesisRequest, float]:
    """Sentences that last as long as their query says: such a graph rounds up each length at its speed, not their sum.

    Args:
        sentences: as measured for `request`.
        wanted_s: from the first mora to the last, as the query has it.
        spare_s: of silence after the last mora, which may take in what is left.
        offsets: from the first mora to the last.

    Returns:
        The sentences, the request that they were measured for, and what is left: more than -`spare_s` wherever a higher speed can reach it.
    """

    def compute_left_s() -> float:
        frames = map_frames(sentences)
        return wanted_s - sum(frames[place] for place in offsets) * frame_s

    left_s = compute_left_s()
    for _ in range(MAX_SPEED_TRIES):
        if left_s >= -spare_s or request.speed >= BOUNDS["speed"].high:
            break
        request = replace(request, speed=min(BOUNDS["speed"].high, request.speed * (wanted_s - left_s) / wanted_s))
        sentences = measure(request)
        left_s = compute_left_s()
    return sentences, request, left_s
