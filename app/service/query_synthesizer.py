"""Computes the service's results in the synthesis thread: queries from texts, lengths of phrases, and sound."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

import numpy as np

from app.common.errors import InputError, NothingToReadError
from app.core.sound.fixed_durations import FixedSentence, compute_phone_pitches, measure_durations, read_sentences, synthesize_fixed
from app.core.sound.line_edits import list_phrases
from app.core.sound.line_reading import read_line
from app.core.sound.pipeline import Pipeline
from app.core.sound.stage_clock import OnStage, ignore_cancellation, ignore_stage
from app.core.sound.waveform import devoice_pieces
from app.core.symbols import EDGE_SYMBOL, EMOJI_IDS, VOWEL_PHONES
from app.core.synthesis_types import Float32, Overrides, Phones, SynthesisRequest
from app.core.text.phone_ids import apply_tones, count_moras
from app.core.text.pronunciation import PHONES_BY_MORA, compute_phrase_heights, convert_to_katakana, find_mora_phones, split_moras
from app.interchange.voicevox_query_fields import convert_tempo
from app.service.query_edits import LineDurations, find_devoiced_moras, find_pitch_edits, resolve_query_durations
from app.service.request_fields import build_problem, create_invalid_refusal, create_refusal
from app.service.voicevox_query import (
    MAX_QUERY_TEXT,
    AccentPhrase,
    AudioQuery,
    MoraAlignment,
    QueryMora,
    QueryTextMemory,
    align_moras,
    apply_lengths,
    apply_pitches,
    build_phrases,
    list_phones,
    map_frames,
)

MAX_BREATH_MORAS = 60  # morae after which a pause ends the sentence
MAX_SENTENCE_MORAS = 400  # morae after which the next phrase begins another one


def _split_sentences(phrases: Sequence[AccentPhrase]) -> Iterator[list[AccentPhrase]]:
    group: list[AccentPhrase] = []
    for phrase in phrases:
        if not phrase.moras:
            continue
        group.append(phrase)
        mora_count = sum(len(member.moras) for member in group)
        has_ended = phrase.pause_mora is not None and (phrase.is_interrogative or mora_count > MAX_BREATH_MORAS)
        if has_ended or mora_count > MAX_SENTENCE_MORAS:
            yield group
            group = []
    if group:
        yield group


def _build_phones(phrases: Sequence[AccentPhrase], emoji: bool) -> Phones:
    """Build phones with one character a mora for BERT, which reads kana then."""
    text, reading, vowel = "", "", ""
    phones, tones, word2ph = [EDGE_SYMBOL], [0], [1]
    begins = tuple(accumulate((len(phrase.moras) for phrase in phrases[:-1]), initial=0))
    for index, phrase in enumerate(phrases):
        for mora, tone in zip(phrase.moras, compute_phrase_heights(len(phrase.moras), phrase.accent), strict=True):
            symbols, letters = _spell_mora(mora, vowel, emoji)
            vowel = symbols[-1] if symbols[-1] in VOWEL_PHONES or symbols[-1] == "N" else vowel
            text += letters
            reading += "" if letters in EMOJI_IDS else letters
            phones += symbols
            tones += [0 if letters in EMOJI_IDS else tone] * len(symbols)
            word2ph += [len(symbols), *[0] * (len(letters) - 1)]
        is_last = index + 1 == len(phrases)
        if is_last or phrase.pause_mora is not None:
            mark = "?" if phrase.is_interrogative else "." if is_last else ","
            text, vowel = text + mark, ""
            phones, tones, word2ph = [*phones, mark], [*tones, 0], [*word2ph, 1]
    return Phones(text, reading, (*phones, EDGE_SYMBOL), (*tones, 0), (*word2ph, 1), phrases=begins)


def _spell_mora(mora: QueryMora, vowel: str, emoji: bool) -> tuple[tuple[str, ...], str]:
    if emoji and mora.text in EMOJI_IDS:
        return (mora.text,), mora.text
    kana = convert_to_katakana(mora.text)
    is_mora = kana in PHONES_BY_MORA or kana == "ー" or (len(split_moras(kana)) == 1 and all(letter in PHONES_BY_MORA for letter in kana))
    symbols = find_mora_phones(kana, vowel) if is_mora and kana else ()
    if not symbols:
        raise create_invalid_refusal([build_problem("mora", ("body", "accent_phrases"), "This mora cannot be spoken", mora.text)])
    return symbols, kana


def find_sentences(
    pipeline: Pipeline, phrases: Sequence[AccentPhrase], texts: Iterable[str], request: SynthesisRequest, cancelled: Callable[[], bool]
) -> list[FixedSentence]:
    """Return sentences with the phones and tones of the phrases: of the first text that reads so, else as they are spelled."""
    for text, sentences in iterate_matching_texts(pipeline, phrases, texts, request, cancelled):
        layout = align_moras([sentence.phones for sentence in sentences])
        return sentences if _has_same_tones(phrases, sentences, layout) else _apply_accents(pipeline, text, phrases, sentences)
    groups = enumerate(_split_sentences(phrases))
    return [FixedSentence(index, _build_phones(group, pipeline.voice.emoji)) for index, group in groups]


def iterate_matching_texts(
    pipeline: Pipeline, phrases: Sequence[AccentPhrase], texts: Iterable[str], request: SynthesisRequest, cancelled: Callable[[], bool]
) -> Iterator[tuple[str, list[FixedSentence]]]:
    """Yield the texts that have the phones of the phrases, with their sentences as the front end reads them."""
    for text in texts:
        try:
            sentences = read_sentences(pipeline, replace(request, text=text), cancelled)
        except InputError:
            continue
        if _has_matching_phones(phrases, sentences, align_moras([sentence.phones for sentence in sentences])):
            yield text, sentences


def _has_matching_phones(phrases: Sequence[AccentPhrase], sentences: Sequence[FixedSentence], layout: MoraAlignment) -> bool:
    """Return whether the text has the phones of the phrases, a gap wherever they pause, and a question wherever they have one."""
    read = [[sentences[at].phones.phones[index] for at, index in offsets] for offsets in layout.moras]
    written = [list_phones(mora) for phrase in phrases for mora in phrase.moras]
    ends = list(accumulate(len(phrase.moras) for phrase in phrases))
    if [("".join(phones[:-1]), phones[-1]) for phones in read] != [("".join(phones[:-1]), phones[-1]) for phones in written]:
        return False
    pauses = {end for end, phrase in zip(ends, phrases, strict=True) if phrase.pause_mora is not None and end < len(read)}
    read_questions = {
        end for end, offsets in layout.gaps.items() if any(sentences[at].phones.phones[index] == "?" for at, index in offsets)
    }
    written_questions = {end for end, phrase in zip(ends, phrases, strict=True) if phrase.is_interrogative}
    return pauses <= layout.pauses.keys() and read_questions - {0} == written_questions


def _has_same_tones(phrases: Sequence[AccentPhrase], sentences: Sequence[FixedSentence], layout: MoraAlignment) -> bool:
    """Return whether the text was read with the accents of the phrases, so that it need not be read word by word for them."""
    heights = (tone for phrase in phrases for tone in compute_phrase_heights(len(phrase.moras), phrase.accent))
    pairs = ((offset, tone) for offsets, tone in zip(layout.moras, heights, strict=True) for offset in offsets)
    return all(sentences[at].phones.tones[index] == tone for (at, index), tone in pairs)


def _apply_accents(
    pipeline: Pipeline, text: str, phrases: Sequence[AccentPhrase], sentences: Sequence[FixedSentence]
) -> list[FixedSentence]:
    """Return the sentences with the accents of the phrases; an unedited phrase keeps the tones of its reading, whatever the rule gives."""
    reading = read_line(text, (), pipeline.g2p, pipeline.caches.phones, emoji=pipeline.voice.emoji)
    read = {(phrase.start, phrase.end): phrase for phrase in list_phrases(reading, Overrides())}
    tones: list[int] = []
    for phrase in phrases:
        start, size = len(tones), len(phrase.moras)
        read_phrase = read.get((start, start + size))
        is_unedited = read_phrase is not None and phrase.accent in (read_phrase.accent, read_phrase.accent or size)
        tones += read_phrase.tones if read_phrase is not None and is_unedited else compute_phrase_heights(size, phrase.accent)
    toned, at = [], 0
    for sentence in sentences:
        count = count_moras(sentence.phones.phones)
        toned.append(replace(sentence, phones=apply_tones(sentence.phones, dict(enumerate(tones[at : at + count])))))
        at += count
    return toned


def build_synthesis_request(query: AudioQuery, base: SynthesisRequest) -> SynthesisRequest:
    tempo = base.sdp_ratio if query.tempo is None else convert_tempo(query.tempo)
    return replace(
        base, speed=query.speed, pitch=12 * query.pitch, intonation=query.intonation, volume=query.volume, sdp_ratio=tempo, seed=query.seed
    )


QUERY_SILENCE_S = 0.1  # before and after, unless a voice needs more
CUT_FADE_S = 0.005  # where a client cuts what a voice still sounds


@dataclass(slots=True)
class QuerySynthesizer:
    """One computation with one voice and style."""

    pipeline: Pipeline
    base: SynthesisRequest  # speaker and style, and what else the client decides beyond a query
    texts: QueryTextMemory  # shared by all
    on_stage: OnStage = ignore_stage
    cancelled: Callable[[], bool] = ignore_cancellation
    _sentences: list[FixedSentence] = field(default_factory=list)

    def read_phrases(self, text: str) -> tuple[AccentPhrase, ...]:
        """Return the accent phrases of a text, with true lengths; none for a text without a sound."""
        check_text(text)
        try:
            self._sentences = read_sentences(self.pipeline, replace(self.base, text=text), self.cancelled)
        except NothingToReadError:
            self._sentences = []
            return ()
        plain = build_phrases(self.pipeline, text, self._sentences)
        self.texts.remember_text(plain, text)
        measured = self._measure_phrases(plain)
        return self._draw_pitches(measured, self._sentences) if self._takes_melody else measured

    def create_query(self, text: str) -> AudioQuery:
        """Return a query whose lengths are those of the sound."""
        phrases = self.read_phrases(text)
        layout, frames = align_moras([sentence.phones for sentence in self._sentences]), map_frames(self._sentences)
        opening_s, closing_s = (count * self._frame_s for count in layout.count_outer_frames(frames))
        return AudioQuery(
            phrases,
            pre_s=max(QUERY_SILENCE_S, opening_s),
            post_s=max(QUERY_SILENCE_S, closing_s),
            rate=self.pipeline.voice.sampling_rate,
            kana=text,
            seed=self.base.seed,
        )

    def apply_voice_lengths(self, phrases: Sequence[AccentPhrase]) -> tuple[AccentPhrase, ...]:
        self._sentences = find_sentences(self.pipeline, phrases, self.texts.find_texts(phrases), self.base, self.cancelled)
        return self._measure_phrases(phrases)

    def apply_accent_pitches(self, phrases: Sequence[AccentPhrase]) -> tuple[AccentPhrase, ...]:
        """Return the phrases with the pitches of the voice, or with those that picture their accent."""
        sentences = find_sentences(self.pipeline, phrases, self.texts.find_texts(phrases), self.base, self.cancelled)
        return self._draw_voice_pitches(phrases, sentences)

    def resolve_durations(self, query: AudioQuery, *, should_upspeak: bool = True) -> tuple[LineDurations, SynthesisRequest]:
        """Return the durations of a query and its request; raise RefusalError if nothing in it can be spoken."""
        request = build_synthesis_request(query, self.base)
        sentences = find_sentences(self.pipeline, query.accent_phrases, self._list_likely_texts(query), request, self.cancelled)
        if not sentences:
            pre, post = (round(s * self.pipeline.voice.sampling_rate) for s in (query.pre_s, query.post_s))
            return LineDurations((), 0, 0, pre, post), request
        edits, devoiced = self._find_pitch_edits(query, sentences), find_devoiced_moras(query.accent_phrases)
        if not should_upspeak:
            sentences = [_convert_to_statement(sentence) for sentence in sentences]
        durations, resolved = resolve_query_durations(self.pipeline, query, sentences, request, self.on_stage, self.cancelled)
        if (edits.moras or devoiced) and not map_frames(durations.sentences):
            # To ignore an edit would be worse. A voice of one graph may not report when its morae sound.
            raise create_refusal(
                422,
                f"声「{self.pipeline.voice.name}」では、モーラごとの音高を変更できません。",
                f"Pitches of single morae cannot be changed with “{self.pipeline.voice.name}”.",
            )
        return replace(durations, devoiced=devoiced), replace(resolved, overrides=edits)

    def _find_pitch_edits(self, query: AudioQuery, sentences: Sequence[FixedSentence]) -> Overrides:
        phrases = query.accent_phrases
        if not any(mora.pitch > 0 for phrase in phrases for mora in phrase.moras):
            return Overrides()

        def draw_as_read() -> Sequence[AccentPhrase] | None:
            texts = self._list_likely_texts(query)
            for _text, read in iterate_matching_texts(self.pipeline, phrases, texts, self.base, self.cancelled):
                return self._draw_voice_pitches(phrases, read)
            return None

        return find_pitch_edits(phrases, self._draw_voice_pitches(phrases, sentences), draw_as_read)

    def _list_likely_texts(self, query: AudioQuery) -> Iterator[str]:
        """Return the texts that the query may have been made of, the likeliest first."""
        if query.kana and len(query.kana) <= MAX_QUERY_TEXT:
            yield query.kana
        yield from (text for text in self.texts.find_texts(query.accent_phrases) if text != query.kana)

    def synthesize_samples(self, durations: LineDurations, request: SynthesisRequest) -> Iterator[Float32]:
        """Yield as many samples as `LineDurations.count_samples` states, in pieces as soon as each is ready."""
        voiced = self._synthesize_voiced(durations, request)
        spans = durations.list_devoiced_spans(self.pipeline.voice.hop_length)
        return devoice_pieces(voiced, spans, self.pipeline.voice.sampling_rate) if spans else voiced

    def _synthesize_voiced(self, durations: LineDurations, request: SynthesisRequest) -> Iterator[Float32]:
        """Yield the samples as the voice speaks them, before any mora is devoiced."""
        hop, rate = self.pipeline.voice.hop_length, self.pipeline.voice.sampling_rate
        # A voice that sounds ahead of its frames is held back, so that each mora sounds where the query has it.
        lead = round(self.pipeline.voice.architecture.sound_lead_s * rate)
        silent_count = durations.pre + lead - durations.opening * hop
        skip_count, left_count = max(0, -silent_count), durations.count_samples(hop)
        opening = np.zeros(min(left_count, max(0, silent_count)), np.float32)
        left_count -= len(opening)
        is_cut = durations.closing * hop - lead > durations.post
        if len(opening):
            yield opening
        for samples in synthesize_fixed(self.pipeline, request, durations.sentences, self.on_stage, self.cancelled):
            heard_samples = samples[skip_count:][:left_count]
            skip_count = max(0, skip_count - len(samples))
            left_count -= len(heard_samples)
            if not left_count and is_cut:
                heard_samples = _fade_out(heard_samples, round(CUT_FADE_S * rate))
                is_cut = False
            if len(heard_samples):
                yield heard_samples
        if left_count and not self.cancelled():
            yield np.zeros(left_count, np.float32)

    def _measure_sentences(self, sentences: Sequence[FixedSentence]) -> list[FixedSentence]:
        return measure_durations(self.pipeline, self.base, sentences, self.on_stage, self.cancelled)

    def _measure_phrases(self, phrases: Sequence[AccentPhrase]) -> tuple[AccentPhrase, ...]:
        self._sentences = self._measure_sentences(self._sentences)
        layout = align_moras([sentence.phones for sentence in self._sentences])
        return apply_lengths(phrases, layout, map_frames(self._sentences), self._frame_s)

    def _draw_voice_pitches(self, phrases: Sequence[AccentPhrase], sentences: Sequence[FixedSentence]) -> tuple[AccentPhrase, ...]:
        """Return the phrases with the pitches of sentences at the lengths that the voice gives them, or with those that picture their accent."""
        return self._draw_pitches(phrases, self._measure_sentences(sentences) if self._takes_melody else sentences)

    def _draw_pitches(self, phrases: Sequence[AccentPhrase], sentences: Sequence[FixedSentence]) -> tuple[AccentPhrase, ...]:
        """Return the phrases with pitches at the scales of a new query, which the query's own scales change when it is spoken."""
        request = replace(self.base, pitch=0.0, intonation=1.0)
        phones = [sentence.phones for sentence in sentences]
        pitches = (compute_phone_pitches(self.pipeline, request, sentence) for sentence in sentences)
        by_place = {(at, index): pitch_hz for at, sentence_pitches in enumerate(pitches) for index, pitch_hz in enumerate(sentence_pitches)}
        return apply_pitches(phrases, align_moras(phones), phones, by_place)

    @property
    def _takes_melody(self) -> bool:
        return self.pipeline.voice.architecture.takes_melody

    @property
    def _frame_s(self) -> float:
        return self.pipeline.voice.hop_length / self.pipeline.voice.sampling_rate


def check_text(text: str) -> None:
    """Raise RefusalError for a text that is too long."""
    if len(text) > MAX_QUERY_TEXT:
        raise create_refusal(
            422, f"テキストは {MAX_QUERY_TEXT:,} 文字までです。", f"A text may have up to {MAX_QUERY_TEXT:,} characters; send it in parts."
        )


def _convert_to_statement(sentence: FixedSentence) -> FixedSentence:
    phones = sentence.phones
    marks = tuple("." if phone == "?" else phone for phone in phones.phones)
    return replace(sentence, phones=replace(phones, text=phones.text.replace("?", "."), phones=marks))


def _fade_out(samples: Float32, length: int) -> Float32:
    faded = samples.copy()
    tail = faded[-length:] if length else faded[:0]
    tail *= np.linspace(1, 0, len(tail), dtype=np.float32)
    return faded
