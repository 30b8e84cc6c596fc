"""Scores, minus signs and exponents: signs between numbers that are words."""

from __future__ import annotations

import re

from app.core.normalise.kanji_numbers import convert_to_kanji
from app.core.normalise.lazy_pattern import LazyPattern

_SCORE_IN_KANJI = re.compile(r"(?<![\d.,])(\d{1,3})\s?対\s?(\d{1,3})(?![\d.,])")
# 3-2 is a score where somebody wins or loses by it; a date, an address or a part number otherwise.
_SCORE = re.compile(
    r"(?<![\d./-])(\d{1,3})\s?-\s?(\d{1,3})(?![\d./-])"
    r"(?=で?(?:[^\d。、]{0,12}?)?(?:勝|敗|負|圧勝|快勝|辛勝|完勝|引き分け|引分|リード|下し|制し|破|逆転|スコア|接戦|大差)|の(?:ビハインド|まま|同点))"
)
_SCORE_READINGS = {0: "ゼロ", 4: "ヨン", 7: "ナナ", 9: "キュー"}  # in kanji they would join what follows
_SIZE_CROSS = re.compile(r"(?<=\d)\s?[x×]\s?(?=\d)")
_MINUS_SIGN = LazyPattern("-", r"(?<=[ぁ-ん一-龠々])-(?=\d)|(?<=ー)-(?=\d[\d.,]*(?:度|°|%|円|点|ポイント))")  # but サーバー-1
_NEGATIVE_AMOUNT = LazyPattern(
    "▲△", r"(?<![○×△□●▲◎☆★A-Za-z0-9])[▲△]\s?(?=[$¥€£]?\d[\d,.]*(?![\d,.]*[)）番号着枠]))"
)  # as accounts write it
_RACING = re.compile("[◎○☆★]\\s?\\d")  # there they are marks of horses
_CARET_POWER = re.compile(r"(?<![\d.A-Za-z])(\d{1,6})\^(-?)(\d{1,3})(?![\d.])")


def speak_scores(text: str) -> str:
    """Return text with 対 of scores, a minus behind Japanese, powers and sizes (1920x1080) as words."""
    text = _CARET_POWER.sub(lambda match: f"{match[1]}の{'−' if match[2] else ''}{match[3]}乗", text)
    text = _SCORE_IN_KANJI.sub(_speak_score, _SIZE_CROSS.sub("×", text))
    return _MINUS_SIGN.sub("−", _SCORE.sub(_speak_score, text))


def speak_negative_amounts(text: str) -> str:
    """Return text with ▲ or △ before an amount as a minus."""
    return text if _RACING.search(text) else _NEGATIVE_AMOUNT.sub("−", text)


def _speak_score(match: re.Match[str]) -> str:
    return "タイ".join(_SCORE_READINGS.get(int(number)) or convert_to_kanji(int(number)) for number in match.groups())
