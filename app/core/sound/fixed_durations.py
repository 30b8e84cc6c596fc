"""Lines with lengths known before synthesis: one run of the prosody measures them, and the sound keeps to them to the sample."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.common.errors import BackendError
from app.core.sound.edit_targets import LineOffset
from app.core.sound.melody import build_melody, count_lead_steps
from app.core.sound.pipeline import Pipeline, create_nothing_to_read_error
from app.core.sound.ports import STEPS_PER_FRAME
from app.core.sound.sentence_stages import SentenceStages
from app.core.sound.stage_clock import OnStage, RequestStopped, StageClock, ignore_cancellation, ignore_stage
from app.core.synthesis_types import Float32, Phones, SynthesisRequest, check_phone_count, check_request


@dataclass(frozen=True, slots=True)
class FixedSentence:
    """A sentence with fixed phones and tones, and the length of each phone."""

    index: int  # index of the sentence in its line, from 0; the sentence's noise depends on it
    phones: Phones
    frames: tuple[int | None, ...] = ()  # frames of each phone with its blanks, `_` at both ends included; None leaves a phone to the voice
    single_graph_frames: int = 0  # frames of all of it, where a voice of one graph reports no more

    @property
    def total(self) -> int:
        """Return the frames of the whole sentence; the result is right only where all are known."""
        return self.single_graph_frames or max(1, sum(count or 0 for count in self.frames))


def read_sentences(
    pipeline: Pipeline, request: SynthesisRequest, cancelled: Callable[[], bool] = ignore_cancellation
) -> list[FixedSentence]:
    """Return the readable sentences of a text as the front end reads them. Raises as `Pipeline.synthesize`, and RequestStopped."""
    return list(iterate_sentences(pipeline, request, cancelled))


def iterate_sentences(
    pipeline: Pipeline, request: SynthesisRequest, cancelled: Callable[[], bool] = ignore_cancellation
) -> Iterator[FixedSentence]:
    """Yield the same sentences as `read_sentences`, each one converted only when the caller takes it."""
    check_request(request)
    pipeline.check_voice(request)
    clock = StageClock(request.id, ignore_stage, cancelled, pipeline.warm)
    stages = None
    for stages in pipeline.iterate_sentences(request, clock):
        yield FixedSentence(stages.clock.sentence, stages.phones)
    if stages is None:
        raise create_nothing_to_read_error()


def measure_durations(
    pipeline: Pipeline,
    request: SynthesisRequest,
    sentences: Sequence[FixedSentence],
    on_stage: OnStage = ignore_stage,
    cancelled: Callable[[], bool] = ignore_cancellation,
) -> list[FixedSentence]:
    """Return the sentences with the frames of every phone at the request's speed; no frames where a voice of one graph reports none.

    Raises as `Pipeline.synthesize`, and RequestStopped.
    """
    result = []
    for stages, sentence in zip(_build_stages(pipeline, request, sentences, on_stage, cancelled), sentences, strict=True):
        stages.prepare_sentence()
        frames = stages.measure_phones()
        result.append(replace(sentence, frames=frames, single_graph_frames=0 if frames else stages.frames))
    return result


def compute_phone_pitches(pipeline: Pipeline, request: SynthesisRequest, sentence: FixedSentence) -> tuple[float, ...]:
    """Return the pitch of each phone in Hz, as the melody of a measured sentence has it in its mean; 0 for a phone without frames.

    Returns nothing for a voice that takes no melody.
    """
    voice = pipeline.voice
    if not voice.architecture.takes_melody or not sentence.frames:
        return ()
    frames = np.array([count or 0 for count in sentence.frames], np.int64)
    logs = np.log(build_melody(sentence.phones, frames, voice.limit_numbers(request), voice).f0, dtype=np.float64)
    lead = count_lead_steps(voice)
    ends = np.cumsum(frames) * STEPS_PER_FRAME
    stretches = zip(np.maximum(ends - frames * STEPS_PER_FRAME - lead, 0), np.maximum(ends - lead, 1), frames, strict=True)
    return tuple(float(np.exp(logs[start:end].mean())) if count else 0.0 for start, end, count in stretches)


def synthesize_fixed(
    pipeline: Pipeline,
    request: SynthesisRequest,
    sentences: Sequence[FixedSentence],
    on_stage: OnStage = ignore_stage,
    cancelled: Callable[[], bool] = ignore_cancellation,
) -> Iterator[Float32]:
    """Yield the sound of sentences whose frames are all known, without silence around it: exactly `total` · hop samples of each.

    Yields nothing more once `cancelled()` is true. Raises as `Pipeline.synthesize`.
    """
    try:
        for stages, sentence in zip(_build_stages(pipeline, request, sentences, on_stage, cancelled), sentences, strict=True):
            samples_left = sentence.total * pipeline.voice.hop_length
            stages.prepare_sentence()
            for chunk in stages.render_chunks():
                yield chunk.samples[:samples_left]
                samples_left -= min(samples_left, len(chunk.samples))
            # Lines leave out the inaudible tail, but here the promised number of samples counts.
            if samples_left:
                yield np.zeros(samples_left, np.float32)
    except (RequestStopped, BackendError):
        # As in `Pipeline.synthesize`.
        if not cancelled():
            raise


def _build_stages(
    pipeline: Pipeline, request: SynthesisRequest, sentences: Sequence[FixedSentence], on_stage: OnStage, cancelled: Callable[[], bool]
) -> Iterator[SentenceStages]:
    check_request(request)
    pipeline.check_voice(request)
    clock = StageClock(request.id, on_stage, cancelled, pipeline.warm)
    request = pipeline.voice.limit_numbers(request)
    style = pipeline.voice.build_style_vector(request.speaker, request.style, request.style_weight)
    offset = LineOffset()
    for sentence in sentences:
        check_phone_count(len(sentence.phones.phones))
        sentence_clock = replace(clock, sentence=sentence.index)
        sentence_clock.start_stage()
        shape = () if pipeline.is_single_graph else sentence.frames
        yield SentenceStages(pipeline, request, sentence_clock, style, sentence.phones, offset, shape)
        offset = offset.advance_past(sentence.phones)
