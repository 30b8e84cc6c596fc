"""Emoji in a text: which of Nanairo's symbols each stands for. All other emoji vanish in normalisation."""

from __future__ import annotations

import re
from typing import NamedTuple

from app.core.symbols import EMOJI

_ALIKE = {
    "😡😤": "😠", "😂🤣": "😆", "😢🥲": "😭", "😨😥": "😟", "😧😦": "😲", "😣😫": "😖", "😓": "😰", "🥰☺": "😊",
    "❤💕": "🫶", "🤨": "🤔", "😜😼": "😏", "🤢🤮": "🥴",
}  # fmt: skip
_SYMBOL_OF = {char: char for char in EMOJI} | {char: symbol for alike, symbol in _ALIKE.items() for char in alike}
_DRESS = "[\ufe0f\U0001f3fb-\U0001f3ff]*"  # drawn in colour, and the colours of skin
_SIGH = f"😮{_DRESS}\u200d💨"  # a face that exhales: two characters joined
EMOJI_PATTERN = f"(?:{_SIGH}|[{''.join(_SYMBOL_OF)}]){_DRESS}"
_EMOJI = re.compile(EMOJI_PATTERN)


class EmojiPlace(NamedTuple):
    """Characters [start, end) of a text, and the symbol they stand for."""

    start: int
    end: int
    symbol: str


def find_emoji(text: str) -> list[EmojiPlace]:
    """Every emoji of the text that stands for a symbol, in order."""
    return [EmojiPlace(*match.span(), _symbol(match[0])) for match in _EMOJI.finditer(text)]


def has_emoji(text: str) -> bool:
    """Whether any emoji of the text stands for a symbol."""
    return _EMOJI.search(text) is not None


def replace_emoji(text: str, instead: str) -> str:
    """The text without them, for some are signs to the analyser, which would end accent phrases there."""
    return _EMOJI.sub(instead, text)


def trim_emoji(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch [start, end) of a text without the emoji at its ends; as it is where there is nothing else in it."""
    places = find_emoji(text[start:end])
    first, last = start, end
    for place in places:
        first = start + place.end if start + place.start == first else first
    for place in reversed(places):
        last = start + place.start if start + place.end == last > first else last
    return (first, last) if first < last else (start, end)


def _symbol(written: str) -> str:
    return "💨" if "\u200d" in written else _SYMBOL_OF[written[0]]
