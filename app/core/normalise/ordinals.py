"""Numbers that Latin letters belong to: Roman numerals, 1st, 2nd, F1, 1on1, half past ten pm."""

from __future__ import annotations

import re

from app.core.normalise.english_words import LETTER_READINGS, SMALL_NUMBER_READINGS
from app.core.normalise.kanji_numbers import convert_to_kanji
from app.core.normalise.lazy_pattern import LazyPattern

_ROMAN_NUMERALS = {
    name: number for number, name in enumerate(["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"], start=1)
}
_NUMERAL = LazyPattern("IVX", r"(?<![A-Za-z0-9])(?P<before>第?)(II|III|IV|VI|VII|VIII|IX|XI|XII)(?![A-Za-z0-9.])")
_NUMERAL_OF_NAME = LazyPattern("IVX", r"(?<=[ァ-ヶー一-龠])\s?(II|III|IV|V|VI|VII|VIII|IX|X|XI|XII)(?![A-Za-z0-9.])")
_ANY_NUMERAL = r"(?:I|II|III|IV|V|VI|VII|VIII|IX|X|XI|XII)"
_NUMERAL_LIST = LazyPattern("IVX", rf"(?<![A-Za-z0-9]){_ANY_NUMERAL}(?:\s?[,、，・/ ]\s?{_ANY_NUMERAL})+(?![A-Za-z0-9.'])")  # I・II・III
_NUMERAL_COUNTERS = "世章型期部巻類種級度編号条項話番回次丁組"  # Japanese numbers go with them
_ENGLISH_ORDINALS = {
    "1st": "ファースト", "2nd": "セカンド", "3rd": "サード", "4th": "フォース", "5th": "フィフス", "6th": "シックスス", "7th": "セブンス",
    "8th": "エイス", "9th": "ナインス", "10th": "テンス", "11th": "イレブンス", "12th": "トゥエルフス", "13th": "サーティーンス",
    "14th": "フォーティーンス", "15th": "フィフティーンス", "16th": "シックスティーンス", "17th": "セブンティーンス", "18th": "エイティーンス",
    "19th": "ナインティーンス", "20th": "トゥエンティース", "21st": "トゥエンティーファースト", "25th": "トゥエンティーフィフス",
    "30th": "サーティース", "40th": "フォーティース", "50th": "フィフティース", "100th": "ハンドレッドス",
}  # fmt: skip
_ORDINAL = LazyPattern("123456789", r"(?<![\d.A-Za-z])(?:" + "|".join(_ENGLISH_ORDINALS) + r")(?![A-Za-z0-9])", re.IGNORECASE)
_ONE_ON_ONE = re.compile(r"(?<![\d.A-Za-z])([1-9])\s?on\s?([1-9])(?![A-Za-z0-9])", re.IGNORECASE)
_LETTER_NUMBER = re.compile(r"(?<![A-Za-z0-9-])([FMGAEJK])-?([1-3])(?![A-Za-z0-9.,%]|\s?[台万億円人個名])")
_TIME_THEN_HALF_DAY = re.compile(r"(?<![\d:])(\d{1,2}(?::\d{2})?(?:時(?:\d{1,2}分)?)?)\s?([ap])\.?m\.?(?![A-Za-z])")
_HALF_DAY_THEN_TIME = re.compile(r"(?<![A-Za-z\d])([AP])\.?M\.?\s?(?=\d{1,2}(?::\d{2}|時(?!間)))")
_NAME_THEN_SIZE = re.compile(r"(?<![A-Za-z])([A-Z]{2,5})(\d+(?:\.\d+)?)(?=\s?[KMGT]i?B(?![A-Za-z]))")
_LONGEST_ENGLISH = len(SMALL_NUMBER_READINGS)


def speak_half_days(text: str) -> str:
    """Convert times of a clock of twelve hours: 10:30pm, PM10:30 → 午後10:30."""
    text = _HALF_DAY_THEN_TIME.sub(lambda match: "午前" if match[1] == "A" else "午後", text)
    return _TIME_THEN_HALF_DAY.sub(
        lambda match: ("午前" if match[2] == "a" else "午後") + match[1] + ("" if ":" in match[1] or "時" in match[1] else "時"), text
    )


def speak_ordinals(text: str) -> str:
    """Return text with ordinal numbers as words."""
    text = _ORDINAL.sub(lambda match: _ENGLISH_ORDINALS[match[0].lower()], text)
    text = _ONE_ON_ONE.sub(lambda match: f"{SMALL_NUMBER_READINGS[int(match[1])]}オン{SMALL_NUMBER_READINGS[int(match[2])]}", text)
    text = _LETTER_NUMBER.sub(lambda match: f"{LETTER_READINGS[match[1].lower()]}{SMALL_NUMBER_READINGS[int(match[2])]}", text)
    text = _NAME_THEN_SIZE.sub(r"\1 \2", text)
    text = _NUMERAL_LIST.sub(_speak_numeral_list, text)
    text = _NUMERAL_OF_NAME.sub(lambda match: _speak_numeral(match, match[1]), text)
    return _NUMERAL.sub(lambda match: match["before"] + _speak_numeral(match, match[2]), text)


def _speak_numeral_list(match: re.Match[str]) -> str:
    """Read a list of Roman numerals, not of letters: I, X."""
    numerals = re.findall("[IVX]+", match[0])
    return "、".join(str(_ROMAN_NUMERALS[one]) for one in numerals) if any(len(one) > 1 for one in numerals) else match[0]


def _speak_numeral(match: re.Match[str], roman: str) -> str:
    """Read a Roman numeral in English behind katakana (ファイナルファンタジーVII), in Japanese behind 第 and before what is counted."""
    number = _ROMAN_NUMERALS[roman]
    text, start, end = match.string, match.start(), match.end()
    counted = text[end : end + 1] in _NUMERAL_COUNTERS and end < len(text)
    behind_katakana = re.search(r"[ァ-ヶーA-Za-z]\s?$", text[max(0, start - 2) : start]) is not None
    return (
        convert_to_kanji(number) if counted or not behind_katakana or number >= _LONGEST_ENGLISH else f" {SMALL_NUMBER_READINGS[number]} "
    )
