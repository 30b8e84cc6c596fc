"""Computes the service's results in the synthesis thread: queries from texts, lengths of phrases, and sound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from app.common.errors import NothingToReadError
from app.core.fixed_durations import FixedSentence, measure_durations, read_sentences, synthesize_fixed
from app.core.pipeline import Pipeline
from app.core.stage_clock import OnStage, ignore_cancellation, ignore_stage
from app.core.synthesis_types import Float32, SynthesisRequest
from app.service.http_errors import create_refusal
from app.service.mora_alignment import align_moras, map_frames
from app.service.phrase_sentences import find_sentences
from app.service.query_durations import LineDurations, resolve_query_durations
from app.service.query_request import build_synthesis_request
from app.service.query_texts import QueryTextMemory
from app.service.voicevox_phrases import apply_lengths, apply_pitches, build_phrases
from app.service.voicevox_query import MAX_QUERY_TEXT, AccentPhrase, AudioQuery

# Before and after, unless a voice needs more.
QUERY_SILENCE_S = 0.1
# Where a client cuts what a voice still sounds.
CUT_FADE_S = 0.005


@dataclass(slots=True)
class QuerySynthesizer:
    """One computation with one voice and style.

    Attributes:
        base: speaker and style, and what else the client decides beyond a query.
        texts: shared by all.
    """

    pipeline: Pipeline
    base: SynthesisRequest
    texts: QueryTextMemory
    on_stage: OnStage = ignore_stage
    cancelled: Callable[[], bool] = ignore_cancellation
    _sentences: list[FixedSentence] = field(default_factory=list)

    def read_phrases(self, text: str) -> tuple[AccentPhrase, ...]:
        """Accent phrases of a text, with true lengths; none for a text without a sound."""
        check_text(text)
        try:
            self._sentences = read_sentences(self.pipeline, replace(self.base, text=text), self.cancelled)
        except NothingToReadError:
            self._sentences = []
            return ()
        plain = build_phrases(self.pipeline, text, self._sentences)
        self.texts.remember_text(plain, text)
        return self._measure_phrases(plain)

    def create_query(self, text: str) -> AudioQuery:
        """A query whose lengths are those of the sound."""
        phrases = self.read_phrases(text)
        layout, frames = align_moras([sentence.phones for sentence in self._sentences]), map_frames(self._sentences)
        opening, closing = (sum(frames.get(place, 0) for place in places) * self._frame_s for places in (layout.opening, layout.closing))
        return AudioQuery(
            phrases,
            pre_s=max(QUERY_SILENCE_S, opening),
            post_s=max(QUERY_SILENCE_S, closing),
            rate=self.pipeline.voice.sampling_rate,
            kana=text,
            seed=self.base.seed,
        )

    def apply_voice_lengths(self, phrases: Sequence[AccentPhrase]) -> tuple[AccentPhrase, ...]:
        """The phrases with the lengths that the voice gives them."""
        self._sentences = find_sentences(self.pipeline, phrases, self.texts.find_texts(phrases), self.base, self.cancelled)
        return self._measure_phrases(phrases)

    def apply_accent_pitches(self, phrases: Sequence[AccentPhrase]) -> tuple[AccentPhrase, ...]:
        """The phrases with the picture of their accent."""
        sentences = find_sentences(self.pipeline, phrases, self.texts.find_texts(phrases), self.base, self.cancelled)
        phones = [sentence.phones for sentence in sentences]
        return apply_pitches(phrases, align_moras(phones), phones)

    def resolve_durations(self, query: AudioQuery, *, should_upspeak: bool = True) -> tuple[LineDurations, SynthesisRequest]:
        """A query, ready to sound; Refused where nothing in it can be spoken."""
        request = build_synthesis_request(query, self.base)
        sentences = find_sentences(self.pipeline, query.accent_phrases, self._list_likely_texts(query), request, self.cancelled)
        if not sentences:
            return LineDurations((), 0, 0, *(round(s * self.pipeline.voice.sampling_rate) for s in (query.pre_s, query.post_s))), request
        if not should_upspeak:
            sentences = [_convert_to_statement(sentence) for sentence in sentences]
        return resolve_query_durations(self.pipeline, query, sentences, request, self.on_stage, self.cancelled)

    def _list_likely_texts(self, query: AudioQuery) -> Iterator[str]:
        """Return the texts that the query may have been made of, the likeliest first."""
        if query.kana and len(query.kana) <= MAX_QUERY_TEXT:
            yield query.kana
        yield from (text for text in self.texts.find_texts(query.accent_phrases) if text != query.kana)

    def synthesize_samples(self, durations: LineDurations, request: SynthesisRequest) -> Iterator[Float32]:
        """Exactly `shape.samples` samples, in pieces as soon as each is ready."""
        hop, rate = self.pipeline.voice.hop_length, self.pipeline.voice.sampling_rate
        skip = max(0, durations.opening * hop - durations.pre)
        left = durations.count_samples(hop)
        opening = np.zeros(min(left, max(0, durations.pre - durations.opening * hop)), np.float32)
        left -= len(opening)
        cut = durations.closing * hop > durations.post
        if len(opening):
            yield opening
        for piece in synthesize_fixed(self.pipeline, request, durations.sentences, self.on_stage, self.cancelled):
            dropped, skip = min(skip, len(piece)), max(0, skip - len(piece))
            heard = piece[dropped:][:left]
            left -= len(heard)
            if not left and cut:
                heard = _fade_out(heard, round(CUT_FADE_S * rate))
                cut = False
            if len(heard):
                yield heard
        if left and not self.cancelled():
            yield np.zeros(left, np.float32)

    def _measure_phrases(self, phrases: Sequence[AccentPhrase]) -> tuple[AccentPhrase, ...]:
        self._sentences = measure_durations(self.pipeline, self.base, self._sentences, self.on_stage, self.cancelled)
        layout = align_moras([sentence.phones for sentence in self._sentences])
        return apply_lengths(phrases, layout, map_frames(self._sentences), self._frame_s)

    @property
    def _frame_s(self) -> float:
        return self.pipeline.voice.hop_length / self.pipeline.voice.sampling_rate


def check_text(text: str) -> None:
    """Raises Refused for a text that is too long."""
    if len(text) > MAX_QUERY_TEXT:
        raise create_refusal(
            422, f"テキストは {MAX_QUERY_TEXT:,} 文字までです。", f"A text may have up to {MAX_QUERY_TEXT:,} characters; send it in parts."
        )


def _convert_to_statement(sentence: FixedSentence) -> FixedSentence:
    """A question as a statement."""
    phones = sentence.phones
    marks = tuple("." if phone == "?" else phone for phone in phones.phones)
    return replace(sentence, phones=replace(phones, text=phones.text.replace("?", "."), phones=marks))


def _fade_out(samples: Float32, length: int) -> Float32:
    faded = samples.copy()
    part = faded[-length:] if length else faded[:0]
    part *= np.linspace(1, 0, len(part), dtype=np.float32)
    return faded
