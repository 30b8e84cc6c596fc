"""Readings that stand in a text as words of the analyser, so that the front end computes accents and voicing of what is around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.core.moras import hiragana_to_katakana
from app.core.notation.kana import sounding
from app.core.readings.morphs import Correction, Morph, Part
from app.core.readings.second import pronounced
from app.core.types import Sentence

_HIRAGANA = re.compile("[ぁ-ゖー]+")
_SMALL = frozenset("ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮーンん")
_INFLECTED = {"動詞": "verb", "形容詞": "adjective"}


@dataclass(frozen=True, slots=True)
class Reading:
    """The reading of letters [start, end) of a normalised text.

    Attributes:
        kana: as it was written, hiragana or katakana.
    """

    start: int
    end: int
    kana: str


@dataclass(frozen=True, slots=True)
class KnownWord:
    """A word of the analyser's dictionary: how its reading is spelled and pronounced, its part of speech, and what it costs."""

    spelled: str
    pronounced: str
    kind: str
    cost: int


class Lexicon(Protocol):
    """What the analyser knows without a sentence."""

    def known(self, surface: str) -> Sequence[KnownWord]:
        """All words that are written so."""

    def morphs(self, text: str) -> Sequence[Morph]:
        """The words of a text."""

    def accent(self, kana: str) -> int:
        """The accent of kana as one phrase; 0 where they are several."""


@dataclass(frozen=True, slots=True)
class _Segment:
    """Letters that are read together; all but the first are empty where no reading is given and they are no kana.

    Attributes:
        written: their kana as written.
        spelled, pronounced: in katakana.
    """

    letters: str
    written: str = ""
    spelled: str = ""
    pronounced: str = ""


def readings_within(readings: Sequence[Reading], piece: Sentence) -> tuple[Reading, ...]:
    """The readings of letters of a piece of the text, counted over the piece."""
    end = piece.start + len(piece.text)
    inside = (reading for reading in readings if piece.start <= reading.start and reading.end <= end)
    return tuple(Reading(reading.start - piece.start, reading.end - piece.start, reading.kana) for reading in inside)


def ruby_corrections(morphs: Sequence[Morph], readings: Sequence[Reading], lexicon: Lexicon) -> Iterator[Correction]:
    """The words at which readings stand, as they are to be read; kana beside a reading in its word belong to it.

    A word that is read so anyway stays as it is, and nobody may read it otherwise later.
    """
    text = "".join(morph.surface for morph in morphs)
    for first, last, given in _groups(morphs, [_without_kana(text, reading) for reading in readings]):
        own = morphs[first:last]
        segments = list(_segments(text, own[0].start, own[-1].end, given))
        name = " ".join(reading.kana for reading in given)
        if not all(segment.spelled for segment in segments):
            parts = _several(segments, lexicon)
        elif _sound(segments) == sounding("".join(morph.reading for morph in own)):
            yield from (Correction(at, at + 1, (Part(morph.surface, morph.reading),), "ruby", name) for at, morph in enumerate(own, first))
            continue
        else:
            parts = (_word(own, segments, lexicon),)
        yield Correction(first, last, parts, "ruby", name)


def _without_kana(text: str, reading: Reading) -> Reading:
    """走る《はしる》 as 走《はし》る: kana that both end with are read as elsewhere."""
    start, end, kana = reading.start, reading.end, reading.kana
    while end - start > 1 and len(kana) > 1 and _HIRAGANA.match(text, end - 1) and _same(text[end - 1], kana[-1]):
        end, kana = end - 1, kana[:-1]
    while end - start > 1 and len(kana) > 1 and _HIRAGANA.match(text, start) and _same(text[start], kana[0]):
        start, kana = start + 1, kana[1:]
    return Reading(start, end, kana) if kana[0] not in _SMALL else reading


def _same(one: str, other: str) -> bool:
    return hiragana_to_katakana(one) == hiragana_to_katakana(other)


def _groups(morphs: Sequence[Morph], readings: Sequence[Reading]) -> Iterator[tuple[int, int, list[Reading]]]:
    """Words [first, last) with the readings that stand at them; readings that share a word are together."""
    group: tuple[int, int, list[Reading]] | None = None
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


def _segments(text: str, start: int, end: int, readings: Sequence[Reading]) -> Iterator[_Segment]:
    """The letters [start, end) of a text, cut around the readings."""
    for reading in readings:
        if start < reading.start:
            yield _plain(text[start : reading.start])
        spelled = hiragana_to_katakana(reading.kana)
        sound = spelled if spelled == reading.kana else pronounced(spelled)  # katakana are written as they sound
        yield _Segment(text[reading.start : reading.end], reading.kana, spelled, sound)
        start = reading.end
    if start < end:
        yield _plain(text[start:end])


def _plain(letters: str) -> _Segment:
    if not _HIRAGANA.fullmatch(letters):
        return _Segment(letters)
    kana = hiragana_to_katakana(letters)
    return _Segment(letters, letters, kana, kana)


def _sound(segments: Sequence[_Segment]) -> str:
    return sounding("".join(segment.spelled for segment in segments))


def _word(own: Sequence[Morph], segments: Sequence[_Segment], lexicon: Lexicon) -> Part:
    """Words of the analyser as one; of their part of speech where there is one."""
    letters = "".join(segment.letters for segment in segments)
    kinds = own[-1].kinds
    if known := _known(letters, segments, kinds, lexicon):
        return known
    reading, accent = "".join(segment.pronounced for segment in segments), lexicon.accent("".join(segment.written for segment in segments))
    if len(own) == 1 and own[0].reading and "数" not in kinds:
        return Part(letters, reading, accent)
    return Part(letters, reading, accent, _INFLECTED.get(kinds[0] if kinds else "", "noun"))


def _several(segments: Sequence[_Segment], lexicon: Lexicon) -> tuple[Part, ...]:
    """Words in place of one of which only a part is read: 都《みやこ》 in 東京都. Letters without any reading stay silent."""
    parts = tuple(part for segment in segments for part in _parts(segment, lexicon))
    if all(part.reading for part in parts):
        return parts
    letters, reading = "".join(segment.letters for segment in segments), "".join(part.reading or "" for part in parts)
    return (Part(letters, reading, 0, "noun"),)


def _parts(segment: _Segment, lexicon: Lexicon) -> Iterator[Part]:
    if segment.spelled:
        known = _known(segment.letters, [segment], (), lexicon)
        yield known or Part(segment.letters, segment.pronounced, lexicon.accent(segment.written), "noun")
    else:
        yield from (Part(morph.surface, morph.reading, None, _kind(morph.kinds)) for morph in lexicon.morphs(segment.letters))


def _known(letters: str, segments: Sequence[_Segment], kinds: Sequence[str], lexicon: Lexicon) -> Part | None:
    """The word with this reading as the dictionary has it, sooner as this part of speech, then the most usual."""
    found = [word for word in lexicon.known(letters) if sounding(word.spelled) == _sound(segments)]
    best = min(found, key=lambda word: (not word.kind.startswith(_kind(kinds)), word.cost), default=None)
    return None if best is None else Part(letters, best.pronounced, None, best.kind)


def _kind(kinds: Sequence[str]) -> str:
    return ",".join(kinds[:3])
