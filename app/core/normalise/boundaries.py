"""Spaces that part Japanese words: 今日 中野へ is not 今日中 野へ."""

from __future__ import annotations

import re

from app.core.normalise.rare import RarePattern

# Stands for such a space, as all others between Japanese characters are only a matter of style.
BOUNDARY = "\ue001"

_JAPANESE = "ぁ-ゖァ-ヺー一-龠々〇"
_SPACES = " \t\u00a0\u3000"
_SPACE = RarePattern(_SPACES, rf"(?<=[{_JAPANESE}])[{_SPACES}]+(?=[{_JAPANESE}])")
_LETTERED = RarePattern(
    " \u3000", rf"(?<![^\s])[{_JAPANESE}](?:[ \u3000][{_JAPANESE}]){{2,}}(?![^\s、。！？!?])"
)  # お は よ う is one word


def mark_boundaries(text: str) -> str:
    """Raw text with a sign of its own for every space between Japanese words."""
    text = _LETTERED.sub(lambda match: re.sub(r"\s", "", match[0]), text)
    return _SPACE.sub(BOUNDARY, text)
