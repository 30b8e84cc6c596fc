"""Accents of phrases that the front end joins wrong, by Tokyo's accent: ナ＼イデ, hearsay そうです, 百円.

A phrase's accent is that of its first word, counted in morae of the phrase.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.core.moras import split_moras
from app.core.words import Word

_COPULAS = frozenset(("です", "だ", "でし", "だっ", "な", "で", "でしょ"))
_HUNDREDS = ("ヒャク", "ビャク", "ピャク")


def mend_accents(words: Sequence[Word]) -> list[Word]:
    """The words with such accents put right; readings stay."""
    mended = list(words)
    for at, word in enumerate(mended):
        if word.surface in ("そう", "そうだ"):
            _join_hearsay(mended, at)
        elif word.surface == "で" and at and mended[at - 1].surface == "ない" and mended[at - 1].kind[0] == "助動詞":
            _fall_at(mended, at - 1)
        elif word.surface == "円" and word.joined and mended[at - 1].pronunciation.endswith(_HUNDREDS):
            if at + 1 < len(mended) and mended[at + 1].kind[0] == "名詞":  # 百円玉 is another word
                continue
            _fall_at(mended, at)
    return mended


def _join_hearsay(words: list[Word], at: int) -> None:
    """降るそうです is one phrase that keeps the accent of 降る; behind a flat word the pitch falls after ソ."""
    before = words[at - 1] if at else None
    if before is None or words[at].joined or before.kind[0] not in ("動詞", "形容詞", "助動詞"):
        return
    following = words[at + 1].surface if at + 1 < len(words) else ""
    looks_so = before.surface == "た" and following == "な"  # 食べたそうな is what he wants, not what is said
    if words[at].surface == "そう" and (following not in _COPULAS or looks_so):
        return
    words[at] = replace(words[at], joined=True)
    _fall_at(words, at, junction=True)  # 泣いた alone ends high, which the front end marks as a fall behind タ


def _fall_at(words: list[Word], at: int, *, junction: bool = False) -> None:
    """Lets the pitch of the phrase fall after the first mora of a word, unless it falls before; `junction` takes a fall right before it along."""
    first = at
    while first and words[first].joined:
        first -= 1
    place = sum(len(split_moras(word.pronunciation)) for word in words[first:at]) + 1
    if words[first].accent == 0 or words[first].accent > place - 1 - junction:
        words[first] = replace(words[first], accent=place)
