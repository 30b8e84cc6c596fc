"""Lines whose lengths are known before they sound: one run of the prosody measures them, and the sound then keeps to them to the sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.core.edits import Place
from app.core.limits import check_phones, check_request
from app.core.pipeline import Pipeline, nothing_to_read
from app.core.stages import Stages
from app.core.style import style_vector
from app.core.timing import OnStage, StageClock, Stopped, ignore_stage, never
from app.core.types import Float32, Phones, SynthesisRequest
from app.errors import BackendError


@dataclass(frozen=True, slots=True)
class ShapedSentence:
    """A sentence whose phones and tones are decided, and how long each phone lasts.

    Attributes:
        index: of the sentence in its line, from 0; its noise depends on it.
        frames: of each phone with its blanks, `_` at both ends included; None leaves a phone to the voice.
        whole: frames of all of it, where a voice of one graph reports no more.
    """

    index: int
    phones: Phones
    frames: tuple[int | None, ...] = ()
    whole: int = 0

    @property
    def total(self) -> int:
        """Frames of the whole sentence, where all are known."""
        return self.whole or max(1, sum(count or 0 for count in self.frames))


def read_sentences(pipeline: Pipeline, request: SynthesisRequest, cancelled: Callable[[], bool] = never) -> list[ShapedSentence]:
    """The sentences of a text that can be read, as the front end reads them. Raises as `Pipeline.synthesize`, and Stopped."""
    return list(each_sentence(pipeline, request, cancelled))


def each_sentence(pipeline: Pipeline, request: SynthesisRequest, cancelled: Callable[[], bool] = never) -> Iterator[ShapedSentence]:
    """The same, one when it is asked for."""
    check_request(request)
    pipeline.check_voice(request)
    clock = StageClock(request.id, ignore_stage, cancelled, pipeline.warm)
    stages = None
    for stages in pipeline.sentences(request, clock):
        yield ShapedSentence(stages.clock.sentence, stages.phones)
    if stages is None:
        raise nothing_to_read()


def measured(
    pipeline: Pipeline,
    request: SynthesisRequest,
    sentences: Sequence[ShapedSentence],
    on_stage: OnStage = ignore_stage,
    cancelled: Callable[[], bool] = never,
) -> list[ShapedSentence]:
    """The sentences with the frames of every phone at the request's speed; no frames where a voice of one graph does not report them.

    Raises as `Pipeline.synthesize`, and Stopped.
    """
    result = []
    for stages, sentence in zip(_stages(pipeline, request, sentences, on_stage, cancelled), sentences, strict=True):
        stages.prepare()
        frames = stages.lengths()
        result.append(replace(sentence, frames=frames, whole=0 if frames else stages.frames))
    return result


def shaped_sound(
    pipeline: Pipeline,
    request: SynthesisRequest,
    sentences: Sequence[ShapedSentence],
    on_stage: OnStage = ignore_stage,
    cancelled: Callable[[], bool] = never,
) -> Iterator[Float32]:
    """Sound of sentences whose frames are all known, without silence around it: exactly `total` · hop samples of each.

    Nothing more once `cancelled()` is true. Raises as `Pipeline.synthesize`.
    """
    try:
        for stages, sentence in zip(_stages(pipeline, request, sentences, on_stage, cancelled), sentences, strict=True):
            left = sentence.total * pipeline.voice.hop_length
            stages.prepare()
            for chunk in stages.sound():
                yield chunk.samples[:left]
                left -= min(left, len(chunk.samples))
            if left:  # the tail that nobody hears, which lines leave out
                yield np.zeros(left, np.float32)
    except Stopped:
        return
    except BackendError:
        if not cancelled():  # else the graph was stopped on purpose
            raise


def _stages(
    pipeline: Pipeline, request: SynthesisRequest, sentences: Sequence[ShapedSentence], on_stage: OnStage, cancelled: Callable[[], bool]
) -> Iterator[Stages]:
    check_request(request)
    pipeline.check_voice(request)
    clock = StageClock(request.id, on_stage, cancelled, pipeline.warm)
    style = style_vector(pipeline.voice.style_vectors, request.style, request.style_weight)
    for sentence in sentences:
        check_phones(len(sentence.phones.phones))
        own = replace(clock, sentence=sentence.index)
        own.start()
        shape = () if pipeline.opaque else sentence.frames
        yield Stages(pipeline, request, own, style, sentence.phones, Place(), shape)
