"""Lines with nothing in them to be read, such as "……": where a line is one of several, it is silent instead of an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.core.edits import Place, frame_targets
from app.core.pipeline import Pipeline, nothing_waits
from app.core.sentences import split_sentences
from app.core.stages import phones_of
from app.core.timing import OnStage, StageClock, ignore_stage, never
from app.core.types import AudioChunk, SynthesisRequest
from app.core.waveform import silence
from app.errors import NothingToReadError

SHORTEST_S = 0.1


def spoken_or_silent(
    pipeline: Pipeline,
    request: SynthesisRequest,
    on_stage: OnStage = ignore_stage,
    cancelled: Callable[[], bool] = never,
    queued_s: Callable[[], float] = nothing_waits,
) -> Iterator[AudioChunk]:
    """As `Pipeline.synthesize`, but one chunk of silence where nothing can be read."""
    try:
        yield from pipeline.synthesize(request, on_stage, cancelled, queued_s)
    except NothingToReadError:
        rate = pipeline.voice.sampling_rate
        yield AudioChunk(silence(silence_s(pipeline, request), rate), rate, request.id, 0, silence=True, last=True)


def silence_s(pipeline: Pipeline, request: SynthesisRequest) -> float:
    """Seconds of such a line: the silences around it and the pauses that were set for its marks; what was not set has no length of its own."""
    request, voice = pipeline.settled(request), pipeline.voice
    clock, place, frames = StageClock(request.id, ignore_stage), Place(), 0
    for sentence in split_sentences(request.text, pipeline.g2p.words):
        phones = phones_of(pipeline, request, sentence, clock)
        targets = frame_targets(phones, request.overrides, request.pauses, place, 1 / request.speed, voice)
        frames += sum(target.frames for target in targets)
        place = place.after(phones)
    pauses_s = frames * voice.hop_length / voice.sampling_rate
    return max(SHORTEST_S, request.pre_silence_s + pauses_s + request.post_silence_s)
