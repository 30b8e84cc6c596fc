"""How a whole line is read: its morae and marks, counted as edits count them, and the words of the text they come from."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from app.core.cache import LRUCache
from app.core.edits import Place, readings_in
from app.core.emoji import trim_emoji
from app.core.moras import MORAS, split_moras
from app.core.phones import mark_of_phones, mora_count, mora_of_phones
from app.core.ports import G2P
from app.core.renderings import remembered_phones
from app.core.sentences import split_sentences
from app.core.symbols import EMOJI_IDS, PUNCTUATION
from app.core.types import Overrides, Phones, ReadingOverride, Sentence, SynthesisRequest

_PLAIN_MARKS = str.maketrans("、。！？・「」『』…", ",.!?,''''.")
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
class LineWord:
    """A stretch of the line's text that is read as a whole.

    Attributes:
        start, end: characters of the line.
        first_mora, end_mora, first_mark, end_mark: what it is read as, counted over the line; ends exclusive.
        phones: its phones.
        other: the reading in katakana that a second analyser gives, where it is in doubt; else "".
    """

    start: int
    end: int
    first_mora: int
    end_mora: int
    first_mark: int
    end_mark: int
    phones: tuple[str, ...]
    other: str = ""


@dataclass(frozen=True, slots=True)
class LineReading:
    """A line as the front end reads it, with the readings a user gave but none of the other edits.

    Attributes:
        places: of the sentences, by their index.
        silent: sentences with nothing to speak; their marks make no pause.
        phrases: morae an accent phrase begins with, ascending. A mark always ends one.
        complete: False when only the beginning was read.
        emoji: emoji were read as morae.
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

    def word_at(self, mora: int) -> LineWord | None:
        """The word a mora belongs to."""
        return next((word for word in self.words if word.first_mora <= mora < word.end_mora), None)


def read_line(
    text: str,
    readings: tuple[ReadingOverride, ...],
    g2p: G2P,
    cache: LRUCache[Phones] | None = None,
    longest: int | None = None,
    *,
    emoji: bool = False,
    doubts: bool = False,
) -> LineReading:
    """Reads a line; InputError when one of the readings is no reading.

    Args:
        cache: phones by (sentence, readings), as the pipeline keeps them.
        longest: characters after which no further sentence is read.
        emoji: read them as a voice does that speaks them.
        doubts: other readings of a second analyser are wanted.
    """
    request = SynthesisRequest(text, overrides=Overrides(readings))
    place, complete = Place(), True
    moras: list[Mora] = []
    marks: list[Mark] = []
    words: list[LineWord] = []
    phrases: set[int] = set()
    places: list[Place] = []
    silent: set[int] = set()
    for sentence in split_sentences(text, g2p.words):
        if longest is not None and sentence.start >= longest:
            complete = False
            break
        phones, _ = remembered_phones(g2p, cache, sentence.text, readings_in(sentence, request), emoji=emoji, doubts=doubts)
        places.append(place)
        if not phones.is_spoken:
            silent.add(sentence.index)
        moras += _moras(phones, sentence.index)
        marks += _marks(phones, place, sentence.index)
        words += _words(phones, sentence, place)
        phrases |= {place.moras + mora for mora in (0, *phones.phrases)} | {mark.moras_before for mark in marks}
        place = place.after(phones)
    begins = tuple(sorted(mora for mora in phrases if mora < len(moras)))
    return LineReading(text, readings, tuple(moras), tuple(marks), tuple(words), begins, tuple(places), frozenset(silent), complete, emoji)


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


def _words(phones: Phones, sentence: Sentence, place: Place) -> Iterator[LineWord]:
    """Stretches of the raw text whose ends are ends of words in the normalised text as well."""
    ends = [0]
    for size in phones.words:
        ends.append(ends[-1] + size)
    first_phone = [1]
    for count in phones.word2ph[1:-1]:
        first_phone.append(first_phone[-1] + count)
    moras, marks = _counted(mora_of_phones(phones.phones)), _counted(mark_of_phones(phones.phones))
    others = dict(zip(pairwise(ends), phones.others, strict=False))
    cuts = _shared_cuts(sentence.text, phones.text, ends)
    for (start, from_char), (end, to_char) in pairwise(cuts):
        first, last = first_phone[from_char], first_phone[to_char]
        if first < last and EMOJI_IDS.keys().isdisjoint(phones.phones[first:last]):
            start, end = trim_emoji(sentence.text, start, end)  # what is not spoken belongs to no word
        yield LineWord(
            sentence.start + start,
            sentence.start + end,
            place.moras + moras[first],
            place.moras + moras[last],
            place.marks + marks[first],
            place.marks + marks[last],
            phones.phones[first:last],
            others.get((from_char, to_char), ""),
        )


def _counted(places: Sequence[int]) -> list[int]:
    """How many were complete before each phone; a phone that is none counts those before it."""
    counted, count = [], 0
    for place in places:
        count = max(count, place)
        counted.append(place if place >= 0 else count)
        count = max(count, place + 1)
    return counted


def _folded(raw: str) -> str:
    """Closer to normalised text, at the same length."""
    chars = (unicodedata.normalize("NFKC", char) for char in raw)
    return "".join(folded if len(folded) == 1 else char for folded, char in zip(chars, raw, strict=True)).translate(_PLAIN_MARKS)


def _shared_cuts(raw: str, text: str, ends: Sequence[int]) -> list[tuple[int, int]]:
    """Places where both texts can be cut: (in `raw`, in `text`), strictly ascending in both but for the end of `raw`."""
    wanted = set(ends)
    cuts = [(0, 0)]
    for tag, raw_start, raw_end, start, end in SequenceMatcher(None, _folded(raw), text, autojunk=False).get_opcodes():
        inner = range(start, end + 1) if tag == "equal" else (start, end)
        for char in inner:
            place = raw_start + char - start if tag == "equal" else (raw_start if char == start else raw_end)
            if char in wanted and place > cuts[-1][0] and char > cuts[-1][1]:
                cuts.append((place, char))
    if cuts[-1] != (len(raw), len(text)):
        if len(cuts) > 1 and (cuts[-1][1] == len(text) or cuts[-1][0] == len(raw)):
            cuts.pop()
        cuts.append((len(raw), len(text)))
    return cuts
