"""What the service computes, in the synthesis thread: queries from texts, lengths of phrases, and sound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from app.core.pipeline import Pipeline
from app.core.shaped import ShapedSentence, measured, read_sentences, shaped_sound
from app.core.timing import OnStage, ignore_stage, never
from app.core.types import Float32, SynthesisRequest
from app.errors import NothingToReadError
from app.service.layout import frames_of, layout_of
from app.service.phrases import phrases_of_text, with_lengths, with_pitches
from app.service.query import LONGEST_TEXT, AccentPhrase, AudioQuery
from app.service.query_request import request_of
from app.service.read_texts import ReadTexts
from app.service.refused import refused
from app.service.sentences import sentences_for
from app.service.shape import Shape, shape_of

SILENCE_S = 0.1  # before and after, unless a voice needs more
FADE_S = 0.005  # where a client cuts what a voice still sounds


@dataclass(slots=True)
class Speech:
    """One computation with one voice and style.

    Attributes:
        base: speaker and style, and what else the client decides beyond a query.
        texts: shared by all.
    """

    pipeline: Pipeline
    base: SynthesisRequest
    texts: ReadTexts
    on_stage: OnStage = ignore_stage
    cancelled: Callable[[], bool] = never
    _sentences: list[ShapedSentence] = field(default_factory=list)

    def phrases(self, text: str) -> tuple[AccentPhrase, ...]:
        """Accent phrases of a text, with true lengths; none for a text without a sound."""
        check_text(text)
        try:
            self._sentences = read_sentences(self.pipeline, replace(self.base, text=text), self.cancelled)
        except NothingToReadError:
            self._sentences = []
            return ()
        plain = phrases_of_text(self.pipeline, text, self._sentences)
        self.texts.remember(plain, text)
        return self._timed(plain)

    def query(self, text: str) -> AudioQuery:
        """A query whose lengths are those of the sound."""
        phrases = self.phrases(text)
        layout, frames = layout_of([sentence.phones for sentence in self._sentences]), frames_of(self._sentences)
        opening, closing = (sum(frames.get(place, 0) for place in places) * self._frame_s for places in (layout.opening, layout.closing))
        return AudioQuery(
            phrases,
            pre_s=max(SILENCE_S, opening),
            post_s=max(SILENCE_S, closing),
            rate=self.pipeline.voice.sampling_rate,
            kana=text,
            seed=self.base.seed,
        )

    def lengths(self, phrases: Sequence[AccentPhrase]) -> tuple[AccentPhrase, ...]:
        """The phrases with the lengths that the voice gives them."""
        self._sentences = sentences_for(self.pipeline, phrases, self.texts.find(phrases), self.base, self.cancelled)
        return self._timed(phrases)

    def pitches(self, phrases: Sequence[AccentPhrase]) -> tuple[AccentPhrase, ...]:
        """The phrases with the picture of their accent."""
        sentences = sentences_for(self.pipeline, phrases, self.texts.find(phrases), self.base, self.cancelled)
        phones = [sentence.phones for sentence in sentences]
        return with_pitches(phrases, layout_of(phones), phones)

    def shape(self, query: AudioQuery, *, upspeak: bool = True) -> tuple[Shape, SynthesisRequest]:
        """A query, ready to sound; Refused where nothing in it can be spoken."""
        request = request_of(query, self.base)
        sentences = sentences_for(self.pipeline, query.accent_phrases, self._texts_of(query), request, self.cancelled)
        if not sentences:
            return Shape((), 0, 0, *(round(s * self.pipeline.voice.sampling_rate) for s in (query.pre_s, query.post_s))), request
        if not upspeak:
            sentences = [_falling(sentence) for sentence in sentences]
        return shape_of(self.pipeline, query, sentences, request, self.on_stage, self.cancelled)

    def _texts_of(self, query: AudioQuery) -> Iterator[str]:
        """What the query may have been made of, the likeliest first."""
        if query.kana and len(query.kana) <= LONGEST_TEXT:
            yield query.kana
        yield from (text for text in self.texts.find(query.accent_phrases) if text != query.kana)

    def sound(self, shape: Shape, request: SynthesisRequest) -> Iterator[Float32]:
        """Exactly `shape.samples` samples, in pieces as soon as each is ready."""
        hop, rate = self.pipeline.voice.hop_length, self.pipeline.voice.sampling_rate
        skip = max(0, shape.opening * hop - shape.pre)
        left = shape.samples(hop)
        opening = np.zeros(min(left, max(0, shape.pre - shape.opening * hop)), np.float32)
        left -= len(opening)
        cut = shape.closing * hop > shape.post
        if len(opening):
            yield opening
        for piece in shaped_sound(self.pipeline, request, shape.sentences, self.on_stage, self.cancelled):
            dropped, skip = min(skip, len(piece)), max(0, skip - len(piece))
            heard = piece[dropped:][:left]
            left -= len(heard)
            if not left and cut:
                heard = _faded(heard, round(FADE_S * rate))
                cut = False
            if len(heard):
                yield heard
        if left and not self.cancelled():
            yield np.zeros(left, np.float32)

    def _timed(self, phrases: Sequence[AccentPhrase]) -> tuple[AccentPhrase, ...]:
        self._sentences = measured(self.pipeline, self.base, self._sentences, self.on_stage, self.cancelled)
        layout = layout_of([sentence.phones for sentence in self._sentences])
        return with_lengths(phrases, layout, frames_of(self._sentences), self._frame_s)

    @property
    def _frame_s(self) -> float:
        return self.pipeline.voice.hop_length / self.pipeline.voice.sampling_rate


def check_text(text: str) -> None:
    """Raises Refused for a text that is too long."""
    if len(text) > LONGEST_TEXT:
        raise refused(
            422, f"テキストは {LONGEST_TEXT:,} 文字までです。", f"A text may have up to {LONGEST_TEXT:,} characters; send it in parts."
        )


def _falling(sentence: ShapedSentence) -> ShapedSentence:
    """A question as a statement."""
    phones = sentence.phones
    marks = tuple("." if phone == "?" else phone for phone in phones.phones)
    return replace(sentence, phones=replace(phones, text=phones.text.replace("?", "."), phones=marks))


def _faded(samples: Float32, length: int) -> Float32:
    faded = samples.copy()
    part = faded[-length:] if length else faded[:0]
    part *= np.linspace(1, 0, len(part), dtype=np.float32)
    return faded
