"""Latin words: those the dictionary reads stay as written, all others become katakana, which may depend on the words next to them."""

import re
from collections.abc import Callable
from string import ascii_letters

from app.core.text.normalise.characters import LazyPattern
from app.core.text.normalise.english_words import COMMON_ENGLISH_READINGS, LETTER_READINGS, SMALL_NUMBER_READINGS

_ROMAJI_ROWS = {
    "": "アイウエオ", "k": "カキクケコ", "g": "ガギグゲゴ", "s": "サシスセソ", "z": "ザジズゼゾ", "t": "タチツテト", "d": "ダヂヅデド",
    "n": "ナニヌネノ", "h": "ハヒフヘホ", "b": "バビブベボ", "p": "パピプペポ", "m": "マミムメモ", "r": "ラリルレロ",
    "y": "ヤ_ユ_ヨ", "w": "ワ____",
}  # fmt: skip
_GLIDES = {
    "ky": "キ", "gy": "ギ", "ny": "ニ", "hy": "ヒ", "by": "ビ", "py": "ピ", "my": "ミ", "ry": "リ", "sh": "シ", "ch": "チ", "j": "ジ",
}  # fmt: skip
_ROMAJI_MORAS = {
    consonant + vowel: kana for consonant, row in _ROMAJI_ROWS.items() for vowel, kana in zip("aiueo", row, strict=True) if kana != "_"
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


_TWICE_NUMBERED_NAME = LazyPattern(
    ascii_letters, r"(?<=[A-Za-z]{2})[ -]?(\d|10|11)(と|や|か|、)(\d|10|11)(?![\d:/%]|[.,]\d|\s?[一-龠ァ-ヶ])"
)
_CAPITAL_ABBREVIATIONS = frozenset(("IT", "US", "AM", "AS", "DR", "MR", "MS", "ST", "MAX", "MAY"))  # they spell words, too
_GRADE = re.compile(
    r"(?<![A-Za-z0-9.'-])A(?=さん|くん|君|ちゃん|案|社|型|クラス|級|組|国|氏|地点|店|市|チーム|グループ|コース|ランク|判定)"
)
_LETTER_CHOICE = re.compile(r"(?<![A-Za-z0-9.'-])A(?= (?:or|and|vs\.?|to|and/or) [A-Z](?![A-Za-z]))")
_LETTER_TO_LETTER = re.compile(r"(?<![A-Za-z0-9])([A-Z])(to|2)([A-Z])(?![A-Za-z0-9])")  # BtoC, O2O, Y2K
_CAPITALS = re.compile(r"(?<![A-Za-z])[A-Z]{2,}(?: [A-Z]{2,})+(?![A-Za-z])")
NUMBER_BEHIND_NAME = r"[ -]?(\d|10|11)(?![\d:/%]|[.,]\d|\s?[一-龠ァ-ヶ])"  # which is read in English
_NUMBERED_NAME = LazyPattern(ascii_letters, rf"(?<=[A-Za-z]{{2}}){NUMBER_BEHIND_NAME}")
_ENGLISH_TITLE = re.compile(r"\b(Mr|Mrs|Ms|Dr|St|vs|Vol|vol|Ver|ver)\.\s*")
_HYPHENATED = re.compile(r"(?<![A-Za-z-])([A-Za-z]{1,20})-([A-Za-z]{1,20})(?![A-Za-z-])")  # Wi-Fi, e-mail
_NUMERO = re.compile(r"\bN[oO]\.?\s?(?=\d)")


def speak_phrases(text: str) -> str:
    """Return text with such phrases as katakana, or as they are found in dictionaries."""
    text = _NUMERO.sub("ナンバー", text)
    text = _LETTER_TO_LETTER.sub(r"\1 トゥー \3", _LETTER_CHOICE.sub("エー", text))
    text = _ENGLISH_TITLE.sub(r"\1 ", text)
    text = _TWICE_NUMBERED_NAME.sub(
        lambda match: f" {SMALL_NUMBER_READINGS[int(match[1])]} {match[2]} {SMALL_NUMBER_READINGS[int(match[3])]} ", text
    )
    text = _CAPITALS.sub(lambda match: _speak_capitals(match[0]), _GRADE.sub("エー", text))
    text = _NUMBERED_NAME.sub(lambda match: f" {SMALL_NUMBER_READINGS[int(match[1])]} ", text)
    return _HYPHENATED.sub(
        lambda match: match[1] + match[2] if (match[1] + match[2]).lower() in COMMON_ENGLISH_READINGS else match[0], text
    )


def _speak_capitals(phrase: str) -> str:
    """Read words in capitals: Japanese in every word (SEKAI NO OWARI) becomes kana; short English ones (THE BEATLES) are no abbreviations."""
    words = phrase.split()
    if all(len(word) < 4 for word in words):
        return phrase
    kana = [convert_romaji(word.lower(), shortest=1) for word in words]
    if all(kana):
        return " ".join(reading for reading in kana if reading)
    return " ".join(
        word.capitalize() if len(word) < 4 and word.lower() in COMMON_ENGLISH_READINGS and word not in _CAPITAL_ABBREVIATIONS else word
        for word in words
    )


_SUFFIXED_ENDINGS = {
    "ing": {
        "ス": "シング", "ズ": "ジング", "ト": "ティング", "ド": "ディング", "ク": "キング", "グ": "ギング", "プ": "ピング", "ブ": "ビング",
        "ム": "ミング", "ン": "ニング", "ル": "リング", "チ": "チング", "ジ": "ジング", "シュ": "シング", "フ": "フィング",
    },
    "er": {
        "ス": "サー", "ズ": "ザー", "ト": "ター", "ド": "ダー", "ク": "カー", "グ": "ガー", "プ": "パー", "ブ": "バー", "ム": "マー",
        "ン": "ナー", "ル": "ラー", "チ": "チャー", "ジ": "ジャー", "シュ": "シャー", "フ": "ファー",
    },
    "s": {"ス": "シズ", "ズ": "ジズ", "チ": "チズ", "ジ": "ジズ", "シュ": "シズ", "ト": "ツ", "ド": "ズ", "ク": "クス", "プ": "プス", "フ": "フス"},
    "ed": {"ト": "テッド", "ド": "デッド", "ク": "クト", "プ": "プト", "ス": "スト", "チ": "チト", "シュ": "シュト", "フ": "フト"},
    "ly": {"ル": "リー"},
}  # fmt: skip
_ADDED_SUFFIXES = {"ing": "イング", "er": "ヤー", "s": "ズ", "ed": "ド", "ly": "リー"}
_CONTRACTED_SUFFIXES = {"ve": "ブ", "re": "アー", "ll": "ル", "d": "ド", "m": "ム", "t": "ント"}


def add_suffix(kana: str, suffix: str) -> str:
    """Return `kana` with the ending added as its last mora demands."""
    for end, replacement in _SUFFIXED_ENDINGS.get(suffix, {}).items():
        if kana.endswith(end):
            return kana.removesuffix(end) + replacement
    return kana + (_ADDED_SUFFIXES.get(suffix) or _CONTRACTED_SUFFIXES.get(suffix, ""))


Lookup = Callable[[str], str | None]  # a Latin word to its reading, None where the dictionary does not have it
Spell = Callable[[str], str]  # an English word in small letters to katakana, whatever it is

_LATIN_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]{1,2}(?![A-Za-z]))?")
_CAPITALISED_NAME = re.compile("[A-Z][a-z]{2,}")
_ARTICLE = re.compile(r"\b[Aa](?= [A-Za-z]{2})")
_CAMEL_CASE_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]")
_JOINER = re.compile(r"(?<=[A-Za-z0-9])[-_.](?=[A-Za-z])|(?<=[A-Za-z])[-_.](?=[A-Za-z0-9])")
_MODEL_NUMBER_JOINER = re.compile(
    r"(?:(?<=[A-Za-z]\d)|(?<=[A-Za-z]\d\d))-(?=\d)|(?<=[A-Za-z] \d)-(?=\d+[A-Za-z])"
)  # i5-9400, Ryzen 5-5600X
# シー in kana is taken for the sea, スィー.
_WHOLE_WORD_READINGS = {"A": "エイ", "C": "C", "RAM": "ラム", "ROM": "ロム", "TODO": "トゥードゥー"}
_ENGLISH_PREFIXES = {"un": "アン", "re": "リ", "non": "ノン", "pre": "プリ", "dis": "ディス", "in": "イン"}
_SMALL_ABBREVIATIONS = frozenset(("cpu", "gpu", "cli", "gui", "csv", "ftp", "url", "lol", "pdf", "tts", "usb"))

_SHORTEST_PART = 4  # legend is not leg and end
_LONGEST_LATIN_WORD = 40  # beyond that it is no word
_SHORTEST_NAME, _LONGEST_NAME = 4, 16  # in fewer letters a name is an abbreviation or another word


def speak_latin(text: str, lookup: Lookup, spell: Spell) -> str:
    """Return text whose Latin words are either known to the dictionary or katakana; words stay parted by spaces."""
    text = _ARTICLE.sub("ア", _JOINER.sub(" ", speak_phrases(_MODEL_NUMBER_JOINER.sub(" ", text))))
    return _LATIN_WORD.sub(lambda match: f" {_speak_word(match[0], lookup, spell)} ", text)


def _speak_word(word: str, lookup: Lookup, spell: Spell) -> str:
    if len(word) > _LONGEST_LATIN_WORD:
        return " ".join(_speak_word(word[at : at + _LONGEST_LATIN_WORD], lookup, spell) for at in range(0, len(word), _LONGEST_LATIN_WORD))
    if word in _WHOLE_WORD_READINGS:
        return _WHOLE_WORD_READINGS[word]
    if len(word) == 1:
        return _WHOLE_WORD_READINGS.get(word.upper()) or LETTER_READINGS[word.lower()]
    reading = lookup(word)
    if reading and word.lower() not in COMMON_ENGLISH_READINGS:
        # The dictionary says エイ even within an abbreviation, where people say エー.
        spelled = _spell_letters(word) if word.isalpha() else reading
        return spelled if reading != spelled and _fold_letter_names(reading) == _fold_letter_names(spelled) else word
    return " ".join(_read_word(camel_piece, lookup, spell) for camel_piece in _split_camel_case(word, lookup))


def _fold_letter_names(spelled: str) -> str:
    """Return the names of letters in one form, whichever way the dictionary writes them."""
    return spelled.replace("エイ", "エー").replace("エッチ", "エーチ")


def _split_camel_case(word: str, lookup: Lookup) -> list[str]:
    """Split a word in camelCase, but not where neighbours make a known word (iPhone, YouTube)."""
    syllables = [word] if "'" in word or re.fullmatch(r"[A-Z]{2,}s", word) else _CAMEL_CASE_PIECE.findall(word)
    pieces: list[str] = []
    while syllables:
        for count in range(len(syllables), 0, -1):
            candidate = "".join(syllables[:count])
            if count == 1 or _find_known(candidate, lookup):
                pieces.append(candidate)
                syllables = syllables[count:]
                break
    return pieces


def _read_word(word: str, lookup: Lookup, spell: Spell) -> str:
    if len(word) == 1:
        return LETTER_READINGS[word.lower()]
    return (
        _find_known(word, lookup)
        or _find_name(word, lookup)
        or _read_abbreviation(word)
        or _read_inflected(word, lookup, spell)
        or _read_compound(word, lookup, spell)
        or (_spell_letters(word) if _is_spelled(word) else None)
        or convert_romaji(word.lower())
        or spell(word.replace("'", "").lower())
    )


def _is_spelled(word: str) -> bool:
    """Return whether a word is spelled: two or three letters are an abbreviation, unless they look like a word (Ado, fog)."""
    is_word = len(word) > 2 and (
        _CAPITALISED_NAME.fullmatch(word) or (word.islower() and word[0] not in "aeiou" and word not in _SMALL_ABBREVIATIONS)
    )
    return len(word) <= 3 and word.isalpha() and not is_word


def _find_known(word: str, lookup: Lookup) -> str | None:
    lower = word.lower()
    if word.isupper() and len(word) < 4:
        return lookup(word)  # an abbreviation, even when it spells a word
    return COMMON_ENGLISH_READINGS.get(lower) or lookup(word) or lookup(lower) or lookup(word.capitalize())


def _find_name(word: str, lookup: Lookup) -> str | None:
    """Return the reading of a name that the dictionary has in other capitals, as people write it: youtube, iMAC, Nvidia.

    In capitals only what is read as a word: SWIFT is spelled out, swift is not.
    """
    lower = word.lower()
    if not word.isalpha() or not _SHORTEST_NAME <= len(word) <= _LONGEST_NAME:
        return None
    cuts = [lower[0] + lower[1:].capitalize(), *(lower[:at].capitalize() + lower[at:].capitalize() for at in range(2, len(lower) - 1))]
    reading = next(filter(None, map(lookup, cuts)), None)
    capitals = None if reading else lookup(lower.upper())
    return reading or (capitals if capitals and _fold_letter_names(capitals) != _fold_letter_names(_spell_letters(lower)) else None)


def _read_inflected(word: str, lookup: Lookup, spell: Spell) -> str | None:
    """Read plurals, possessives, -ing, -ed, -er, -ly of a known word; s also of an unknown one."""
    for suffix, stems in _list_stems(word.lower()):
        for stem in stems:
            reading = (_find_known(stem, lookup) or _find_name(stem, lookup)) if len(stem) > 1 else None
            if reading:
                return add_suffix(reading, suffix)
    owner = re.fullmatch(r"([A-Za-z]{2,})'s|([A-Za-z]{3,}[b-df-hj-np-rtv-z])s", word)
    return add_suffix(_read_word(owner[1] or owner[2], lookup, spell), "s") if owner else None


def _list_stems(word: str) -> list[tuple[str, list[str]]]:
    stem, apostrophe, tail = word.partition("'")
    if apostrophe:
        return [(tail, [stem[:-1] if tail == "t" else stem])]  # the n of don't is no part of do
    inflections = []
    for suffix in ("s", "ing", "ed", "er", "ly", "es"):
        if word.endswith(suffix):
            stem = word.removesuffix(suffix)
            stems = [stem, *([stem + "e"] if len(stem) > 1 else [])]
            if stem[-1:] == stem[-2:-1]:
                stems.append(stem[:-1])
            if stem.endswith("i"):
                stems.append(stem[:-1] + "y")
            inflections.append(("s" if suffix == "es" else suffix, stems))
    return inflections


def _read_abbreviation(word: str) -> str | None:
    """Read letters by name: capitals, with or without a plural s, and words without a vowel."""
    capitals = re.fullmatch(r"([A-Z]{2,5})('?s)?", word)
    if capitals:
        return add_suffix(_spell_letters(capitals[1]), "s") if capitals[2] else _spell_letters(word)
    return _spell_letters(word) if word.isalpha() and not re.search(r"[aeiouy]", word.lower()) else None


def _spell_letters(word: str) -> str:
    return "".join(LETTER_READINGS[letter] for letter in word.lower())


def _read_compound(word: str, lookup: Lookup, spell: Spell) -> str | None:
    """Read two known words written as one, such as windsurf, with the longest possible first word, or a known word behind a prefix."""
    lower = word.lower()
    for cut in range(len(word) - _SHORTEST_PART, _SHORTEST_PART - 1, -1):
        first, second = lower[:cut], lower[cut:]
        head = _find_known(first, lookup)
        tail = head and (_find_known(second, lookup) or _read_inflected(second, lookup, spell))
        if head and tail:
            return head + tail
    for prefix, kana in _ENGLISH_PREFIXES.items():
        stem = lower.removeprefix(prefix)
        reading = len(stem) > 3 and stem != lower and (_find_known(stem, lookup) or _read_inflected(stem, lookup, spell))
        if reading:
            return kana + reading
    return None
