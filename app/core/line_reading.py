"""How a whole line is read: its morae and marks, counted as edits count them, and the words of the text they come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.core.cache import LRUCache
from app.core.edits import Place, readings_in
from app.core.line_words import LineWord, words_of
from app.core.moras import MORAS, split_moras
from app.core.notation.noted import NotedText
from app.core.phones import mora_count, mora_of_phones
from app.core.ports import G2P
from app.core.renderings import remembered_phones
from app.core.sentences import split_sentences
from app.core.symbols import EMOJI_IDS, PUNCTUATION
from app.core.types import Overrides, Phones, ReadingOverride, SynthesisRequest

_KANA_OF = {phones: kana for kana, phones in reversed(MORAS.items())}


@dataclass(frozen=True, slots=True)
class Mora:
    """One mora as the front end says it: katakana or an emoji, tone 0 or 1, and the sentence it belongs to."""

    kana: str
    tone: int
    sentence: int

    @property
    def is_emoji(self) -> bool:
        """It is no kana: it has no accent, and nothing joins it."""
        return self.kana in EMOJI_IDS


@dataclass(frozen=True, slots=True)
class Mark:
    """A punctuation mark that makes a pause: its phone, how many morae of the line come before, its sentence."""

    phone: str
    moras_before: int
    sentence: int


@dataclass(frozen=True, slots=True)
class LineReading:
    """A line as the front end reads it, with the readings a user gave but none of the other edits.

    Attributes:
        places: of the sentences, by their index.
        silent: sentences with nothing to speak; their marks make no pause.
        phrases: morae an accent phrase begins with, ascending. A mark always ends one.
        complete: False when only the beginning was read.
        emoji: emoji were read as morae.
        memos: what stands in square brackets was not read.
        notation: stretches [start, end) of the text that belong to no word: ruby, notes.
    """

    text: str
    readings: tuple[ReadingOverride, ...]
    moras: tuple[Mora, ...] = ()
    marks: tuple[Mark, ...] = ()
    words: tuple[LineWord, ...] = ()
    phrases: tuple[int, ...] = ()
    places: tuple[Place, ...] = ()
    silent: frozenset[int] = frozenset()
    complete: bool = True
    emoji: bool = False
    memos: bool = False
    notation: tuple[tuple[int, int], ...] = ()

    def word_at(self, mora: int) -> LineWord | None:
        """The word a mora belongs to."""
        return next((word for word in self.words if word.first_mora <= mora < word.end_mora), None)

    def written(self, start: int = 0, end: int | None = None) -> str:
        """The text from `start` to `end` as readers see it: without ruby and notes."""
        end = len(self.text) if end is None else end
        inside = ((max(start, first) - start, min(end, last) - start) for first, last in self.notation if first < end and start < last)
        return NotedText(self.text[start:end], tuple(inside)).plain


def read_line(
    text: str,
    readings: tuple[ReadingOverride, ...],
    g2p: G2P,
    cache: LRUCache[Phones] | None = None,
    longest: int | None = None,
    *,
    emoji: bool = False,
    doubts: bool = False,
    memos: bool = False,
) -> LineReading:
    """Reads a line; InputError when one of the readings is no reading.

    Args:
        cache: phones by (sentence, readings), as the pipeline keeps them.
        longest: characters after which no further sentence is read.
        emoji: read them as a voice does that speaks them.
        doubts: other readings of a second analyser are wanted.
        memos: what stands in square brackets is not read, as it is anyway where the user wants that everywhere.
    """
    memos = memos or g2p.memos
    request = SynthesisRequest(text, overrides=Overrides(readings))
    place, complete = Place(), True
    moras: list[Mora] = []
    marks: list[Mark] = []
    words: list[LineWord] = []
    phrases: set[int] = set()
    places: list[Place] = []
    silent: set[int] = set()
    notation: list[tuple[int, int]] = []
    for sentence in split_sentences(text, g2p.words, memos=memos):
        if longest is not None and sentence.start >= longest:
            complete = False
            break
        given = readings_in(sentence, request)
        phones, _ = remembered_phones(g2p, cache, sentence.text, given, emoji=emoji, doubts=doubts, memos=memos)
        places.append(place)
        if not phones.is_spoken:
            silent.add(sentence.index)
        moras += _moras(phones, sentence.index)
        marks += _marks(phones, place, sentence.index)
        words += words_of(phones, sentence, place)
        notation += ((sentence.start + start, sentence.start + end) for start, end in phones.notation)
        phrases |= {place.moras + mora for mora in (0, *phones.phrases)} | {mark.moras_before for mark in marks}
        place = place.after(phones)
    begins = tuple(sorted(mora for mora in phrases if mora < len(moras)))
    return LineReading(
        text,
        readings,
        tuple(moras),
        tuple(marks),
        tuple(words),
        begins,
        tuple(places),
        frozenset(silent),
        complete,
        emoji,
        memos,
        tuple(notation),
    )


def _moras(phones: Phones, sentence: int) -> list[Mora]:
    spoken: list[tuple[str, ...]] = []
    tones: list[int] = []
    for mora, phone, tone in zip(mora_of_phones(phones.phones), phones.phones, phones.tones, strict=True):
        if mora == len(spoken):
            spoken.append((phone,))
            tones.append(tone)
        elif mora >= 0:
            spoken[mora] += (phone,)
    kana = split_moras(phones.reading)
    if len(kana) != sum(one[0] not in EMOJI_IDS for one in spoken):  # a long vowel mark with nothing to prolong, say
        kana = [_KANA_OF.get(one, "".join(one)) for one in spoken if one[0] not in EMOJI_IDS]
    following = iter(kana)
    return [Mora(one[0] if one[0] in EMOJI_IDS else next(following), tone, sentence) for one, tone in zip(spoken, tones, strict=True)]


def _marks(phones: Phones, place: Place, sentence: int) -> Iterator[Mark]:
    for index, phone in enumerate(phones.phones):
        if phone in PUNCTUATION:
            yield Mark(phone, place.moras + mora_count(phones.phones[:index]), sentence)
