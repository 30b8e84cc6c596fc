"""Numbers: kanji numerals, decimals, powers of ten, fractions, ratios, signs, telephone numbers."""

from __future__ import annotations

import re
from decimal import Decimal

from app.core.normalise.kanji_numbers import DIGITS, kanji
from app.core.normalise.kept_words import keep

_NAMES = ("ゼロ", "イチ", "ニー", "サン", "ヨン", "ゴー", "ロク", "ナナ", "ハチ", "キュー")
_LONGEST_WRITTEN = 16  # digits; beyond that a power of ten is said as such

_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!\d)")
_SCIENTIFIC = re.compile(r"(?<![A-Za-z\d.])(\d{1,9}(?:\.\d{1,12})?)[eE]([+-]?\d{1,3})(?![A-Za-z\d]|\.\d)")
_FRACTION = re.compile(r"(?<![\d/.])(\d{1,9})/(\d{1,9})(?![\d/])")
_RATIO = re.compile(r"(?<![\d.])(\d{1,9}):(\d{1,9})(?::(\d{1,9}))?(?!\d)")
_NEGATIVE = re.compile(r"(?:(?<=^)|(?<=[\s(（、,=+×÷]))-(?=\d)")
_SUM = re.compile(r"(?<=\d)\s*-\s*(?=[\d.]+\s*=)")
_TELEPHONE = re.compile(
    r"(?<![\d-])(0\d{1,4})(?:-(\d{1,4})-|\s?\((\d{1,4})\)\s?-?)(\d{3,4})(?![\d-])"
    r"|(?<![\d-])\((0\d{1,4})\)\s?(\d{1,4})[- ]?(\d{4})(?![\d-])"
    r"|(?<![\d-])(0\d{1,3}) (\d{3,4}) (\d{4})(?![\d-])"
)
_ABROAD = re.compile(r"(?<![\d-])\+(\d{1,3})[- ]((?:\(0\))?\d{1,4})[- ](\d{3,4})[- ](\d{3,4})(?![\d-])")
_VERSION = re.compile(r"(?<!\d)(?<!\d\.)\d+(?:\.\d+){2,}(?!\d|\.\d)")
_POSTCODE = re.compile(r"(?<=郵便番号)\s*(\d{3})-(\d{4})(?!\d)")


def digit_by_digit(digits: str) -> str:
    """Each digit by its name, as in telephone numbers."""
    return "".join(_NAMES[int(digit)] for digit in digits)


def speak_numbers(text: str) -> str:
    """Text with the shapes of numbers resolved that the dictionary would read as something else."""
    text = _POSTCODE.sub(lambda match: f"{digit_by_digit(match[1])}の{digit_by_digit(match[2])}", text)
    text = _ABROAD.sub(lambda match: "+" + "、".join(digit_by_digit(group.replace("(0)", "")) for group in match.groups()), text)
    text = _TELEPHONE.sub(lambda match: "、".join(digit_by_digit(group) for group in match.groups() if group), text)
    text = _GROUPED.sub(lambda match: match[0].replace(",", ""), text)
    text = _SCIENTIFIC.sub(_scientific, text)
    text = _FRACTION.sub(lambda match: f"{kanji(int(match[2]))}ぶんの{kanji(int(match[1]))}", text)
    text = _RATIO.sub(lambda match: "タイ".join(kanji(int(part)) for part in match.groups() if part), text)
    text = _VERSION.sub(lambda match: match[0].replace(".", "テン"), text)
    return _SUM.sub(keep("ひく"), _NEGATIVE.sub("−", text))


def _scientific(match: re.Match[str]) -> str:
    whole, _, decimals = f"{Decimal(f'{match[1]}e{match[2]}'):f}".partition(".")
    if len(whole) > _LONGEST_WRITTEN or len(decimals) > _LONGEST_WRITTEN:
        return f"{match[1]}×10の{'−' if match[2].startswith('-') else ''}{match[2].lstrip('+-')}乗"
    return kanji(int(whole)) + ("点" + "".join(DIGITS[int(digit)] for digit in decimals) if decimals else "")
