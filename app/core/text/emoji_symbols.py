"""Finds the emoji of a text and the Nanairo symbol of each. All other emoji disappear in normalisation."""

import re
from typing import NamedTuple

from app.core.symbols import NANAIRO_EMOJI

_EMOJI_VARIANTS = {
    "😡😤": "😠", "😂🤣": "😆", "😢🥲": "😭", "😨😥": "😟", "😧😦": "😲", "😣😫": "😖", "😓": "😰", "🥰☺": "😊",
    "❤💕": "🫶", "🤨": "🤔", "😜😼": "😏", "🤢🤮": "🥴",
}  # fmt: skip
_SYMBOL_OF = {char: char for char in NANAIRO_EMOJI} | {char: symbol for alike, symbol in _EMOJI_VARIANTS.items() for char in alike}
_EMOJI_MODIFIERS = "[\ufe0f\U0001f3fb-\U0001f3ff]*"  # the first is the variation selector that asks for colour, the others are skin tones
# A face that exhales is two emoji with a zero-width joiner; without the sequence 😮 would be found alone.
_SIGH_EMOJI = f"😮{_EMOJI_MODIFIERS}\u200d💨"
EMOJI_PATTERN = f"(?:{_SIGH_EMOJI}|[{''.join(_SYMBOL_OF)}]){_EMOJI_MODIFIERS}"
_EMOJI_REGEX = re.compile(EMOJI_PATTERN)


class EmojiSpan(NamedTuple):
    """Characters [start, end) of a text, and the symbol they stand for."""

    start: int
    end: int
    symbol: str


def find_emoji(text: str) -> list[EmojiSpan]:
    """Return every emoji of the text that has a symbol, in order."""
    return [EmojiSpan(*match.span(), "💨" if "\u200d" in match[0] else _SYMBOL_OF[match[0][0]]) for match in _EMOJI_REGEX.finditer(text)]


def has_emoji(text: str) -> bool:
    """Return True if any emoji of the text has a symbol."""
    return _EMOJI_REGEX.search(text) is not None


def replace_emoji(text: str, instead: str) -> str:
    """Return the text with each such emoji replaced by `instead`."""
    # The analyser takes some emoji for signs, at which it would end an accent phrase.
    return _EMOJI_REGEX.sub(instead, text)


def trim_emoji(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the stretch [start, end) without the emoji at its ends; a stretch of emoji alone stays as it is."""
    places = find_emoji(text[start:end])
    first, last = start, end
    for emoji in places:
        first = start + emoji.end if start + emoji.start == first else first
    for emoji in reversed(places):
        last = start + emoji.start if start + emoji.end == last > first else last
    return (first, last) if first < last else (start, end)
