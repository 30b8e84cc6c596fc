"""Numbers: kanji numerals, decimals, powers of ten, fractions, ratios, signs, telephone numbers."""

from __future__ import annotations

import re
from decimal import Decimal

from app.core.normalise.kanji_numbers import KANJI_DIGITS, convert_to_kanji
from app.core.normalise.kept_words import keep_words

_DIGIT_READINGS = ("ゼロ", "イチ", "ニー", "サン", "ヨン", "ゴー", "ロク", "ナナ", "ハチ", "キュー")
_LONGEST_WRITTEN = 16  # digits; beyond that a power of ten is said as such

_COMMA_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!\d)")
_SCIENTIFIC = re.compile(r"(?<![A-Za-z\d.])(\d{1,9}(?:\.\d{1,12})?)[eE]([+-]?\d{1,3})(?![A-Za-z\d]|\.\d)")
_FRACTION = re.compile(r"(?<![\d/.])(\d{1,9})/(\d{1,9})(?![\d/])")
_RATIO = re.compile(r"(?<![\d.])(\d{1,9}):(\d{1,9})(?::(\d{1,9}))?(?!\d)")
_NEGATIVE = re.compile(r"(?:(?<=^)|(?<=[\s(（、,=+×÷]))-(?=\d)")
_MINUS_OF_EQUATION = re.compile(r"(?<=\d)\s*-\s*(?=[\d.]+\s*=)")
_TELEPHONE = re.compile(
    r"(?<![\d-])(0\d{1,4})(?:-(\d{1,4})-|\s?\((\d{1,4})\)\s?-?)(\d{3,4})(?![\d-])"
    r"|(?<![\d-])\((0\d{1,4})\)\s?(\d{1,4})[- ]?(\d{4})(?![\d-])"
    r"|(?<![\d-])(0\d{1,3}) (\d{3,4}) (\d{4})(?![\d-])"
)
_INTERNATIONAL_NUMBER = re.compile(r"(?<![\d-])\+(\d{1,3})[- ]((?:\(0\))?\d{1,4})[- ](\d{3,4})[- ](\d{3,4})(?![\d-])")
_VERSION_NUMBER = re.compile(r"(?<!\d)(?<!\d\.)\d+(?:\.\d+){2,}(?!\d|\.\d)")
_POSTCODE = re.compile(r"(?<=郵便番号)\s*(\d{3})-(\d{4})(?!\d)")


def speak_digits(digits: str) -> str:
    """Return each digit by its name, as in telephone numbers."""
    return "".join(_DIGIT_READINGS[int(digit)] for digit in digits)


def speak_numbers(text: str) -> str:
    """Return text with the shapes of numbers resolved that the dictionary would read as something else."""
    text = _POSTCODE.sub(lambda match: f"{speak_digits(match[1])}の{speak_digits(match[2])}", text)
    text = _INTERNATIONAL_NUMBER.sub(
        lambda match: "+" + "、".join(speak_digits(group.replace("(0)", "")) for group in match.groups()), text
    )
    text = _TELEPHONE.sub(lambda match: "、".join(speak_digits(group) for group in match.groups() if group), text)
    text = _COMMA_GROUPED.sub(lambda match: match[0].replace(",", ""), text)
    text = _SCIENTIFIC.sub(_speak_scientific, text)
    text = _FRACTION.sub(lambda match: f"{convert_to_kanji(int(match[2]))}ぶんの{convert_to_kanji(int(match[1]))}", text)
    text = _RATIO.sub(lambda match: "タイ".join(convert_to_kanji(int(part)) for part in match.groups() if part), text)
    text = _VERSION_NUMBER.sub(lambda match: match[0].replace(".", "テン"), text)
    return _MINUS_OF_EQUATION.sub(keep_words("ひく"), _NEGATIVE.sub("−", text))


def _speak_scientific(match: re.Match[str]) -> str:
    whole, _, decimals = f"{Decimal(f'{match[1]}e{match[2]}'):f}".partition(".")
    if len(whole) > _LONGEST_WRITTEN or len(decimals) > _LONGEST_WRITTEN:
        return f"{match[1]}×10の{'−' if match[2].startswith('-') else ''}{match[2].lstrip('+-')}乗"
    return convert_to_kanji(int(whole)) + ("点" + "".join(KANJI_DIGITS[int(digit)] for digit in decimals) if decimals else "")
