"""Neighbouring words that the front end reads wrong once numbers are put together, and how they are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.core.text.accent_phrases import Word

# Neighbouring words, with the reading the front end gives them, and the readings they should have.
_PAIR_RULES: dict[tuple[tuple[str, str], ...], tuple[str, ...]] = {
    (("腹", "ハラ"), ("八", "ハチ"), ("分", "フン")): ("ハラ", "ハチ", "ブ"),
    (("八", "ハチ"), ("分", "フン")): ("ハッ", "プン"),
    (("何", "ナン"), ("色", "ショク")): ("ナニ", "イロ"),
    (("一月", "ヒトツキ"), ("号", "ゴー")): ("イチガツ", "ゴー"),
}
_LONGEST_PAIR_RULE = max(map(len, _PAIR_RULES))


def repair_readings(words: Iterable[Word]) -> list[Word]:
    """Return the words with corrected readings."""
    mended = list(words)
    for start in range(len(mended)):
        for length in range(min(_LONGEST_PAIR_RULE, len(mended) - start), 1, -1):
            found = mended[start : start + length]
            readings = _PAIR_RULES.get(tuple((word.surface, word.pronunciation) for word in found))
            if readings:
                name = "".join(word.surface for word in found)
                mended[start : start + length] = [
                    replace(word, pronunciation=kana, read_by="rule", name=name) for word, kana in zip(found, readings, strict=True)
                ]
                break
    return mended
