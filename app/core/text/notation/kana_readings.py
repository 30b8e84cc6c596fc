"""Kana of a reading as they sound: what is a long vowel, and how a reading changes where words meet."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from app.core.text.moras import convert_to_katakana

KANJI_CLASS = "々〆〇ヵヶ\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Letters that take ruby, inside the brackets of an expression."""

_KATAKANA_WORD = re.compile("[ァ-ヺー]*[ァ-ヺ][ァ-ヺー]*")
_VOWELS_BY_KANA = {
    kana: vowel
    for vowel, row in (
        ("ア", "アカサタナハマヤラワガザダバパァャヮ"),
        ("イ", "イキシチニヒミリギジヂビピィ"),
        ("ウ", "ウクスツヌフムユルグズヅブプヴゥュ"),
        ("エ", "エケセテネヘメレゲゼデベペェ"),
        ("オ", "オコソトノホモヨロゴゾドボポォョ"),
    )
    for kana in row
}
_PROLONGED_BY = {"ア": "ア", "イ": "イ", "ウ": "ウ", "エ": "エイ", "オ": "オウ"}
_RARE_KANA = str.maketrans(
    dict(zip("ゐゑゕゖヰヱヵヶ", "いえかけイエカケ", strict=True)) | {"ヷ": "ヴァ", "ヸ": "ヴィ", "ヹ": "ヴェ", "ヺ": "ヴォ"}
)  # Open JTalk does not know them
_SAME_SOUND_KANA = str.maketrans("ヅヂヲヰヱ", "ズジオイエ")
_VOICED_KANA = dict(zip("カキクケコサシスセソタチツテトハヒフヘホ", "ガギグゲゴザジズゼゾダジズデドバビブベボ", strict=True))
_HALF_VOICED_KANA = dict(zip("ハヒフヘホ", "パピプペポ", strict=True))
_GEMINATING_KANA = frozenset("ツチクキ")


def normalise_kana(reading: str) -> str:
    """Return a reading in usual kana, without spaces and middle dots, which nobody hears; empty if it is no kana."""
    kana = "".join(char for char in unicodedata.normalize("NFKC", reading) if not char.isspace() and char != "・").translate(_RARE_KANA)
    return kana if _KATAKANA_WORD.fullmatch(convert_to_katakana(kana)) else ""


def convert_to_sounds(kana: str) -> str:
    """Return katakana as they sound, equally long: a kana that only prolongs a vowel becomes ー, however it is written."""
    sound, vowel = "", ""
    for char in kana.translate(_SAME_SOUND_KANA):
        if char in _PROLONGED_BY.get(vowel, ""):
            sound += "ー"
        else:
            sound += char
            vowel = vowel if char == "ー" else _VOWELS_BY_KANA.get(char, "")
    return sound


def list_inner_readings(reading: str, *, is_last: bool) -> Iterator[str]:
    """Yield how a reading may sound as a part of a longer word: カワ as ガワ, ハツ as パツ and, where another part follows, ガク as ガッ."""
    first, rest = reading[:1], reading[1:]
    for start in filter(None, (first, _VOICED_KANA.get(first), _HALF_VOICED_KANA.get(first))):
        yield start + rest
        if not is_last and rest[-1:] in _GEMINATING_KANA:
            yield start + rest[:-1] + "ッ"
