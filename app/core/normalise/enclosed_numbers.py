"""Reads signs in a circle, in brackets or in one Roman sign: (株) in full, and each of ①❷Ⅲ as a number of its own."""

from __future__ import annotations

import re
import unicodedata

_COMPANY_FORMS = {"(株)": "株式会社", "（株）": "株式会社", "(有)": "有限会社", "（有）": "有限会社"}
_CIRCLED = "①-⑳⓪⓫-⓴⓵-⓾⓿❶-❿➀-➓㉈-㉏㉑-㉟㊱-㊿㊀-㊉🄋🄌"
_ROMAN_NUMERAL_CHARS = "Ⅰ-Ⅻⅰ-ⅻ"
_KEYCAP = "[0-9]\ufe0f?\u20e3"  # a digit and the sign that draws a key around it
_ENCLOSED_NUMBER = re.compile(f"([{_CIRCLED}]|{_KEYCAP})|Ⅹ+[Ⅰ-Ⅸ]?|ⅹ+[ⅰ-ⅸ]?|[{_ROMAN_NUMERAL_CHARS}]")
# What would join a number before it: another one, and behind a circle a kanji, which would be what it counts (②次に, but ②番).
_JOINS_NUMBER = rf"[0-9０-９{_CIRCLED}{_ROMAN_NUMERAL_CHARS}]"
_JOINS_CIRCLED = rf"{_JOINS_NUMBER}|(?!番(?![組号地犬人]))[一-龠]"


def speak_enclosed(text: str) -> str:
    """Return raw text with enclosed numbers in digits, parted by pauses where they would join their neighbours."""
    for written, spoken in _COMPANY_FORMS.items():
        text = text.replace(written, spoken)
    return _ENCLOSED_NUMBER.sub(_speak_number, text)


def _speak_number(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    joins = _JOINS_CIRCLED if match[1] and text[start - 1 : start] != "第" else _JOINS_NUMBER
    before = "、" if text[start - 1 : start].isdecimal() else ""
    after = "、" if re.match(joins, text[end : end + 2]) else ""
    return before + str(sum(int(unicodedata.numeric(sign, 0)) for sign in match[0])) + after
