"""Readings in parentheses behind their word: 蔑（さげす）む, 山田太郎（やまだたろう）. Only a possible reading is one; else it is text."""

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache

from app.core.text.normalise.numbers import convert_to_kanji
from app.core.text.notation.noted_text import NotedText, RubyReading
from app.core.text.pronunciation import KANJI_CLASS, convert_to_katakana, convert_to_sounds, list_inner_readings, normalise_kana

FindReadings = Callable[[str], Collection[str]]
"""All readings in katakana, as they are spelled, that a dictionary has for a word as written; none for what it does not know."""

LONGEST_BASE, LONGEST_READING = 24, 40  # letters, kana
LONGEST_ENDING = 5  # kana behind the word that may belong to it: 蔑（さげす）む
_LONGEST_DICTIONARY_WORD = 8
_KANJI_CHAR = re.compile(f"[{KANJI_CLASS}]")
_JOINING_KANA = "ノガツ"  # not always written between parts: 木下, 源頼朝, 八岳
_EXTRA_READINGS = {"ヶ": ("ガ", "カ", "ケ"), "ヵ": ("カ",), "ケ": ("ガ",), "一日": ("ツイタチ",)}


def find_base_length(before: str, kana: str, after: str, readings: FindReadings) -> int:
    """Return how many of the letters before it a reading belongs to; 0 where it is no reading of them.

    Args:
        kana: in katakana.
        after: what follows the reading; kana of it may belong to the word.
    """
    if not 0 < len(kana) <= LONGEST_READING:
        return 0
    before = before[-LONGEST_BASE:]
    start = _ReadingDecomposer(before, kana, _find_leading_kana(after), readings).find_start()
    return 0 if start is None else len(before) - start


class _ReadingDecomposer:
    """Looks for parts of a text whose readings joined are the given one; the last part may have an ending behind the reading."""

    def __init__(self, before: str, kana: str, ending: str, readings: FindReadings) -> None:
        self._text, self._end = before + ending, len(before)
        self._kana, self._sound = kana, convert_to_sounds(kana)
        self._readings = cache(lambda word: tuple(readings(word)))

    def find_start(self) -> int | None:
        """Return where the first part begins, with as few parts as there can be."""
        waiting = list(dict.fromkeys(self._list_last_parts()))
        seen = set(waiting)
        for place, left in waiting:  # grows
            if left == 0 and self._may_begin(place):
                return place
            inner = [*self._list_parts_ending_at(place, left - 1)] if left > 1 and self._kana[left - 1] in _JOINING_KANA else []
            more = [step for step in (*inner, *self._list_parts_ending_at(place, left)) if step not in seen]
            waiting += more
            seen.update(more)
        return None

    def _may_begin(self, position: int) -> bool:
        """Return whether a reading may begin here. In 魔法使（つか）い a part of a word is read as in the word; 中止（やめ） applies to the whole word, which is read otherwise."""
        if position == 0 or not _KANJI_CHAR.match(self._text, position - 1):
            return True
        sounds = [
            convert_to_sounds(reading).removesuffix(convert_to_sounds(convert_to_katakana(self._text[self._end : end])))
            for end in range(self._end, len(self._text) + 1)
            for start in range(max(0, end - _LONGEST_DICTIONARY_WORD), position)
            for reading in self._find_readings(start, end)
        ]
        fitting = tuple(convert_to_sounds(sound) for sound in list_inner_readings(self._kana, is_last=True))
        return not sounds or any(sound.endswith(fitting) for sound in sounds)

    def _list_last_parts(self) -> Iterator[tuple[int, int]]:
        """Yield where the last part begins, and how many kana are left for those before it."""
        for end in range(self._end, len(self._text) + 1):
            ending = convert_to_katakana(self._text[self._end : end])
            for place in range(self._end - 1, max(-1, end - _LONGEST_DICTIONARY_WORD - 1), -1):
                for reading in self._find_readings(place, end):
                    if ending and not (reading.endswith(ending) and len(reading) > len(ending)):
                        continue
                    inside = reading.removesuffix(ending)
                    yield from self._match_reading(place, inside, len(self._kana), is_last=not ending)
                    yield from self._match_without_honorific(place, inside)

    def _list_parts_ending_at(self, end: int, left: int) -> Iterator[tuple[int, int]]:
        for place in range(end - 1, max(-1, end - _LONGEST_DICTIONARY_WORD - 1), -1):
            for reading in self._find_readings(place, end):
                yield from self._match_reading(place, reading, left, is_last=False)

    def _find_readings(self, position: int, end: int) -> Collection[str]:
        word = self._text[position:end]
        itself = convert_to_katakana(normalise_kana(word)) if end - position == 1 else ""
        return [*filter(None, (itself,)), *_EXTRA_READINGS.get(word, ()), *(() if itself else self._readings(word))]

    def _match_reading(self, position: int, reading: str, left: int, *, is_last: bool) -> Iterator[tuple[int, int]]:
        for sound in list_inner_readings(reading, is_last=is_last):
            kana_left = left - len(sound)
            if kana_left >= 0 and convert_to_sounds(self._kana[:kana_left] + sound) == self._sound[:left]:
                yield position, kana_left

    def _match_without_honorific(self, position: int, reading: str) -> Iterator[tuple[int, int]]:
        """Yield matches after kana at the beginning of a word that the reading leaves out, as in お母（かあ）さん."""
        written = self._text[position : self._end]
        start = _find_leading_kana(written)
        if start and len(start) < len(written) and convert_to_sounds(reading) == convert_to_sounds(convert_to_katakana(start) + self._kana):
            yield position + len(start), 0


def _find_leading_kana(text: str) -> str:
    end = next((end for end, char in enumerate(text[:LONGEST_ENDING]) if not "ぁ" <= char <= "ゖ"), min(len(text), LONGEST_ENDING))
    return text[:end]


_BRACKETED_READING = rf"(?<=[{KANJI_CLASS}])[（(]([ぁ-ゖァ-ヺー・ \u3000ｦ-ﾟ]{{1,{LONGEST_READING}}})[)）]"
_DIGITS_BEFORE_KANJI = rf"(?<![0-9０-９])[0-9０-９]{{1,4}}(?=[{KANJI_CLASS}]{{1,3}}\Z)"
_compile_pattern = cache(re.compile)


def extract_bracketed_readings(noted: NotedText, readings: FindReadings) -> NotedText:
    """Return the text without readings in brackets; `readings`: of a dictionary, asked only where a kanji precedes kana in brackets."""
    text = noted.plain
    if "（" not in text and "(" not in text:
        return noted
    sized_matches: list[tuple[int, re.Match[str]]] = []
    for match in _compile_pattern(_BRACKETED_READING).finditer(text):
        before = text[max(0, match.start() - LONGEST_BASE) : match.start()]
        if size := _measure_base(
            before, convert_to_katakana(normalise_kana(match[1])), text[match.end() : match.end() + LONGEST_ENDING], readings
        ):
            sized_matches.append((size, match))
    rubies = (RubyReading(match.start() - size, match.start(), match[1]) for size, match in sized_matches)
    return noted.add_notation((match.span() for _, match in sized_matches), rubies) if sized_matches else noted


def _measure_base(before: str, kana: str, after: str, readings: FindReadings) -> int:
    """Return how many letters the reading belongs to; digits are read as kanji: 20歳（はたち）."""
    digits = _compile_pattern(_DIGITS_BEFORE_KANJI).search(before)
    if digits is None:
        return find_base_length(before, kana, after, readings)
    number, unit = convert_to_kanji(int(digits[0])), before[digits.end() :]
    size = find_base_length(before[: digits.start()] + number + unit, kana, after, readings)
    if size <= len(unit):
        return size
    outside = size - len(unit) - len(number)
    return 0 if outside < 0 else outside + len(digits[0]) + len(unit)
