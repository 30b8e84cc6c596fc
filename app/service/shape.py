"""From a query to phones and frames: what the client left as it was keeps its sound, what it edited is obeyed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from app.core.pipeline import Pipeline
from app.core.shaped import ShapedSentence, measured
from app.core.timing import OnStage
from app.core.types import Phones, SynthesisRequest
from app.service.layout import Layout, Place, frames_of, layout_of
from app.service.one_graph import check_unedited, paced
from app.service.query import AudioQuery
from app.service.refused import Refused, refused

LONGEST_SOUND_S = 600.0


@dataclass(frozen=True, slots=True)
class Shape:
    """A line that is ready to sound.

    Attributes:
        sentences: with all their frames.
        opening, closing: frames before the first mora and after the last, which the silences of the query take in.
        pre, post: samples before the first mora and after the last.
    """

    sentences: tuple[ShapedSentence, ...]
    opening: int
    closing: int
    pre: int
    post: int

    def samples(self, hop: int) -> int:
        """Of the whole sound, silences included."""
        return self.pre + self.post + (sum(sentence.total for sentence in self.sentences) - self.opening - self.closing) * hop


def too_long() -> Refused:
    """For lengths that no sound may have."""
    return refused(422, "音声が長すぎます。", f"The sound would be longer than {LONGEST_SOUND_S:g} s.")


def shape_of(
    pipeline: Pipeline,
    query: AudioQuery,
    sentences: Sequence[ShapedSentence],
    request: SynthesisRequest,
    on_stage: OnStage,
    cancelled: Callable[[], bool],
) -> tuple[Shape, SynthesisRequest]:
    """How a query sounds, and what to ask the pipeline for. Raises Refused for lengths that this voice cannot have, or that no sound may have."""
    voice, layout = pipeline.voice, layout_of([sentence.phones for sentence in sentences])
    frame_s, left_s = voice.hop_length / voice.sampling_rate, 0.0

    def measure(asked: SynthesisRequest) -> list[ShapedSentence]:
        return measured(pipeline, asked, sentences, on_stage, cancelled)

    own: Sequence[ShapedSentence] = measure(request)
    frames = frames_of(own)
    wanted = dict(_wanted_s(query, layout, frames, frame_s))
    if not pipeline.opaque:
        frames |= _whole(wanted, frame_s)
    elif frames:
        plain = frames_of(measure(replace(request, speed=1.0)))
        check_unedited(pipeline, dict(_wanted_s(replace(query, speed=1.0), layout, plain, frame_s)), plain)
        own, request, left_s = paced(own, request, sum(wanted.values()), query.post_s, measure, wanted.keys(), frame_s)
        frames = frames_of(own)
    if sum(frames.values()) * frame_s > LONGEST_SOUND_S:
        raise too_long()
    shaped = [replace(one, frames=_own_frames(frames, at, one.phones)) for at, one in enumerate(sentences)] if frames else list(own)
    opening, closing = (sum(frames.get(place, 0) for place in places) for places in (layout.opening, layout.closing))
    trailing = query.accent_phrases[-1].pause_mora if query.accent_phrases else None
    post_s = max(0.0, query.post_s + left_s) + (0.0 if trailing is None else _pause_s(query, trailing.vowel_length) / query.speed)
    pre, post = (round(length_s * voice.sampling_rate) for length_s in (query.pre_s, post_s))
    return Shape(tuple(shaped), opening, closing, pre, post), request


def _own_frames(frames: Mapping[Place, int], at: int, phones: Phones) -> tuple[int, ...]:
    return tuple(frames[at, place] for place in range(len(phones.phones)))


def _wanted_s(query: AudioQuery, layout: Layout, frames: Mapping[Place, int], frame_s: float) -> Iterator[tuple[Place, float]]:
    """Seconds of every phone from the first mora to the last, in order; what is not edited lasts as the voice has it."""
    at, pauses = 0, layout.pauses
    for phrase in query.accent_phrases:
        for mora in phrase.moras:
            *before, last = layout.moras[at]
            own = [frames.get(place, 0) * frame_s for place in before]
            given, total = (mora.consonant_length or 0.0) / query.speed, sum(own)
            yield from ((place, given * length / total if given and total else length) for place, length in zip(before, own, strict=True))
            yield last, mora.vowel_length / query.speed or frames.get(last, 0) * frame_s
            at += 1
            if at in pauses and mora is not phrase.moras[-1]:
                yield from ((place, 0.0) for place in pauses[at])  # the client joined what a mark had parted
        if phrase.moras and at in pauses:
            places = pauses[at]
            own = [frames.get(place, 0) * frame_s for place in places]
            pause = phrase.pause_mora
            length_s = 0.0 if pause is None else _pause_s(query, pause.vowel_length or sum(own) * query.speed) / query.speed
            share = [length / sum(own) if sum(own) else 1 / len(own) for length in own]
            yield from ((place, length_s * part) for place, part in zip(places, share, strict=True))


def _pause_s(query: AudioQuery, length_s: float) -> float:
    return (length_s if query.pause_s is None else query.pause_s) * query.pause_scale


def _whole(wanted: Mapping[Place, float], frame_s: float) -> dict[Place, int]:
    """Whole frames for the wanted seconds, whose sum never strays by more than a half."""
    edges = [int(end_s / frame_s + 0.5) for end_s in accumulate(wanted.values(), initial=0.0)]
    return {place: end - start for place, (start, end) in zip(wanted, pairwise(edges), strict=True)}
