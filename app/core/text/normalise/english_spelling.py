"""English spelling to katakana, for words no dictionary knows: letters to sounds by rule, then sounds to kana.

A sound is a consonant in Latin letters or a vowel in katakana; the mark ' after a vowel says short: a stop behind it doubles.
"""

from __future__ import annotations

import re
from functools import cache

# Letters → sounds; the first pattern that matches at a position wins. It may look at its neighbours.
_SPELLING_RULES = [
    (r"ation(?=s?$)", "エー sh オ n"), (r"tion|ssion|cian", "sh オ n"), (r"(?<=[aeiou])sion", "j オ n"), (r"sion", "sh オ n"), (r"[ct]ial", "sh ア l"),
    (r"[ct]ious", "sh ア s"), (r"ture(?=s?$)", "ch アー"), (r"sure(?=s?$)", "j アー"), (r"ous$", "ア s"), (r"age(?=s?$)", "エー j"),
    (r"^kn|^gn", "n"), (r"^wr", "r"), (r"^ps", "s"), (r"^x", "z"), (r"^mc", "m ア k"), (r"^y(?=[aeiou])", "y"), (r"^th(?=e|is)", "z"),
    (r"mb$", "m"), (r"(?<=[bcdfgkpstz])le(?=s?$)", "l"), (r"(?<=[td])ed$", "エ' d"), (r"(?<=[a-z]{2}[ckfpsxh])ed$", "t"),
    (r"(?<=[a-z]{2})ed$", "d"), (r"(?<=[sxz])es$|(?<=[cs]h)es$", "イ z"), (r"(?<=[a-z]{2}[ptk])es$", "s"), (r"(?<=[a-z]{2})es$", "z"),
    (r"(?<=[a-z]{2})e$", ""),
    (r"igh", "アイ"), (r"ough|augh", "オー"), (r"ook", "ウ' k"), (r"ind$", "アイ n d"), (r"old", "オー l d"), (r"all$", "オー l"),
    (r"air|are$", "エア"), (r"eer|ere$|ear$|ier$", "イア"), (r"ire$", "アイア"), (r"ore|oor|our|oar", "オー"), (r"ure$", "ュ ア"),
    (r"ar(?![aeiouy])", "アー"), (r"or(?![aeiouy])", "オー"), (r"[eiuy]r(?![aeiouy])", "アー"),
    (r"ai|ay|ei(?!$)", "エイ"), (r"ey$|ie$", "イー"), (r"ee|ea|ie", "イー"), (r"oo", "ウー"), (r"oa|oe$", "オー"), (r"ow$", "オー"),
    (r"ou|ow", "アウ"), (r"oi|oy", "オイ"), (r"au|aw", "オー"), (r"ew|eu|ue$|ui", "ュ ー"),
    (r"a(?=[bcdfgklmnpstvz]e(?:s|d|r)?$)", "エー"), (r"[iy](?=[bcdfgklmnpstvz]e(?:s|d|r)?$)", "アイ"),
    (r"o(?=[bcdfgklmnpstvz]e(?:s|d|r)?$)", "オー"), (r"u(?=[bcdfgklmnpstvz]e(?:s|d|r)?$)", "ュ ー"), (r"e(?=[bcdfgklmnpstvz]e$)", "イー"),
    (r"y$", "イー"), (r"a$", "ア"), (r"e$", "イー"), (r"i$", "イ"), (r"o$", "オ"), (r"u$", "ウ"),
    (r"a", "ア'"), (r"e", "エ'"), (r"[iy]", "イ'"), (r"o", "オ'"), (r"u", "ア'"),
    (r"tch", "ッ ch"), (r"sch", "s k"), (r"ch", "ch"), (r"sh", "sh"), (r"ph", "f"), (r"th", "s"), (r"wh", "w"), (r"ck(?![aeiouy])", "ッ k"), (r"ck", "k"), (r"gh(?=[aeiou])", "g"), (r"qu", "kw"),
    (r"dge$", "ッ j"), (r"dge|dg", "j"), (r"gh", ""), (r"ng(?![aeiou])", "n g"), (r"x", "k s"), (r"sc(?=[eiy])", "s"), (r"c(?=[eiy])", "s"), (r"cc|c|q", "k"),
    (r"g(?=[eiy])", "j"), (r"([bdfgklmnprstvz])\1", r"\1"), (r"[bdfghjklmnprstvwyz]", r"\0"),
]  # fmt: skip

# Consonant → its five morae before ア イ ウ エ オ, before ユ, and alone.
_KANA_BY_CONSONANT = {
    "k": "カ キ ク ケ コ キュ ク", "g": "ガ ギ グ ゲ ゴ ギュ グ", "s": "サ シ ス セ ソ シュ ス", "z": "ザ ジ ズ ゼ ゾ ジュ ズ",
    "t": "タ ティ トゥ テ ト チュ ト", "d": "ダ ディ ドゥ デ ド デュ ド", "n": "ナ ニ ヌ ネ ノ ニュ ン", "h": "ハ ヒ フ ヘ ホ ヒュ ー",
    "b": "バ ビ ブ ベ ボ ビュ ブ", "p": "パ ピ プ ペ ポ ピュ プ", "m": "マ ミ ム メ モ ミュ ム", "r": "ラ リ ル レ ロ ル ル", "l": "ラ リ ル レ ロ ル ル",
    "y": "ヤ イ ユ イェ ヨ ユ イ", "w": "ワ ウィ ウ ウェ ウォ ユ ウ", "f": "ファ フィ フ フェ フォ フュ フ", "v": "バ ビ ブ ベ ボ ビュ ブ",
    "kw": "クア クイ ク クエ クオ ク ク", "sh": "シャ シ シュ シェ ショ シュ シュ", "ch": "チャ チ チュ チェ チョ チュ チ", "j": "ジャ ジ ジュ ジェ ジョ ジュ ジ",
}  # fmt: skip
_CONSONANT_ROWS = {consonant: row.split() for consonant, row in _KANA_BY_CONSONANT.items()}
_STOP_CONSONANTS = frozenset(("k", "g", "t", "d", "p", "ch", "sh", "j"))


def convert_spelling(word: str) -> str:
    """Return katakana for an English-looking word of ASCII letters: Bentol → ベントル."""
    sounds = _split_sounds(word.lower())
    kana: list[str] = []
    pending = ""  # a consonant that waits for its vowel
    short = False
    for index, sound in enumerate(sounds):
        if sound == "ッ":
            kana.append(_convert_closed_syllable(pending, sound) + sound)
            pending, short = "", False
        elif sound in _CONSONANT_ROWS:
            kana.append(_convert_closed_syllable(pending, sound))
            if short and sound in _STOP_CONSONANTS and index == len(sounds) - 1:
                kana.append("ッ")
            pending, short = sound, False
        else:
            kana.append(_convert_open_syllable(pending, sound.removesuffix("'")))
            pending, short = "", sound.endswith("'")
    return "".join(kana) + _convert_closed_syllable(pending, "")


@cache
def _build_patterns() -> list[tuple[re.Pattern[str], str]]:
    """Compile the patterns for the first such word, which most starts never see."""
    return [(re.compile(pattern), sounds) for pattern, sounds in _SPELLING_RULES]


def _split_sounds(word: str) -> list[str]:
    sounds: list[str] = []
    patterns = _build_patterns()
    position = 0
    while position < len(word):
        for pattern, spelled in patterns:
            match = pattern.match(word, position)
            if match:
                sounds += (match[0][0] if spelled in (r"\0", r"\1") else spelled).split()
                position = match.end()
                break
        else:
            position += 1
    return sounds


def _convert_closed_syllable(consonant: str, following: str) -> str:
    if consonant == "m" and following in ("p", "b", "f"):
        return "ン"
    return _CONSONANT_ROWS[consonant][6] if consonant else ""


def _convert_open_syllable(consonant: str, vowel: str) -> str:
    if vowel == "ー":
        return vowel
    if vowel == "ュ":
        return _CONSONANT_ROWS[consonant][5] if consonant else "ユ"
    if not consonant:
        return vowel
    return _CONSONANT_ROWS[consonant]["アイウエオ".index(vowel[0])] + vowel[1:]
