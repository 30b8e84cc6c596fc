"""Letters of a text as they are compared, and the characters that they come from."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

_WIDTHS = ("<wide>", "<narrow>", "<noBreak>")


def fold_width(text: str) -> str:
    """The text with one width for each letter: Ａ is A, ｶﾞ is ガ. Unlike NFKC, it keeps ②, Ⅱ, ㈱ and ½, which are signs of their own."""
    return unicodedata.normalize("NFC", "".join(map(_of_usual_width, text)))


def _of_usual_width(char: str) -> str:
    return unicodedata.normalize("NFKC", char) if unicodedata.decomposition(char).startswith(_WIDTHS) else char


def compared_letters(text: str, fold: Callable[[str], str]) -> tuple[str, list[tuple[int, int]]]:
    """The text as `fold` makes it, and for each of its letters the first and last character (exclusive) it comes from.

    One character may become several letters (㌔), and two one (ｶﾞ): what combines with a character is folded together with it.
    """
    letters, origins, start = "", [], 0
    while start < len(text):
        end = start + 1
        while end < len(text) and _combines(text[end]):
            end += 1
        folded = fold(text[start:end])
        letters += folded
        origins += [(start, end)] * len(folded)
        start = end
    return letters, origins


def _combines(char: str) -> bool:
    return not char.isascii() and unicodedata.combining(unicodedata.normalize("NFKC", char)[0]) > 0
