"""Letters of a text folded for comparison, and the characters that they come from."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

_WIDTH_TAGS = ("<wide>", "<narrow>", "<noBreak>")


def fold_width(text: str) -> str:
    """Return the text with one width for each letter: Ａ becomes A, ｶﾞ becomes ガ."""
    # NFKC on the whole text would also replace ②, Ⅱ, ㈱ and ½, which are signs of their own.
    return unicodedata.normalize("NFC", "".join(map(_fold_char_width, text)))


def _fold_char_width(char: str) -> str:
    return unicodedata.normalize("NFKC", char) if unicodedata.decomposition(char).startswith(_WIDTH_TAGS) else char


def fold_letters(text: str, fold: Callable[[str], str]) -> tuple[str, list[tuple[int, int]]]:
    """Return the folded text, and for each of its letters the first and last character (exclusive) it comes from.

    One character may become several letters (㌔), and two one (ｶﾞ): what combines with a character is folded together with it.
    """
    letters, origins, start = "", [], 0
    while start < len(text):
        end = start + 1
        while end < len(text) and not text[end].isascii() and unicodedata.combining(unicodedata.normalize("NFKC", text[end])[0]):
            end += 1
        folded = fold(text[start:end])
        letters += folded
        origins += [(start, end)] * len(folded)
        start = end
    return letters, origins
