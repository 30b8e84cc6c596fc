"""What a second analyser reads otherwise: taken over for a white list of words that it knows better, shown as a doubt for others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.core.readings.morphs import Correction, Morph, Part

_VOWEL_ROWS = {"オ": "オコソトノホモヨロゴゾドボポョ", "エ": "エケセテネヘメレゲゼデベペ", "ウ": "ウクスツヌフムユルグズブプュ"}
_LENGTHENED = {("オ", "ウ"), ("エ", "イ"), ("ウ", "ウ")}
_ROW_OF = {kana: vowel for vowel, row in _VOWEL_ROWS.items() for kana in row}


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


def corrections(morphs: Sequence[Morph], second: Sequence[SecondWord], white: frozenset[str]) -> Iterator[Correction]:
    """Words of the white list whose ends are ends of words in both."""
    readings = {(word.start, len(word.surface)): word.reading for word in second}
    for at, morph in enumerate(morphs):
        if morph.surface not in white and morph.base not in white:
            continue
        reading = readings.get((morph.start, len(morph.surface)))
        if reading and pronounced(reading) != morph.reading:
            yield Correction(at, at + 1, (Part(morph.surface, pronounced(reading)),), "second", morph.surface)
