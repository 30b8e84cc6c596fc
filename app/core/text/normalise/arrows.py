"""Arrows: a pause between words, から between numbers, silent at the ends of a line; only one that stands alone is named."""

from __future__ import annotations

import re

from app.core.text.normalise.characters import PLACEHOLDER
from app.core.text.normalise.kept_words import KEPT_CHAR_RANGE
from app.core.text.normalise.lazy_pattern import LazyPattern

_RIGHT_ARROWS = "➡⮕➔➙➛➜➝➞➟➠➤➥➦➧➨➩➪➫➬➭➮➯➱➲➳➵➸➺➻➼➽➾⟶⟹⟾↦⇢⇨⇾🡒🡺"
_DRAWN_ARROW = LazyPattern("<>", r"<?(?:[-—−ー]{1,9}|={1,9})>|<[-—−]{1,9}(?=\s?[ぁ-んァ-ヶ一-龠])")  # ->, =>, <->, <-
_PLAIN_ARROWS = str.maketrans(dict.fromkeys(_RIGHT_ARROWS, "→") | dict.fromkeys("⬅⟵⟸⇐⇦⇠", "←") | dict.fromkeys("⟷⟺⬌", "↔"))

_ARROWS = "→⇒←↔⇔"
_ARROW_BETWEEN_WORDS = LazyPattern(
    _ARROWS,
    rf"(?<=[ぁ-んァ-ヶー一-龠々A-Za-z0-9%)）」』】\]\"'!?…{PLACEHOLDER}{KEPT_CHAR_RANGE}])\s?[{_ARROWS}]+\s?"
    rf"(?=[ぁ-んァ-ヶ一-龠A-Za-z0-9(（「『【\[\"'$¥€£+−\-{PLACEHOLDER}{KEPT_CHAR_RANGE}])",
)
_ARROW_AT_LINE_END = LazyPattern(
    _ARROWS, rf"^[ \u3000]*[{_ARROWS}]+[ \u3000]*(?=[^\s{_ARROWS}↑↓])|(?<=[^\s{_ARROWS}↑↓])\s*[{_ARROWS}]+[ \u3000]*$", re.MULTILINE
)
_NUMBER_BEFORE = re.compile(r"\d[^\d\s]{0,3}$")
_NUMBER_BEHIND = re.compile(r"[-−+$¥€£]?\d")
_PROPOSITIONS = re.compile(r"(?<![A-Za-z])[A-Za-z]\s?[⇒⇔]\s?[A-Za-z](?![A-Za-z])")  # p⇒q


def join_arrows(text: str) -> str:
    """Return text with one sign for an arrow, however it is drawn."""
    return _DRAWN_ARROW.sub(_choose_arrow, text.translate(_PLAIN_ARROWS))


def _choose_arrow(match: re.Match[str]) -> str:
    left, right = match[0].startswith("<"), match[0].endswith(">")
    return "↔" if left and right else "→" if right else "←"


def speak_arrows(text: str) -> str:
    """Return text without the arrows that words or lines explain."""
    return _ARROW_AT_LINE_END.sub("", _ARROW_BETWEEN_WORDS.sub(_speak_arrow_between, text))


def _speak_arrow_between(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    if _PROPOSITIONS.match(text, start - 1):
        return match[0]
    numbers = _NUMBER_BEFORE.search(text[max(0, start - 5) : start]) and _NUMBER_BEHIND.match(text, end)
    return "から" if numbers and "←" not in match[0] else "、"
