"""Removes the decoration around words: bullets, ruled lines, drawn-out laughter."""

from __future__ import annotations

import re

from app.core.normalise.lazy_pattern import LazyPattern

_BULLET = re.compile(r"^\s*(?:[-*•・]|#{1,6}|>{1,3})\s+", re.MULTILINE)
_POST_ANCHOR = LazyPattern(">", r"(?<![\w<>])>>(?=\d)")  # the post of a board that another one answers
_RULED_LINE = re.compile(r"([-_=:*#+〜—])\1{2,}(?:\s*\1{3,})*")
_DOT_RUN = re.compile(r"・{2,}")
_WAVE_RUN = re.compile(r"〜{2,}")
_LAUGHTER = LazyPattern("wW", r"(?<=[ぁ-んァ-ヶー一-龠々!?。)])[wW]+(?=$|[\s。、!?)」』.,])")


def drop_bullets(text: str) -> str:
    """Return text without the bullets of a list, the signs of a quotation, and those before the number of a post."""
    return _POST_ANCHOR.sub("", _BULLET.sub("", text))


def replace_runs(text: str) -> str:
    """Replace runs of one sign by their meaning: a pause, a long vowel, a laugh."""
    text = _DOT_RUN.sub(lambda match: "." * len(match[0]), text)
    text = _WAVE_RUN.sub(lambda match: "ー" * len(match[0]), text)
    text = _RULED_LINE.sub(".", text)
    return _LAUGHTER.sub(lambda match: "ワラ" if len(match[0]) < 3 else "ワラワラ", text)
