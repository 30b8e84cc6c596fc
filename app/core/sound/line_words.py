"""The words of a sentence located in the typed text: the letters, morae, marks and phones of each."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from app.core.sound.edit_targets import LineOffset
from app.core.symbols import EMOJI_IDS
from app.core.synthesis_types import LineSentence, Phones
from app.core.text.emoji_symbols import trim_emoji
from app.core.text.notation.noted_text import NotedText
from app.core.text.phone_ids import map_phones_to_marks, map_phones_to_moras

_PUNCTUATION_FOLDING = str.maketrans("、。！？・「」『』…", ",.!?,''''.")


@dataclass(frozen=True, slots=True)
class LineWord:
    """A stretch of the line's text that is read as a whole.

    Attributes:
        start, end: characters of the line, with the notation between them.
        first_mora, end_mora, first_mark, end_mark: its morae and marks, counted over the line; ends exclusive.
        phones: its phones.
        other_reading: the reading in katakana that a second analyser gives, where the reading is in doubt; else "".
    """

    start: int
    end: int
    first_mora: int
    end_mora: int
    first_mark: int
    end_mark: int
    phones: tuple[str, ...]
    other_reading: str = ""


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
    others = dict(zip(pairwise(ends), phones.others, strict=False))
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
            others.get((from_char, to_char), ""),
        )


def _count_before(places: Sequence[int]) -> list[int]:
    """Return for each phone how many morae or marks were complete before it; a phone of no mora or mark counts those before it."""
    counted, count = [], 0
    for place in places:
        count = max(count, place)
        counted.append(place if place >= 0 else count)
        count = max(count, place + 1)
    return counted


def _fold_raw_text(raw: str) -> str:
    """Return the text folded towards normalised text, at the same length."""
    # Positions must stay comparable, so characters that fold to several are left alone.
    chars = (unicodedata.normalize("NFKC", char) for char in raw)
    return "".join(folded if len(folded) == 1 else char for folded, char in zip(chars, raw, strict=True)).translate(_PUNCTUATION_FOLDING)


def _find_shared_cuts(raw: str, text: str, ends: Sequence[int]) -> list[tuple[int, int]]:
    """Return the places where both texts can be cut: (in `raw`, in `text`), strictly ascending in both but for the end of `raw`."""
    wanted = set(ends)
    cuts = [(0, 0)]
    for tag, raw_start, raw_end, start, end in SequenceMatcher(None, _fold_raw_text(raw), text, autojunk=False).get_opcodes():
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
