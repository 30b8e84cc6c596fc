"""Readings in parentheses behind their word: 蔑（さげす）む, 山田太郎（やまだたろう）. Only a possible reading is one; else it is text."""

from __future__ import annotations

import re
from functools import cache

from app.core.moras import convert_to_katakana
from app.core.normalise.kanji_numbers import convert_to_kanji
from app.core.notation.kana_readings import KANJI_CLASS, normalise_kana
from app.core.notation.noted_text import NotedText, RubyReading
from app.core.notation.possible_readings import LONGEST_BASE, LONGEST_ENDING, LONGEST_READING, FindReadings, find_base_length

_BRACKETED_READING = rf"(?<=[{KANJI_CLASS}])[（(]([ぁ-ゖァ-ヺー・ \u3000ｦ-ﾟ]{{1,{LONGEST_READING}}})[)）]"
_DIGITS_BEFORE_KANJI = rf"(?<![0-9０-９])[0-9０-９]{{1,4}}(?=[{KANJI_CLASS}]{{1,3}}\Z)"
_compile_pattern = cache(re.compile)


def extract_bracketed_readings(noted: NotedText, readings: FindReadings) -> NotedText:
    """Return the text with readings in brackets taken out.

    Args:
        readings: of a dictionary; asked only where kana stand in parentheses behind a kanji.
    """
    text = noted.plain
    if "（" not in text and "(" not in text:
        return noted
    found: list[tuple[int, re.Match[str]]] = []
    for match in _compile_pattern(_BRACKETED_READING).finditer(text):
        before = text[max(0, match.start() - LONGEST_BASE) : match.start()]
        if size := _measure_base(
            before, convert_to_katakana(normalise_kana(match[1])), text[match.end() : match.end() + LONGEST_ENDING], readings
        ):
            found.append((size, match))
    rubies = (RubyReading(match.start() - size, match.start(), match[1]) for size, match in found)
    return noted.add_notation((match.span() for _, match in found), rubies) if found else noted


def _measure_base(before: str, kana: str, after: str, readings: FindReadings) -> int:
    """Return how many letters the reading belongs to; digits are read as kanji: 20歳（はたち）."""
    digits = _compile_pattern(_DIGITS_BEFORE_KANJI).search(before)
    if digits is None:
        return find_base_length(before, kana, after, readings)
    number, unit = convert_to_kanji(int(digits[0])), before[digits.end() :]
    size = find_base_length(before[: digits.start()] + number + unit, kana, after, readings)
    if size <= len(unit):
        return size
    rest = size - len(unit) - len(number)
    return 0 if rest < 0 else rest + len(digits[0]) + len(unit)
