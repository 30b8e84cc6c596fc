"""Lines without anything readable, such as "……": where a line is one of several, it is silent instead of an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.common.errors import NothingToReadError
from app.core.sound.edit_targets import LineOffset, build_frame_targets
from app.core.sound.pipeline import Pipeline, report_empty_queue
from app.core.sound.sentence_stages import convert_to_phones
from app.core.sound.stage_clock import OnStage, StageClock, ignore_cancellation, ignore_stage
from app.core.sound.waveform import create_silence
from app.core.synthesis_types import AudioChunk, SynthesisRequest
from app.core.text.sentence_splitting import split_sentences

SHORTEST_SILENT_LINE_S = 0.1


def synthesize_or_silence(
    pipeline: Pipeline,
    request: SynthesisRequest,
    on_stage: OnStage = ignore_stage,
    cancelled: Callable[[], bool] = ignore_cancellation,
    queued_s: Callable[[], float] = report_empty_queue,
) -> Iterator[AudioChunk]:
    """Yield chunks as `Pipeline.synthesize` does, but one chunk of silence where nothing can be read."""
    try:
        yield from pipeline.synthesize(request, on_stage, cancelled, queued_s)
    except NothingToReadError:
        rate = pipeline.voice.sampling_rate
        yield AudioChunk(create_silence(compute_silence_s(pipeline, request), rate), rate, request.id, 0, silence=True, last=True)


def compute_silence_s(pipeline: Pipeline, request: SynthesisRequest) -> float:
    """Return the seconds of such a line: the silences around it and the pauses set for its marks; other marks add nothing."""
    request, voice = pipeline.resolve_edits(request), pipeline.voice
    clock, place, frames = StageClock(request.id, ignore_stage), LineOffset(), 0
    for sentence in split_sentences(request.text, pipeline.g2p.split_words):
        phones = convert_to_phones(pipeline, request, sentence, clock)
        targets = build_frame_targets(
            phones, voice.encode_phones(phones).edges, request.overrides, request.pauses, place, 1 / request.speed, voice
        )
        frames += sum(target.frames for target in targets)
        place = place.advance_past(phones)
    pauses_s = frames * voice.hop_length / voice.sampling_rate
    return max(SHORTEST_SILENT_LINE_S, request.pre_silence_s + pauses_s + request.post_silence_s)
