"""Compares two readings mora by mora, as they sound: what was to be said, and what was heard."""

import re
from dataclasses import dataclass

import numpy as np

SMALL_KANA = "ァィゥェォャュョヮ"
KANA_BY_VOWEL = {
    "ア": "アカサタナハマヤラワガザダバパァャヮ",
    "イ": "イキシチニヒミリギジビピィ",
    "ウ": "ウクスツヌフムユルグズブプゥュ",
    "エ": "エケセテネヘメレゲゼデベペェ",
    "オ": "オコソトノホモヨロゴゾドボポォョ",
}
VOWELS = {kana: vowel for vowel, row in KANA_BY_VOWEL.items() for kana in row}
SAME_SOUNDS = {"ヅ": "ズ", "ヂ": "ジ", "ヲ": "オ", "ヴァ": "バ", "ヴィ": "ビ", "ヴェ": "ベ", "ヴォ": "ボ", "ヴ": "ブ"}
LENGTHENED = {"ウ": "オ", "イ": "エ"}
"""What オウ and エイ end with, and the vowel that it makes long."""

FIGURES = {"2": "two", "10": "ten", "100": "hundred"}  # as a recogniser writes words of the English lines

EDGE_MORAS = 2
"""A beginning or an end is heard if so many morae of it are."""


@dataclass(frozen=True, slots=True)
class HeardMoras:
    """How much of a reading was heard.

    Attributes:
        wrong: morae missing, exchanged or too many, at most `count`.
    """

    count: int
    wrong: int
    start_heard: bool
    end_heard: bool


def split_moras(reading: str) -> list[str]:
    """Cut katakana into morae as they sound: ヅ and ズ, オウ and オー are the same."""
    for kana, same in SAME_SOUNDS.items():
        reading = reading.replace(kana, same)
    moras: list[str] = []
    vowel = ""
    for kana in re.sub("[^ァ-ヴー]", "", reading):
        if kana in SMALL_KANA and moras:
            moras[-1] += kana
        elif vowel and (kana in ("ー", vowel) or LENGTHENED.get(kana) == vowel):
            moras.append("ー")
            continue
        else:
            moras.append(kana)
        vowel = VOWELS.get(kana, "")
    return moras


def compare_moras(said: list[str], heard: list[str]) -> HeardMoras:
    """Align two lists of morae with the fewest changes, and say how much of the first is in the second."""
    costs = _count_changes(said, heard)
    right = _trace_matches(costs, said, heard)
    edge = min(EDGE_MORAS, len(said))
    return HeardMoras(len(said), min(int(costs[-1, -1]), len(said)), all(right[:edge]), all(right[len(said) - edge :]))


def list_heard(said: list[str], heard: list[str]) -> list[bool]:
    """Return for each mora said whether it was heard."""
    return _trace_matches(_count_changes(said, heard), said, heard)


def count_wrong_words(said: str, heard: str) -> tuple[int, int]:
    """Return how many English words are missing, exchanged or too many, and how many were said; case, marks and figures make no difference."""
    words, other = _split_words(said), _split_words(heard)
    return int(_count_changes(words, other)[-1, -1]), len(words)


def _split_words(text: str) -> list[str]:
    text = re.sub(r"\d+", lambda match: FIGURES.get(match[0], match[0]), text.lower().replace("’", "'").replace("-", " "))
    return re.sub("[^a-z0-9']+", " ", text).split()


def _count_changes(said: list[str], heard: list[str]) -> np.ndarray:
    """Return the fewest changes from each beginning of one list to each of the other, int64 (n + 1, m + 1)."""
    costs = np.zeros((len(said) + 1, len(heard) + 1), np.int64)
    costs[:, 0], costs[0] = np.arange(len(said) + 1), np.arange(len(heard) + 1)
    for row, mora in enumerate(said, 1):
        for column, other in enumerate(heard, 1):
            nearest = min(costs[row - 1, column] + 1, costs[row, column - 1] + 1, costs[row - 1, column - 1] + (mora != other))
            costs[row, column] = nearest
    return costs


def _trace_matches(costs: np.ndarray, said: list[str], heard: list[str]) -> list[bool]:
    """Return for each mora said whether the alignment has the same one heard."""
    right = [False] * len(said)
    row, column = len(said), len(heard)
    while row and column:
        is_same = said[row - 1] == heard[column - 1]
        if costs[row, column] == costs[row - 1, column - 1] + (not is_same):
            row, column = row - 1, column - 1
            right[row] = is_same
        elif costs[row, column] == costs[row - 1, column] + 1:
            row -= 1
        else:
            column -= 1
    return right
