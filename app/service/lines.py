"""Texts with the settings of a line, spoken as `koebako speak` does: the silences asked for lie around all that the voice makes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from app.core.shaped import ShapedSentence, each_sentence, measured, shaped_sound
from app.core.silent_lines import silence_s
from app.core.types import Float32
from app.core.waveform import silence
from app.errors import NothingToReadError
from app.service.layout import frames_of, layout_of
from app.service.shape import LONGEST_SOUND_S, Shape, too_long
from app.service.speech import Speech, check_text


def shape_of_line(speech: Speech) -> Shape:
    """All lengths of the text of `speech.base`. Raises Refused where the text or its sound is too long, and as `measured`."""
    try:
        sentences = tuple(_sentences(speech))
    except NothingToReadError:
        return Shape((), 0, 0, 0, len(_silent_line(speech)))
    layout, frames = layout_of([sentence.phones for sentence in sentences]), frames_of(sentences)
    opening, closing = (sum(frames.get(place, 0) for place in places) for places in (layout.opening, layout.closing))
    hop, (before, after) = speech.pipeline.voice.hop_length, (len(piece) for piece in _silences(speech))
    return Shape(sentences, opening, closing, before + opening * hop, after + closing * hop)


def line_as_made(speech: Speech) -> Iterator[Float32]:
    """The samples that `shape_of_line` has counted, in pieces: a sentence is not looked at before the last one has sounded.

    The first piece comes when the first sentence is measured. Raises as `shape_of_line`, later than it does.
    """
    before, after = _silences(speech)
    sentences = _sentences(speech)
    try:
        first = next(sentences)
    except NothingToReadError:
        yield _silent_line(speech)
        return
    yield before
    for sentence in chain([first], sentences):
        yield from shaped_sound(speech.pipeline, speech.base, [sentence], speech.on_stage, speech.cancelled)
    yield after


def _sentences(speech: Speech) -> Iterator[ShapedSentence]:
    """With all their frames, one when it is asked for."""
    check_text(speech.base.text)
    voice, total = speech.pipeline.voice, sum(len(piece) for piece in _silences(speech))
    for sentence in each_sentence(speech.pipeline, speech.base, speech.cancelled):
        (found,) = measured(speech.pipeline, speech.base, [sentence], speech.on_stage, speech.cancelled)
        total += found.total * voice.hop_length
        if total > LONGEST_SOUND_S * voice.sampling_rate:
            raise too_long()
        yield found


def _silent_line(speech: Speech) -> Float32:
    length_s = silence_s(speech.pipeline, speech.base)
    if length_s > LONGEST_SOUND_S:
        raise too_long()
    return silence(length_s, speech.pipeline.voice.sampling_rate)


def _silences(speech: Speech) -> tuple[Float32, Float32]:
    rate, base = speech.pipeline.voice.sampling_rate, speech.base
    return silence(base.pre_silence_s, rate), silence(base.post_silence_s, rate)
