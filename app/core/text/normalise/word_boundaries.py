"""Spaces that part Japanese words: 今日 中野へ is not 今日中 野へ."""

from __future__ import annotations

import re

from app.core.text.normalise.lazy_pattern import LazyPattern

# Stands for such a space, as all others between Japanese characters are only a matter of style.
BOUNDARY_CHAR = "\ue001"

_JAPANESE_CLASS = "ぁ-ゖァ-ヺー一-龠々〇"
_SPACE_CHARS = " \t\u00a0\u3000"
_SPACE_BETWEEN_JAPANESE = LazyPattern(_SPACE_CHARS, rf"(?<=[{_JAPANESE_CLASS}])[{_SPACE_CHARS}]+(?=[{_JAPANESE_CLASS}])")
_LETTER_SPACED = LazyPattern(
    " \u3000", rf"(?<![^\s])[{_JAPANESE_CLASS}](?:[ \u3000][{_JAPANESE_CLASS}]){{2,}}(?![^\s、。！？!?])"
)  # お は よ う is one word


def mark_boundaries(text: str) -> str:
    """Return raw text with a sign of its own for every space between Japanese words."""
    text = _LETTER_SPACED.sub(lambda match: re.sub(r"\s", "", match[0]), text)
    return _SPACE_BETWEEN_JAPANESE.sub(BOUNDARY_CHAR, text)
