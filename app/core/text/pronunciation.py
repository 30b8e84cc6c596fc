"""Words with their pronunciation to the phones of a sentence; katakana to phones, mora by mora; kana as they sound, and how a reading changes where words meet.

Combinations that Japanese voices have no phone of their own for (クァ, フュ …) are spoken with the nearest phones of the
table, so that every katakana string has a pronunciation.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from app.common.errors import InputError
from app.common.language import localize
from app.core.symbols import EDGE_SYMBOL, PUNCTUATION, VOWEL_PHONES, is_english, is_mora_end
from app.core.synthesis_types import Phones
from app.core.text.english_phones import list_stress_tones

_MORA_ROWS = {
    "": "アイウエオ", "k": "カキクケコ", "g": "ガギグゲゴ", "s": "サ_スセソ", "z": "ザ_ズゼゾ", "t": "タ__テト", "d": "ダ__デド", "n": "ナニヌネノ",
    "h": "ハヒ_ヘホ", "b": "バビブベボ", "p": "パピプペポ", "m": "マミムメモ", "y": "ヤ_ユ_ヨ", "r": "ラリルレロ", "w": "ワ____",
}  # fmt: skip
_PALATAL_ROWS = {
    "ky": "キ", "gy": "ギ", "ny": "ニ", "hy": "ヒ", "by": "ビ", "py": "ピ", "my": "ミ", "ry": "リ",
    "sh": "シ", "j": "ジ", "ch": "チ", "ty": "テ", "dy": "デ",
}  # fmt: skip
_IRREGULAR_MORAS = {
    "シ": "sh i", "ジ": "j i", "チ": "ch i", "ツ": "ts u", "ヂ": "j i", "ヅ": "z u", "フ": "f u",
    "ヰ": "i", "ヱ": "e", "ヲ": "o", "ヴ": "v u", "ヷ": "v a", "ヸ": "v i", "ヹ": "v e", "ヺ": "v o", "ッ": "q", "ン": "N",
    "ァ": "a", "ィ": "i", "ゥ": "u", "ェ": "e", "ォ": "o", "ャ": "y a", "ュ": "y u", "ョ": "y o", "ヮ": "w a", "ヵ": "k a", "ヶ": "k e",
}  # fmt: skip
_LOANWORD_MORAS = {
    "イェ": "y e", "ウィ": "w i", "ウェ": "w e", "ウォ": "w o", "スィ": "s i", "ズィ": "z i",
    "ティ": "t i", "トゥ": "t u", "ディ": "d i", "ドゥ": "d u", "ツァ": "ts a", "ツィ": "ts i", "ツェ": "ts e", "ツォ": "ts o",
    "ファ": "f a", "フィ": "f i", "フェ": "f e", "フォ": "f o", "ヴァ": "v a", "ヴィ": "v i", "ヴェ": "v e", "ヴォ": "v o",
    "ヂャ": "j a", "ヂュ": "j u", "ヂョ": "j o", "ヂェ": "j e",
    # Japanese voices have no phone of their own for these; the nearest ones are used instead.
    "フャ": "hy a", "フュ": "hy u", "フョ": "hy o", "ヴャ": "by a", "ヴュ": "by u", "ヴョ": "by o", "ホゥ": "f u", "スュ": "sh u", "ズュ": "j u",
}  # fmt: skip
_SMALL_MORA_KANA = frozenset("ァィゥェォャュョヮ")
_KATAKANA_READING = re.compile(r"[ァ-ヺー]*[ァ-ヺ][ァ-ヺー]*")

KANJI_CLASS = "々〆〇ヵヶ\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Letters that take ruby, inside the brackets of an expression."""

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

_WIDTH_TAGS = ("<wide>", "<narrow>", "<noBreak>")


def normalise_kana(reading: str) -> str:
    """Return a reading in usual kana, without spaces and middle dots, which nobody hears; empty if it is no kana."""
    kana = "".join(char for char in unicodedata.normalize("NFKC", reading) if not char.isspace() and char != "・").translate(_RARE_KANA)
    return kana if _KATAKANA_READING.fullmatch(convert_to_katakana(kana)) else ""


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


def _build_mora_table() -> dict[str, tuple[str, ...]]:
    table: dict[str, str] = dict(_IRREGULAR_MORAS) | _LOANWORD_MORAS
    for consonant, row in _MORA_ROWS.items():
        table |= {kana: f"{consonant} {vowel}" for kana, vowel in zip(row, "aiueo", strict=True) if kana != "_"}
    for consonant, kana in _PALATAL_ROWS.items():
        # テェ and デェ are counted as two morae, so they get no entry.
        small = "ャュョ" if consonant in ("ty", "dy") else "ャュョェ"
        table |= {kana + end: f"{consonant} {vowel}" for end, vowel in zip(small, "auoe"[: len(small)], strict=True)}
    return {kana: tuple(phones.split()) for kana, phones in table.items()}


PHONES_BY_MORA = _build_mora_table()


def split_moras(kana: str) -> list[str]:
    """Cut katakana into morae as they are counted for the accent: a small kana belongs to the kana before it."""
    moras: list[str] = []
    for char in kana:
        if char in _SMALL_MORA_KANA and moras and moras[-1][-1] not in _SMALL_MORA_KANA and moras[-1] not in "ンッー":
            moras[-1] += char
        else:
            moras.append(char)
    return moras


def find_mora_phones(mora: str, vowel: str) -> tuple[str, ...]:
    """Return the phones of one mora; `vowel` is prolonged by a long vowel mark ("" where nothing can be prolonged)."""
    if mora == "ー":
        return (vowel,) if vowel else ()
    if mora in PHONES_BY_MORA:
        return PHONES_BY_MORA[mora]
    return tuple(phone for kana in mora for phone in PHONES_BY_MORA.get(kana, ()))


_KATAKANA_BY_HIRAGANA_CODE = {code: code + 0x60 for code in (*range(ord("ぁ"), ord("ゖ") + 1), *map(ord, "ゝゞ"))}


def convert_to_katakana(text: str) -> str:
    """Return `text` with every hiragana as katakana and all other characters unchanged."""
    return text.translate(_KATAKANA_BY_HIRAGANA_CODE)


def parse_user_reading(surface: str, reading: str) -> str:
    """Return the reading that a user gave to a word, as katakana. Raises InputError where the reading is not kana."""
    kana = convert_to_katakana(unicodedata.normalize("NFKC", reading)).replace(" ", "").replace("・", "")
    if not _KATAKANA_READING.fullmatch(kana):
        raise InputError(
            localize(
                f"「{surface}」の読み「{reading}」は、ひらがなまたはカタカナではありません。", f"The reading “{reading}” is not kana."
            ),
            localize("ひらがなまたはカタカナで入力してください。", "Enter it in hiragana or katakana."),
        )
    return kana


def fold_width(text: str) -> str:
    """Return the text with one width for each letter: Ａ becomes A, ｶﾞ becomes ガ."""
    # NFKC on the whole text would also replace ②, Ⅱ, ㈱ and ½, which are signs of their own.
    return unicodedata.normalize("NFC", "".join(map(_fold_char_width, text)))


def _fold_char_width(char: str) -> str:
    return unicodedata.normalize("NFKC", char) if unicodedata.decomposition(char).startswith(_WIDTH_TAGS) else char


def fold_letters(text: str, fold: Callable[[str], str]) -> tuple[str, list[tuple[int, int]]]:
    """Return the folded text, and for each of its letters the first and last character (exclusive) it comes from.

    One character may become several letters (㌔), and two one (ｶﾞ): what combines with a character is folded together with it.
    """
    letters, origins, start = "", [], 0
    while start < len(text):
        end = start + 1
        while end < len(text) and not text[end].isascii() and unicodedata.combining(unicodedata.normalize("NFKC", text[end])[0]):
            end += 1
        folded = fold(text[start:end])
        letters += folded
        origins += [(start, end)] * len(folded)
        start = end
    return letters, origins


ReadBy = Literal["user", "ruby", "rule", "dictionary", "second", "front_end", "analyser", "normalisation", "english", "pronunciation"]
EMOJI_KIND = ("絵文字", "")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the sentence."""

    surface: str  # as written, after normalisation; what BERT reads
    pronunciation: str  # katakana with long vowels as ー; empty for punctuation and unspoken characters
    accent: int = 0  # mora after which the pitch falls, 0 = never; it counts for the accent phrase, so the phrase's first word decides
    is_joined: bool = False  # the word continues the accent phrase of the word before it
    kind: tuple[str, str] = ("", "")  # part of speech and its first subdivision, as the dictionary names them
    # Source of the reading: the user; ruby in the text; a rule, the dictionary or the white list for the second analyser
    # (`app.core.text.readings`); the front end's own corrections; the analyser; `app.core.text.normalise`; the English converter; the English
    # pronouncing dictionary.
    read_by: ReadBy = field(default="analyser", compare=False)
    name: str = field(default="", compare=False)  # name of that rule, entry or word of the list, or the ruby
    # Reading of the second analyser where the two differ and nothing has decided between them; else empty.
    other_reading: str = field(default="", compare=False)
    syllables: tuple[
        str, ...
    ] = ()  # of a word that is spoken in English: the pronunciation in katakana then says how its neighbours are accented

    @property
    def is_mark(self) -> bool:
        """Return True if the word is a punctuation mark."""
        return not self.pronunciation and self.surface in PUNCTUATION

    @property
    def is_emoji(self) -> bool:
        """Return True if the word is an emoji that is spoken as a symbol of its own."""
        return self.kind == EMOJI_KIND


def convert_words_to_phones(words: Iterable[Word], notation: tuple[tuple[int, int], ...] = ()) -> Phones:
    """Return the phones of a sentence: `_`, the words accent phrase by accent phrase, `_`. Words without any phone are left out.

    Args:
        notation: as `Phones` has it.
    """
    text, reading = "", ""
    sizes, other_readings, begins, moras = [], [], [], 0
    phones, tones, word2ph = [EDGE_SYMBOL], [0], [1]
    vowel = ""
    for word, heights, is_first in _compute_heights(words):
        # English words are written apart, whichever phrase the katakana in their places would belong to.
        begins += [moras] if is_first or (word.syllables and is_english(phones[-1])) else []
        symbols: list[tuple[str, int]] = []
        if word.is_mark or word.is_emoji:
            symbols, vowel = [(word.surface, 0)], ""
        elif word.syllables:
            symbols, vowel = list(zip(word.syllables, list_stress_tones(word.syllables), strict=True)), ""
        for mora, height in () if word.syllables else zip(split_moras(word.pronunciation), heights, strict=True):
            mora_symbols = find_mora_phones(mora, vowel)
            symbols += [(phone, height) for phone in mora_symbols]
            vowel = next((phone for phone in reversed(mora_symbols) if phone in VOWEL_PHONES or phone == "N"), vowel)
        if symbols:
            text += word.surface
            reading += "".join(word.syllables) or word.pronunciation
            phones += [phone for phone, _ in symbols]
            tones += [tone for _, tone in symbols]
            # Divided evenly among the characters of the word; the earlier ones get the remainder.
            share, remainder = divmod(len(symbols), len(word.surface))
            word2ph += [share + (index < remainder) for index in range(len(word.surface))]
            sizes.append(len(word.surface))
            other_readings.append(word.other_reading)
            moras += sum(is_mora_end(phone) for phone, _ in symbols)
    return Phones(
        text, reading, (*phones, EDGE_SYMBOL), (*tones, 0), (*word2ph, 1), tuple(sizes), tuple(begins), tuple(other_readings), notation
    )


def _compute_heights(words: Iterable[Word]) -> Iterator[tuple[Word, list[int], bool]]:
    """Yield each word with the pitch of its morae (0 low, 1 high) and True if an accent phrase begins with the word."""
    for phrase in _group_accent_phrases(words):
        sizes = [len(split_moras(word.pronunciation)) for word in phrase]
        accent = next((word.accent for word in phrase if not word.is_mark), 0)
        heights = compute_phrase_heights(sum(sizes), accent)
        start = 0
        for is_mark, group in groupby(zip(phrase, sizes, strict=True), key=lambda pair: pair[0].is_mark):
            members = list(group)
            end = start + sum(size for _, size in members)
            # SBV2 knows only rises and falls within a breath, so what stays level counts as low; voices were trained so.
            level = not is_mark and all(heights[start:end])
            for word, size in members:
                yield word, [0] * size if level else heights[start : start + size], word is phrase[0]
                start += size


def _group_accent_phrases(words: Iterable[Word]) -> Iterator[list[Word]]:
    """Yield words by accent phrase. A mark does not end a phrase: a joined word continues after it. An emoji is a phrase by itself."""
    phrase: list[Word] = []
    for word in words:
        starts = not word.is_joined and not word.is_mark and not word.pronunciation.startswith("ー")
        if phrase and (word.is_emoji or phrase[-1].is_emoji or (starts and any(not earlier.is_mark for earlier in phrase))):
            yield phrase
            phrase = []
        phrase.append(word)
    if phrase:
        yield phrase


def compute_phrase_heights(moras: int, accent: int) -> list[int]:
    """Return 0 (low) or 1 (high) for each mora as in standard Japanese: low, then high up to the accent, then low.

    Accent 1 starts high. A phrase of one mora stays low.
    """
    if moras > 1 and accent == 1:
        return [1] + [0] * (moras - 1)
    last_high = accent or moras
    return [int(1 < position <= last_high) for position in range(1, moras + 1)]
