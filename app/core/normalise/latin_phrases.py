"""Latin words that are read by what stands beside them: titles, grades, names with numbers, capitals."""

from __future__ import annotations

import re
from string import ascii_letters

from app.core.normalise.english_words import COMMON_ENGLISH_READINGS, SMALL_NUMBER_READINGS
from app.core.normalise.lazy_pattern import LazyPattern
from app.core.normalise.romaji import convert_romaji

_TWICE_NUMBERED_NAME = LazyPattern(
    ascii_letters, r"(?<=[A-Za-z]{2})[ -]?(\d|10|11)(と|や|か|、)(\d|10|11)(?![\d:/%]|[.,]\d|\s?[一-龠ァ-ヶ])"
)
_CAPITAL_ABBREVIATIONS = frozenset(("IT", "US", "AM", "AS", "DR", "MR", "MS", "ST", "MAX", "MAY"))  # they spell words, too
_GRADE = re.compile(
    r"(?<![A-Za-z0-9.'-])A(?=さん|くん|君|ちゃん|案|社|型|クラス|級|組|国|氏|地点|店|市|チーム|グループ|コース|ランク|判定)"
)
_CAPITALS = re.compile(r"(?<![A-Za-z])[A-Z]{2,}(?: [A-Z]{2,})+(?![A-Za-z])")
_NUMBERED_NAME = LazyPattern(ascii_letters, r"(?<=[A-Za-z]{2})[ -]?(\d|10|11)(?![\d:/%]|[.,]\d|\s?[一-龠ァ-ヶ])")
_ENGLISH_TITLE = re.compile(r"\b(Mr|Mrs|Ms|Dr|St|vs|Vol|vol|Ver|ver)\.\s*")
_HYPHENATED = re.compile(r"(?<![A-Za-z-])([A-Za-z]{1,20})-([A-Za-z]{1,20})(?![A-Za-z-])")  # Wi-Fi, e-mail
_NUMERO = re.compile(r"\bN[oO]\.?\s?(?=\d)")


def speak_phrases(text: str) -> str:
    """Return text with such phrases as katakana, or as they are found in dictionaries."""
    text = _NUMERO.sub("ナンバー", text)
    text = _ENGLISH_TITLE.sub(r"\1 ", text)
    text = _TWICE_NUMBERED_NAME.sub(
        lambda match: f" {SMALL_NUMBER_READINGS[int(match[1])]} {match[2]} {SMALL_NUMBER_READINGS[int(match[3])]} ", text
    )
    text = _CAPITALS.sub(lambda match: _speak_capitals(match[0]), _GRADE.sub("エー", text))
    text = _NUMBERED_NAME.sub(lambda match: f" {SMALL_NUMBER_READINGS[int(match[1])]} ", text)
    return _HYPHENATED.sub(
        lambda match: match[1] + match[2] if (match[1] + match[2]).lower() in COMMON_ENGLISH_READINGS else match[0], text
    )


def _speak_capitals(phrase: str) -> str:
    """Read words in capitals: Japanese in every word (SEKAI NO OWARI) becomes kana; short English ones (THE BEATLES) are no abbreviations."""
    words = phrase.split()
    if all(len(word) < 4 for word in words):
        return phrase
    kana = [convert_romaji(word.lower(), shortest=1) for word in words]
    if all(kana):
        return " ".join(reading for reading in kana if reading)
    return " ".join(
        word.capitalize() if len(word) < 4 and word.lower() in COMMON_ENGLISH_READINGS and word not in _CAPITAL_ABBREVIATIONS else word
        for word in words
    )
