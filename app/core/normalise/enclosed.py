"""What is written in a circle, in brackets or as one Roman sign: (株) in full, and each of ①❷Ⅲ as a number of its own."""

from __future__ import annotations

import re
import unicodedata

_COMPANIES = {"(株)": "株式会社", "（株）": "株式会社", "(有)": "有限会社", "（有）": "有限会社"}
_CIRCLED = "①-⑳⓪⓫-⓴⓵-⓾⓿❶-❿➀-➓㉈-㉏㉑-㉟㊱-㊿㊀-㊉🄋🄌"
_ROMAN = "Ⅰ-Ⅻⅰ-ⅻ"
_KEY = "[0-9]\ufe0f?\u20e3"  # a digit and the sign that draws a key around it
_NUMBER = re.compile(f"([{_CIRCLED}]|{_KEY})|Ⅹ+[Ⅰ-Ⅸ]?|ⅹ+[ⅰ-ⅸ]?|[{_ROMAN}]")
# What would join a number before it: another one, and behind a circle a kanji, which would be what it counts (②次に, but ②番).
_JOINS = rf"[0-9０-９{_CIRCLED}{_ROMAN}]"
_JOINS_CIRCLED = rf"{_JOINS}|(?!番(?![組号地犬人]))[一-龠]"


def speak_enclosed(text: str) -> str:
    """Raw text with such numbers in digits, parted by pauses where they would join what stands beside them."""
    for written, spoken in _COMPANIES.items():
        text = text.replace(written, spoken)
    return _NUMBER.sub(_number, text)


def _number(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    joins = _JOINS_CIRCLED if match[1] and text[start - 1 : start] != "第" else _JOINS
    before = "、" if text[start - 1 : start].isdecimal() else ""
    after = "、" if re.match(joins, text[end : end + 2]) else ""
    return before + str(sum(int(unicodedata.numeric(sign, 0)) for sign in match[0])) + after
