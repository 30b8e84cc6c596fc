"""Corrects what the front end joins wrong: readings of neighbours, accents of phrases by Tokyo's accent (ナ＼イデ, hearsay そうです, 百円); and says what was rewritten.

A phrase's accent is that of its first word, counted in morae of the phrase.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from app.core.text.pronunciation import Word, split_moras

_COPULAS = frozenset(("です", "だ", "でし", "だっ", "な", "で", "でしょ"))
_KANA_OF_MIMETIC = re.compile("[ぁ-ゖァ-ヺ]{2,4}")  # long vowels are cries: ニャーニャー falls
_STATING_WORDS = frozenset(("の", "だ", "です", "でし", "だっ", "に", "な"))
_FALLING_REPEATS = frozenset(
    ("そろそろ", "いよいよ", "ますます", "おいおい", "しばしば", "おのおの", "ときどき", "たびたび", "もしもし", "まだまだ")
)
_HUNDREDS = ("ヒャク", "ビャク", "ピャク")

# Neighbouring words, with the reading the front end gives them, and the readings they should have.
_PAIR_RULES: dict[tuple[tuple[str, str], ...], tuple[str, ...]] = {
    (("腹", "ハラ"), ("八", "ハチ"), ("分", "フン")): ("ハラ", "ハチ", "ブ"),
    (("八", "ハチ"), ("分", "フン")): ("ハッ", "プン"),
    (("何", "ナン"), ("色", "ショク")): ("ナニ", "イロ"),
    (("一月", "ヒトツキ"), ("号", "ゴー")): ("イチガツ", "ゴー"),
}
_COUNTED_IN_NATIVE_NUMBERS = frozenset(("房", "枝", "包み", "鍋", "揃い"))
_NATIVE_NUMBERS = {"イチ": "ヒト", "ニ": "フタ", "ニー": "フタ"}
_SINGLE_NUMBERS = {"イッ": "イチ", "ロッ": "ロク", "ハッ": "ハチ", "ジュッ": "ジュー"}
_LONGEST_PAIR_RULE = max(map(len, _PAIR_RULES))


def repair_accents(words: Sequence[Word]) -> list[Word]:
    """Return the words with corrected accents; readings stay."""
    mended = list(words)
    for at, word in enumerate(mended):
        if word.surface in ("そう", "そうだ"):
            _join_hearsay(mended, at)
        elif word.surface == "で" and at and mended[at - 1].surface == "ない" and mended[at - 1].kind[0] == "助動詞":
            _lower_after(mended, at - 1)
        elif word.surface == "円" and word.is_joined and mended[at - 1].pronunciation.endswith(_HUNDREDS):
            if at + 1 < len(mended) and mended[at + 1].kind[0] == "名詞":  # 百円玉 is another word
                continue
            _lower_after(mended, at)
        elif at and word.surface in _STATING_WORDS:
            _set_mimetic_accent(mended, at, 0)
        elif at and word.surface == "と" and (at + 1 == len(mended) or mended[at + 1].is_mark):
            _set_mimetic_accent(mended, at, 1)  # at the end, the analyser takes it for a flat noun: ぼろぼろと。
    return mended


def _set_mimetic_accent(words: list[Word], end: int, accent: int) -> None:
    """Give a mimetic word that ends there its accent: it is flat before what states it, ふわふわの, さらさらだ; as an adverb, ふわふわと, it falls behind its first mora."""
    first, surface = end - 1, words[end - 1].surface
    if first and words[first - 1].surface == surface:
        first, surface = first - 1, surface * 2
    half = surface[: len(surface) // 2]
    if half * 2 != surface or surface in _FALLING_REPEATS or _KANA_OF_MIMETIC.fullmatch(half) is None:
        return
    if len(split_moras(words[end - 1].pronunciation)) in (2, 4):
        words[first] = replace(words[first], accent=accent)
        words[first + 1 : end + 1] = [replace(word, is_joined=True) for word in words[first + 1 : end + 1]]


def _join_hearsay(words: list[Word], index: int) -> None:
    """Join 降るそうです into one phrase that keeps the accent of 降る; behind a flat word the pitch falls after ソ."""
    before = words[index - 1] if index else None
    if before is None or words[index].is_joined or before.kind[0] not in ("動詞", "形容詞", "助動詞"):
        return
    following = words[index + 1].surface if index + 1 < len(words) else ""
    looks_so = before.surface == "た" and following == "な"  # 食べたそうな is what he wants, not what is said
    if words[index].surface == "そう" and (following not in _COPULAS or looks_so):
        return
    words[index] = replace(words[index], is_joined=True)
    _lower_after(words, index, junction=True)  # 泣いた alone ends high, which the front end marks as a fall behind タ


def _lower_after(words: list[Word], index: int, *, junction: bool = False) -> None:
    """Let the pitch of the phrase fall after the first mora of a word, unless it falls before; `junction` includes a fall right before it."""
    first = index
    while first and words[first].is_joined:
        first -= 1
    mora = sum(len(split_moras(word.pronunciation)) for word in words[first:index]) + 1
    if words[first].accent == 0 or words[first].accent > mora - 1 - junction:
        words[first] = replace(words[first], accent=mora)


def repair_readings(words: Iterable[Word]) -> list[Word]:
    mended = list(words)
    for start in range(len(mended)):
        for length in range(min(_LONGEST_PAIR_RULE, len(mended) - start), 1, -1):
            neighbours = mended[start : start + length]
            readings = _PAIR_RULES.get(tuple((word.surface, word.pronunciation) for word in neighbours))
            if readings:
                name = "".join(word.surface for word in neighbours)
                mended[start : start + length] = [
                    replace(word, pronunciation=kana, read_by="rule", name=name) for word, kana in zip(neighbours, readings, strict=True)
                ]
                break
    _repair_counted(mended)
    return mended


def _repair_counted(words: list[Word]) -> None:
    """Join numbers with what they count as people do: 三票, 四拍子, 一房, 十六分音符."""
    for at, word in enumerate(words[1:], 1):
        before, following = words[at - 1], words[at + 1].surface if at + 1 < len(words) else ""
        if (word.surface, word.pronunciation) == ("票", "ビョー"):
            words[at] = replace(word, pronunciation="ピョー")
        elif (word.surface, word.pronunciation) == ("拍子", "ヒョーシ") and before.kind[1] == "数":
            words[at] = replace(word, pronunciation="ビョーシ")
        elif word.surface in _COUNTED_IN_NATIVE_NUMBERS and before.kind[1] == "数" and (at == 1 or words[at - 2].kind[1] != "数"):
            words[at - 1] = replace(before, pronunciation=_NATIVE_NUMBERS.get(before.pronunciation, before.pronunciation))
        elif word.surface == "分" and following in ("音符", "休符"):
            words[at] = replace(word, pronunciation="ブ")
            words[at - 1] = replace(before, pronunciation=_SINGLE_NUMBERS.get(before.pronunciation, before.pronunciation))


def mark_rewritten(words: Sequence[Word], text: str, converted: Mapping[str, str]) -> list[Word]:
    """Return the words, with those marked that the written text does not contain.

    Args:
        text: as it was written, in plain characters.
        converted: katakana that the English converter made, and the word it made it of.
    """
    result, position = [], 0
    for word in words:
        at = text.find(word.surface, position)
        english = next((written for kana, written in converted.items() if word.surface in kana), None)
        if at >= 0:
            position = at + len(word.surface)
        elif word.is_mark:
            pass
        elif english is not None:
            word = replace(word, read_by="english", name=english)
        elif word.read_by == "analyser":
            word = replace(word, read_by="normalisation")
        result.append(word)
    return result
