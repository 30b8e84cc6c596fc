"""Readings given to words of a text, by the user and by the text: over the letters spoken, and as words of the analyser, which computes accents and voicing around them."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from app.core.synthesis_types import LineSentence
from app.core.text.normalise import normalise_surface
from app.core.text.notation.noted_text import NotedText
from app.core.text.pronunciation import convert_to_katakana, convert_to_sounds, normalise_kana
from app.core.text.reading_overrides import GivenReading, OverrideSpan, TextPiece
from app.core.text.readings.morphs import Correction, Morph, MorphPart, convert_to_pronunciation

_HIRAGANA = re.compile("[ぁ-ゖー]+")
_NEVER_FIRST = frozenset("ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮーンん")
_INFLECTED_KINDS = {"動詞": "verb", "形容詞": "adjective"}


@dataclass(frozen=True, slots=True)
class TextReading:
    """The reading of letters [start, end) of a normalised text; `kana`: as it was written, hiragana or katakana."""

    start: int
    end: int
    kana: str


@dataclass(frozen=True, slots=True)
class LexiconWord:
    """A word of the analyser's dictionary: how its reading is spelled and pronounced, its part of speech, and what it costs."""

    spelled: str
    pronounced: str
    kind: str
    cost: int


class Lexicon(Protocol):
    """The analyser's knowledge of single words, without a sentence."""

    def find_words(self, surface: str) -> Sequence[LexiconWord]:
        """Return all words with this spelling."""

    def split_morphs(self, text: str) -> Sequence[Morph]:
        """Return the words of a text."""

    def compute_accent(self, kana: str) -> int:
        """Return the accent of kana as one phrase; 0 if they are several."""


@dataclass(frozen=True, slots=True)
class _WordSegment:
    """Letters that are read together; all but the first are empty where no reading is given and they are no kana."""

    letters: str
    written: str = ""  # their kana as written
    spelled: str = ""  # spelled, pronounced: in katakana
    pronounced: str = ""


def select_readings(readings: Sequence[TextReading], piece: LineSentence) -> tuple[TextReading, ...]:
    """Return the readings of the letters of a piece of the text, counted over the piece."""
    end = piece.start + len(piece.text)
    inside = (reading for reading in readings if piece.start <= reading.start and reading.end <= end)
    return tuple(TextReading(reading.start - piece.start, reading.end - piece.start, reading.kana) for reading in inside)


def find_ruby_corrections(morphs: Sequence[Morph], readings: Sequence[TextReading], lexicon: Lexicon) -> Iterator[Correction]:
    """Yield corrections for the words with readings; kana next to a reading in its word belong to it.

    A word that is read so anyway stays as it is, and nobody may read it otherwise later.
    """
    text = "".join(morph.surface for morph in morphs)
    for first, last, word_readings in _group_readings(morphs, [_trim_shared_kana(text, reading) for reading in readings]):
        word_morphs = morphs[first:last]
        segments = list(_split_segments(text, word_morphs[0].start, word_morphs[-1].end, word_readings))
        name = " ".join(reading.kana for reading in word_readings)
        if not all(segment.spelled for segment in segments):
            parts = _build_parts(segments, lexicon)
        elif _join_sounds(segments) == convert_to_sounds("".join(morph.reading for morph in word_morphs)):
            yield from (
                Correction(at, at + 1, (MorphPart(morph.surface, morph.reading),), "ruby", name)
                for at, morph in enumerate(word_morphs, first)
            )
            continue
        else:
            parts = (_merge_words(word_morphs, segments, lexicon),)
        yield Correction(first, last, parts, "ruby", name)


def _trim_shared_kana(text: str, reading: TextReading) -> TextReading:
    """Return 走る《はしる》 as 走《はし》る: shared kana at the end are read as elsewhere."""
    start, end, kana = reading.start, reading.end, reading.kana
    while end - start > 1 and len(kana) > 1 and _HIRAGANA.match(text, end - 1) and _is_same_kana(text[end - 1], kana[-1]):
        end, kana = end - 1, kana[:-1]
    while end - start > 1 and len(kana) > 1 and _HIRAGANA.match(text, start) and _is_same_kana(text[start], kana[0]):
        start, kana = start + 1, kana[1:]
    return TextReading(start, end, kana) if kana[0] not in _NEVER_FIRST else reading


def _is_same_kana(one: str, other: str) -> bool:
    return convert_to_katakana(one) == convert_to_katakana(other)


def _group_readings(morphs: Sequence[Morph], readings: Sequence[TextReading]) -> Iterator[tuple[int, int, list[TextReading]]]:
    """Yield words [first, last) with their readings; readings that share a word are together."""
    group: tuple[int, int, list[TextReading]] | None = None
    for reading in readings:
        first = next((at for at, morph in enumerate(morphs) if morph.end > reading.start), len(morphs))
        last = next((at for at, morph in enumerate(morphs) if morph.start >= reading.end), len(morphs))
        if group is not None and first < group[1]:
            group = (group[0], max(last, group[1]), [*group[2], reading])
            continue
        if group is not None:
            yield group
        group = (first, last, [reading]) if first < last else None
    if group is not None:
        yield group


def _split_segments(text: str, start: int, end: int, readings: Sequence[TextReading]) -> Iterator[_WordSegment]:
    """Return the letters [start, end) of a text, cut around the readings."""
    for reading in readings:
        if start < reading.start:
            yield _create_plain_segment(text[start : reading.start])
        spelled = convert_to_katakana(reading.kana)
        sound = spelled if spelled == reading.kana else convert_to_pronunciation(spelled)  # katakana are written as they sound
        yield _WordSegment(text[reading.start : reading.end], reading.kana, spelled, sound)
        start = reading.end
    if start < end:
        yield _create_plain_segment(text[start:end])


def _create_plain_segment(letters: str) -> _WordSegment:
    if not _HIRAGANA.fullmatch(letters):
        return _WordSegment(letters)
    kana = convert_to_katakana(letters)
    return _WordSegment(letters, letters, kana, kana)


def _join_sounds(segments: Sequence[_WordSegment]) -> str:
    return convert_to_sounds("".join(segment.spelled for segment in segments))


def _merge_words(word_morphs: Sequence[Morph], segments: Sequence[_WordSegment], lexicon: Lexicon) -> MorphPart:
    """Merge words of the analyser into one, with their part of speech if they have one."""
    letters = "".join(segment.letters for segment in segments)
    kinds = word_morphs[-1].kinds
    if dictionary_word := _find_known_word(letters, segments, kinds, lexicon):
        return dictionary_word
    reading, accent = (
        "".join(segment.pronounced for segment in segments),
        lexicon.compute_accent("".join(segment.written for segment in segments)),
    )
    if len(word_morphs) == 1 and word_morphs[0].reading and "数" not in kinds:
        return MorphPart(letters, reading, accent)
    return MorphPart(letters, reading, accent, _INFLECTED_KINDS.get(kinds[0] if kinds else "", "noun"))


def _build_parts(segments: Sequence[_WordSegment], lexicon: Lexicon) -> tuple[MorphPart, ...]:
    """Return words in place of one of which only a part is read: 都《みやこ》 in 東京都. Letters without any reading stay silent."""
    parts = tuple(part for segment in segments for part in _split_parts(segment, lexicon))
    if all(part.reading for part in parts):
        return parts
    letters, reading = "".join(segment.letters for segment in segments), "".join(part.reading or "" for part in parts)
    return (MorphPart(letters, reading, 0, "noun"),)


def _split_parts(segment: _WordSegment, lexicon: Lexicon) -> Iterator[MorphPart]:
    if segment.spelled:
        dictionary_word = _find_known_word(segment.letters, [segment], (), lexicon)
        yield dictionary_word or MorphPart(segment.letters, segment.pronounced, lexicon.compute_accent(segment.written), "noun")
    else:
        yield from (
            MorphPart(morph.surface, morph.reading, None, _join_kinds(morph.kinds)) for morph in lexicon.split_morphs(segment.letters)
        )


def _find_known_word(letters: str, segments: Sequence[_WordSegment], kinds: Sequence[str], lexicon: Lexicon) -> MorphPart | None:
    """Return the word with this reading from the dictionary, preferably of this part of speech, then the most usual."""
    homophones = [word for word in lexicon.find_words(letters) if convert_to_sounds(word.spelled) == _join_sounds(segments)]
    best = min(homophones, key=lambda word: (not word.kind.startswith(_join_kinds(kinds)), word.cost), default=None)
    return None if best is None else MorphPart(letters, best.pronounced, None, best.kind)


def _join_kinds(kinds: Sequence[str]) -> str:
    return ",".join(kinds[:3])


def convert_spans_to_plain(noted: NotedText, spans: Sequence[OverrideSpan]) -> Iterator[OverrideSpan]:
    """Yield places of words in the written text, counted over the spoken one.

    A word within notation is not meant, nor is a part of letters that have one reading.
    """
    for written_start, written_end, override in spans:
        start, end = noted.map_to_plain(written_start), noted.map_to_plain(written_end)
        within = any(ruby.start < end and start < ruby.end and (ruby.start < start or end < ruby.end) for ruby in noted.plain_rubies)
        if start < end and not within:
            yield start, end, replace(override, surface=noted.plain[start:end])


def list_user_readings(spans: Sequence[OverrideSpan]) -> list[GivenReading]:
    """Return the readings of a line or of the user's dictionary."""
    return [GivenReading(start, end, TextPiece(normalise_surface(override.surface), override)) for start, end, override in spans]


def list_text_readings(noted: NotedText, speak: Callable[[str], str]) -> list[GivenReading]:
    """Return the readings given in the text; one without a sound is none.

    Args:
        speak: how a reading that is no kana is read.
    """
    readings = []
    for ruby in noted.plain_rubies:
        if kana := normalise_kana(ruby.reading) or speak(ruby.reading):
            letters = normalise_surface(noted.plain[ruby.start : ruby.end].replace("※", ""))  # stands for a kanji that is not there
            readings.append(GivenReading(ruby.start, ruby.end, TextPiece(letters or kana, kana=kana)))
    return readings
