"""Japanese in Latin letters: sakura → サクラ."""

from __future__ import annotations

import re

_ROMAJI_VOWELS = "aiueo"
_ROMAJI_ROWS = {
    "": "アイウエオ", "k": "カキクケコ", "g": "ガギグゲゴ", "s": "サシスセソ", "z": "ザジズゼゾ", "t": "タチツテト", "d": "ダヂヅデド",
    "n": "ナニヌネノ", "h": "ハヒフヘホ", "b": "バビブベボ", "p": "パピプペポ", "m": "マミムメモ", "r": "ラリルレロ",
    "y": "ヤ_ユ_ヨ", "w": "ワ____",
}  # fmt: skip
_GLIDES = {
    "ky": "キ",
    "gy": "ギ",
    "ny": "ニ",
    "hy": "ヒ",
    "by": "ビ",
    "py": "ピ",
    "my": "ミ",
    "ry": "リ",
    "sh": "シ",
    "ch": "チ",
    "j": "ジ",
}
_ROMAJI_MORAS = {
    consonant + vowel: kana
    for consonant, row in _ROMAJI_ROWS.items()
    for vowel, kana in zip(_ROMAJI_VOWELS, row, strict=True)
    if kana != "_"
}
_ROMAJI_MORAS |= {
    consonant + vowel: kana + small for consonant, kana in _GLIDES.items() for vowel, small in zip("auo", "ャュョ", strict=True)
}
_ROMAJI_MORAS |= {"shi": "シ", "chi": "チ", "tsu": "ツ", "fu": "フ", "ji": "ジ"}

_ROMAJI_MORA = re.compile(r"(?:([kstpgzdbc])(?=\1|ch))?((?:[kgnhbpmr]y|sh|ch|ts|[kgsztdnhbpmrywjf])?[aiueo])|(n)(?![aiueoy])")


# node, position: an e behind a single consonant is English, and so is -ion, unless something else is plainly Japanese.
_ENGLISH_END = re.compile(r"[aeiou][a-z]e$|[tsg]ion$")
_JAPANESE_SPELLING = re.compile(r"tsu|shi|chi|[kgnhmrbp]y[auo]|ou|uu|ii|ae|kk|zu")


def convert_romaji(word: str, shortest: int = 2) -> str | None:
    """Return katakana if all of `word` (small letters) reads as romaji of `shortest` kana or more, else None."""
    if _ENGLISH_END.search(word) and not _JAPANESE_SPELLING.search(word):
        return None
    kana = ""
    position = 0
    while position < len(word):
        match = _ROMAJI_MORA.match(word, position)
        if not match or (match[2] and match[2] not in _ROMAJI_MORAS):
            return None
        kana += "ン" if match[3] else ("ッ" if match[1] else "") + _ROMAJI_MORAS[match[2]]
        position = match.end()
    return kana if len(kana) >= shortest else None
