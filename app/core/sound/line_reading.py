"""The reading of a whole line: its morae and marks, counted as edits count them, and the words of the typed text that they come from."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from app.core.lru_cache import LRUCache
from app.core.sound.edit_targets import LineOffset, select_readings
from app.core.sound.ports import G2P
from app.core.sound.render_caches import find_phones
from app.core.symbols import EMOJI_IDS, PUNCTUATION, is_english
from app.core.synthesis_types import LineSentence, Overrides, Phones, ReadingOverride, SynthesisRequest
from app.core.text.emoji_symbols import trim_emoji
from app.core.text.notation.noted_text import NotedText
from app.core.text.phone_ids import count_moras, map_phones_to_marks, map_phones_to_moras
from app.core.text.pronunciation import PHONES_BY_MORA, split_moras
from app.core.text.sentence_splitting import split_sentences

_KANA_OF = {phones: kana for kana, phones in reversed(PHONES_BY_MORA.items())}

_ENGLISH_IN_READING = re.compile("[^ァ-ヺー]+")  # English words of a reading

_PUNCTUATION_FOLDING = str.maketrans("、。！？・「」『』…", ",.!?,''''.")


@dataclass(frozen=True, slots=True)
class LineMora:
    """One mora as the front end says it: katakana, an emoji or an English syllable in IPA, tone 0 or 1, and the sentence it belongs to."""

    kana: str
    tone: int
    sentence: int

    @property
    def is_emoji(self) -> bool:
        """Return True for an emoji: it has no accent, and nothing joins it."""
        return self.kana in EMOJI_IDS


@dataclass(frozen=True, slots=True)
class LineMark:
    """A punctuation mark that makes a pause: its phone, the number of morae of the line before it, and its sentence."""

    phone: str
    moras_before: int
    sentence: int


@dataclass(frozen=True, slots=True)
class LineWord:
    """A stretch of the line's text that is read as a whole."""

    start: int  # start, end: characters of the line, with the notation between them
    end: int
    first_mora: int  # first_mora, end_mora, first_mark, end_mark: its morae and marks, counted over the line; ends exclusive
    end_mora: int
    first_mark: int
    end_mark: int
    phones: tuple[str, ...]
    other_reading: str = ""  # the reading in katakana that a second analyser gives, where the reading is in doubt; else ""


def find_line_words(phones: Phones, sentence: LineSentence, offset: LineOffset) -> Iterator[LineWord]:
    """Yield stretches of the raw text whose ends are ends of words in the normalised text as well."""
    noted = NotedText(sentence.text, phones.notation)
    ends = [0]
    for size in phones.words:
        ends.append(ends[-1] + size)
    first_phone = [1]
    for count in phones.word2ph[1:-1]:
        first_phone.append(first_phone[-1] + count)
    moras, marks = _count_before(map_phones_to_moras(phones.phones)), _count_before(map_phones_to_marks(phones.phones))
    other_readings = dict(zip(pairwise(ends), phones.others, strict=False))
    cuts = _find_shared_cuts(noted.plain, phones.text, ends)
    for (plain_start, from_char), (plain_end, to_char) in pairwise(cuts):
        start, end = noted.map_span_to_written(plain_start, plain_end)
        first, last = first_phone[from_char], first_phone[to_char]
        if first < last and EMOJI_IDS.keys().isdisjoint(phones.phones[first:last]):
            # An emoji that is not spoken belongs to no word.
            start, end = trim_emoji(sentence.text, start, end)
        yield LineWord(
            sentence.start + start,
            sentence.start + end,
            offset.moras + moras[first],
            offset.moras + moras[last],
            offset.marks + marks[first],
            offset.marks + marks[last],
            phones.phones[first:last],
            other_readings.get((from_char, to_char), ""),
        )


def _count_before(places: Sequence[int]) -> list[int]:
    """Return for each phone how many morae or marks were complete before it; a phone of no mora or mark counts those before it."""
    counted, count = [], 0
    for index in places:
        count = max(count, index)
        counted.append(index if index >= 0 else count)
        count = max(count, index + 1)
    return counted


def _find_shared_cuts(raw: str, text: str, ends: Sequence[int]) -> list[tuple[int, int]]:
    """Return the places where both texts can be cut: (in `raw`, in `text`), strictly ascending in both but for the end of `raw`."""
    word_ends = set(ends)
    cuts = [(0, 0)]
    # Folded towards normalised text. Positions must stay comparable, so characters that fold to several are left alone.
    folded = ((char, unicodedata.normalize("NFKC", char)) for char in raw)
    same_length = "".join(one if len(one) == 1 else char for char, one in folded).translate(_PUNCTUATION_FOLDING)
    for tag, raw_start, raw_end, start, end in SequenceMatcher(None, same_length, text, autojunk=False).get_opcodes():
        inner = range(start, end + 1) if tag == "equal" else (start, end)
        for char in inner:
            raw_cut = raw_start + char - start if tag == "equal" else (raw_start if char == start else raw_end)
            if char in word_ends and raw_cut > cuts[-1][0] and char > cuts[-1][1]:
                cuts.append((raw_cut, char))
    if cuts[-1] != (len(raw), len(text)):
        if len(cuts) > 1 and (cuts[-1][1] == len(text) or cuts[-1][0] == len(raw)):
            cuts.pop()
        cuts.append((len(raw), len(text)))
    return cuts


@dataclass(frozen=True, slots=True)
class LineReading:
    """A line as the front end reads it, with the readings a user gave but none of the other edits."""

    text: str
    readings: tuple[ReadingOverride, ...]
    moras: tuple[LineMora, ...] = ()
    marks: tuple[LineMark, ...] = ()
    words: tuple[LineWord, ...] = ()
    phrases: tuple[int, ...] = ()  # morae an accent phrase begins with, ascending. A mark always ends one
    offsets: tuple[LineOffset, ...] = ()  # offsets of the sentences, by their index
    silent: frozenset[int] = frozenset()  # sentences with nothing to speak; their marks make no pause
    is_complete: bool = True  # false when only the beginning was read
    emoji: bool = False  # emoji were read as morae
    memos: bool = False  # text in square brackets was not read
    english: bool = False  # English words were read in English
    notation: tuple[tuple[int, int], ...] = ()  # stretches [start, end) of the text that belong to no word: ruby, notes

    def find_word(self, mora: int) -> LineWord | None:
        return next((word for word in self.words if word.first_mora <= mora < word.end_mora), None)

    def extract_text(self, start: int = 0, end: int | None = None) -> str:
        """Return the text from `start` to `end` as readers see it: without ruby and notes."""
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
    english: bool = False,
) -> LineReading:
    """Read a line. Raises InputError when one of the given readings is not kana.

    Args:
        cache: phones by (sentence, readings), as the pipeline keeps them.
        longest: characters after which no further sentence is read.
        emoji: emoji are read, as by a voice that speaks them.
        doubts: other readings of a second analyser are included.
        memos: text in square brackets is not read; `g2p.should_skip_memos` leaves it out everywhere.
        english: English words are read in English, as by a voice that speaks it.
    """
    memos = memos or g2p.should_skip_memos
    request = SynthesisRequest(text, overrides=Overrides(readings))
    offset, complete = LineOffset(), True
    moras: list[LineMora] = []
    marks: list[LineMark] = []
    line_words: list[LineWord] = []
    phrases: set[int] = set()
    places: list[LineOffset] = []
    silent: set[int] = set()
    notation: list[tuple[int, int]] = []
    for sentence in split_sentences(text, g2p.split_words, memos=memos):
        if longest is not None and sentence.start >= longest:
            complete = False
            break
        sentence_readings = select_readings(sentence, request)
        phones, _ = find_phones(g2p, cache, sentence.text, sentence_readings, emoji=emoji, doubts=doubts, memos=memos, english=english)
        places.append(offset)
        if not phones.is_spoken:
            silent.add(sentence.index)
        moras += _list_moras(phones, sentence.index)
        marks += (
            LineMark(phone, offset.moras + count_moras(phones.phones[:index]), sentence.index)
            for index, phone in enumerate(phones.phones)
            if phone in PUNCTUATION
        )
        line_words += find_line_words(phones, sentence, offset)
        notation += ((sentence.start + start, sentence.start + end) for start, end in phones.notation)
        phrases |= {offset.moras + mora for mora in (0, *phones.phrases)} | {mark.moras_before for mark in marks}
        offset = offset.advance_past(phones)
    begins = tuple(sorted(mora for mora in phrases if mora < len(moras)))
    return LineReading(
        text,
        readings,
        tuple(moras),
        tuple(marks),
        tuple(line_words),
        begins,
        tuple(places),
        frozenset(silent),
        complete,
        emoji,
        memos,
        english,
        tuple(notation),
    )


def _list_moras(phones: Phones, sentence: int) -> list[LineMora]:
    spoken: list[tuple[str, ...]] = []
    tones: list[int] = []
    for mora, phone, tone in zip(map_phones_to_moras(phones.phones), phones.phones, phones.tones, strict=True):
        if mora == len(spoken):
            spoken.append((phone,))
            tones.append(tone)
        elif mora >= 0:
            spoken[mora] += (phone,)
    kana = split_moras(_ENGLISH_IN_READING.sub("", phones.reading))
    in_kana = [mora_phones for mora_phones in spoken if not _is_own_sign(mora_phones[0])]
    # The counts differ for a long vowel mark with nothing to prolong, for example; then the phones decide.
    if len(kana) != len(in_kana):
        kana = [_KANA_OF.get(mora_phones, "".join(mora_phones)) for mora_phones in in_kana]
    following = iter(kana)
    return [
        LineMora(mora_phones[0] if _is_own_sign(mora_phones[0]) else next(following), tone, sentence)
        for mora_phones, tone in zip(spoken, tones, strict=True)
    ]


def _is_own_sign(phone: str) -> bool:
    """Return whether a phone is shown as it is: an emoji, or an English syllable."""
    return phone in EMOJI_IDS or is_english(phone)
