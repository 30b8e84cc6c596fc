"""What a second analyser reads otherwise: taken over for a white list of words that it knows better, shown as a doubt for others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.core.readings.morphs import Correction, Morph, Part
from app.core.words import Word

_VOWEL_ROWS = {"オ": "オコソトノホモヨロゴゾドボポョ", "エ": "エケセテネヘメレゲゼデベペ", "ウ": "ウクスツヌフムユルグズブプュ"}
_LENGTHENED = {("オ", "ウ"), ("エ", "イ"), ("ウ", "ウ")}
_ROW_OF = {kana: vowel for vowel, row in _VOWEL_ROWS.items() for kana in row}
_KATAKANA = re.compile("[ァ-ヴー]+")
_LONG = re.compile(
    "(?<=[アカサタナハマヤラワガザダバパャ])ア|(?<=[イキシチニヒミリギジビピ])イ|(?<=[オコソトノホモヨロゴゾドボポョ])[オウ]|(?<=[エケセテネヘメレゲゼデベペ])[エイ]|(?<=[ウクスツヌフムユルグズブプュ])ウ"
)
_KANJI = re.compile("[一-龠々]")
_SETTLED = frozenset(("user", "ruby", "rule", "dictionary", "second"))
_NO_DOUBT = frozenset(("数", "助数詞", "接尾", "接頭詞"))  # numbers join with what they count, which the second analyser does not do
# Both are right everywhere, and the first analyser's is the usual one.
_ALIKE = frozenset("多 得る 私 何 日本 言う 明日 四 七 九 一 十 家 他 方 人 後 時 本".split())  # noqa: SIM905
_VOICED = str.maketrans("ガギグゲゴザジズゼゾダヂヅデドバビブベボパピプペポッ", "カキクケコサシスセソタチツテトハヒフヘホハヒフヘホツ")


@dataclass(frozen=True, slots=True)
class SecondWord:
    """A word of the second analyser: as written, its reading in kana, its place in the text."""

    surface: str
    reading: str
    start: int


def pronounced(reading: str) -> str:
    """A reading as it sounds within a word: コウエン → コーエン."""
    sound = ""
    for kana in reading:
        lengthens = bool(sound) and (_ROW_OF.get(sound[-1], ""), kana) in _LENGTHENED
        sound += "ー" if lengthens else kana
    return sound.replace("ヅ", "ズ").replace("ヂ", "ジ")


def may_correct(morphs: Sequence[Morph], text: str, white: frozenset[str]) -> bool:
    """Whether a word of the white list may stand in a sentence."""
    return any(morph.base in white for morph in morphs) or any(word in text for word in white)


def corrections(morphs: Sequence[Morph], second: Sequence[SecondWord], white: frozenset[str]) -> Iterator[Correction]:
    """Words of the white list whose ends are ends of words in both; what the first analyser divides, too (半七, 三四郎)."""
    first_at = {morph.start: at for at, morph in enumerate(morphs)}
    last_at = {morph.end: at + 1 for at, morph in enumerate(morphs)}
    for word in second:
        first, last = first_at.get(word.start), last_at.get(word.start + len(word.surface))
        if first is None or last is None or not word.reading:
            continue
        is_divided = last - first > 1
        if word.surface not in white and (is_divided or morphs[first].base not in white):
            continue
        reading = pronounced(word.reading)
        if is_divided or reading != morphs[first].reading:  # numbers in divided words are read later: 半七 would be ハンナナ
            part = Part(word.surface, reading, 0, "proper_noun") if is_divided else Part(word.surface, reading)
            yield Correction(first, last, (part,), "second", word.surface)


def is_open(word: Word) -> bool:
    """Whether a second opinion on a word says anything: it has kanji, and neither the user nor a rule has settled its reading."""
    return (
        word.read_by not in _SETTLED
        and word.surface not in _ALIKE
        and _NO_DOUBT.isdisjoint(word.kind)
        and _KANJI.search(word.surface) is not None
    )


def with_others(words: Sequence[Word], second: Sequence[SecondWord]) -> list[Word]:
    """The words with what the second analyser reads otherwise, where its words have the same ends."""
    readings = {(word.start, len(word.surface)): pronounced(word.reading) for word in second}
    found, start = [], 0
    for word in words:
        other = readings.get((start, len(word.surface)), "") if is_open(word) else ""
        start += len(word.surface)
        differs = _KATAKANA.fullmatch(other) is not None and _heard(other) != _heard(word.pronunciation)
        found.append(replace(word, other=other) if differs else word)
    return found


def _heard(reading: str) -> str:
    """A reading without what only joining words changes: voicing, and how long vowels are written."""
    return _LONG.sub("ー", reading).translate(_VOICED)
