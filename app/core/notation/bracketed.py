"""Readings in parentheses behind their word: 蔑（さげす）む, 山田太郎（やまだたろう）. Only a possible reading is one; else it is text."""

from __future__ import annotations

import re
from functools import cache

from app.core.moras import hiragana_to_katakana
from app.core.normalise.kanji_numbers import kanji
from app.core.notation.kana import KANJI, kana_of
from app.core.notation.noted import NotedText, Ruby
from app.core.notation.possible_readings import LONGEST_BASE, LONGEST_ENDING, LONGEST_READING, Readings, base_length

_BRACKETED = rf"(?<=[{KANJI}])[（(]([ぁ-ゖァ-ヺー・ \u3000ｦ-ﾟ]{{1,{LONGEST_READING}}})[)）]"
_COUNTED = rf"(?<![0-9０-９])[0-9０-９]{{1,4}}(?=[{KANJI}]{{1,3}}\Z)"
_compiled = cache(re.compile)


def with_bracketed(noted: NotedText, readings: Readings) -> NotedText:
    """The text with such readings taken out.

    Args:
        readings: of a dictionary; asked only where kana stand in parentheses behind a kanji.
    """
    text = noted.plain
    if "（" not in text and "(" not in text:
        return noted
    found: list[tuple[int, re.Match[str]]] = []
    for match in _compiled(_BRACKETED).finditer(text):
        before = text[max(0, match.start() - LONGEST_BASE) : match.start()]
        if size := _base_length(
            before, hiragana_to_katakana(kana_of(match[1])), text[match.end() : match.end() + LONGEST_ENDING], readings
        ):
            found.append((size, match))
    rubies = (Ruby(match.start() - size, match.start(), match[1]) for size, match in found)
    return noted.noting((match.span() for _, match in found), rubies) if found else noted


def _base_length(before: str, kana: str, after: str, readings: Readings) -> int:
    """How many letters the reading belongs to; digits are read as kanji: 20歳（はたち）."""
    digits = _compiled(_COUNTED).search(before)
    if digits is None:
        return base_length(before, kana, after, readings)
    number, unit = kanji(int(digits[0])), before[digits.end() :]
    size = base_length(before[: digits.start()] + number + unit, kana, after, readings)
    if size <= len(unit):
        return size
    rest = size - len(unit) - len(number)
    return 0 if rest < 0 else rest + len(digits[0]) + len(unit)
