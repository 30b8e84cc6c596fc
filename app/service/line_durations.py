"""Texts with the settings of a line, spoken as `koebako speak` does: the silences asked for lie around all that the voice makes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from app.common.errors import NothingToReadError
from app.core.fixed_durations import FixedSentence, iterate_sentences, measure_durations, synthesize_fixed
from app.core.silent_lines import compute_silence_s
from app.core.synthesis_types import Float32
from app.core.waveform import create_silence
from app.service.mora_alignment import align_moras, map_frames
from app.service.query_durations import MAX_SOUND_S, LineDurations, create_too_long_refusal
from app.service.query_synthesizer import QuerySynthesizer, check_text


def measure_line(speech: QuerySynthesizer) -> LineDurations:
    """All lengths of the text of `speech.base`. Raises Refused where the text or its sound is too long, and as `measured`."""
    try:
        sentences = tuple(_measure_sentences(speech))
    except NothingToReadError:
        return LineDurations((), 0, 0, 0, len(_create_silent_line(speech)))
    layout, frames = align_moras([sentence.phones for sentence in sentences]), map_frames(sentences)
    opening, closing = (sum(frames.get(place, 0) for place in places) for places in (layout.opening, layout.closing))
    hop, (before, after) = speech.pipeline.voice.hop_length, (len(piece) for piece in _create_silences(speech))
    return LineDurations(sentences, opening, closing, before + opening * hop, after + closing * hop)


def stream_line(speech: QuerySynthesizer) -> Iterator[Float32]:
    """The samples that `measure_line` has counted, in pieces: a sentence is not looked at before the last one has sounded.

    The first piece comes when the first sentence is measured. Raises as `measure_line`, later than it does.
    """
    before, after = _create_silences(speech)
    sentences = _measure_sentences(speech)
    try:
        first = next(sentences)
    except NothingToReadError:
        yield _create_silent_line(speech)
        return
    yield before
    for sentence in chain([first], sentences):
        yield from synthesize_fixed(speech.pipeline, speech.base, [sentence], speech.on_stage, speech.cancelled)
    yield after


def _measure_sentences(speech: QuerySynthesizer) -> Iterator[FixedSentence]:
    """With all their frames, one when it is asked for."""
    check_text(speech.base.text)
    voice, total = speech.pipeline.voice, sum(len(piece) for piece in _create_silences(speech))
    for sentence in iterate_sentences(speech.pipeline, speech.base, speech.cancelled):
        (found,) = measure_durations(speech.pipeline, speech.base, [sentence], speech.on_stage, speech.cancelled)
        total += found.total * voice.hop_length
        if total > MAX_SOUND_S * voice.sampling_rate:
            raise create_too_long_refusal()
        yield found


def _create_silent_line(speech: QuerySynthesizer) -> Float32:
    length_s = compute_silence_s(speech.pipeline, speech.base)
    if length_s > MAX_SOUND_S:
        raise create_too_long_refusal()
    return create_silence(length_s, speech.pipeline.voice.sampling_rate)


def _create_silences(speech: QuerySynthesizer) -> tuple[Float32, Float32]:
    rate, base = speech.pipeline.voice.sampling_rate, speech.base
    return create_silence(base.pre_silence_s, rate), create_silence(base.post_silence_s, rate)
