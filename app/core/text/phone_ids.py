"""Phones as the ids that a voice takes, and the morae and marks in them that a user edits.

n = phones with `_` at both ends, T = 2n + 1 symbols with blanks between (or n without). The kinds of symbols are a further input of Nanairo's duration predictors; their numbers
are the network's own. Kokoro-82M writes Japanese in phonetic letters, with spaces between accent phrases; the ids of its tokens are facts of the public model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from app.common.errors import InputError
from app.common.language import localize
from app.core.symbols import (
    EDGE_SYMBOL,
    EMOJI_IDS,
    JAPANESE_LANGUAGE_ID,
    JAPANESE_TONE_OFFSET,
    PUNCTUATION,
    SYMBOL_IDS,
    VOWEL_PHONES,
    is_english,
    is_mora_end,
)
from app.core.synthesis_types import Int64, Phones

NO_INDEX = -1  # index of a phone that belongs to no mora, or that is no mark

SYMBOL_KIND_COUNT = 11
SOUND, BLANK, FULL_STOP, ELLIPSIS, VOCAL_EMOJI, OTHER_EMOJI = 0, 1, 3, 4, 9, 10
_KINDS_BY_SYMBOL = {EDGE_SYMBOL: BLANK, "SP": BLANK, ",": 2, "?": 5, "!": 6, "'": 7, "-": 8}
_VOCAL_EMOJI = frozenset("🌬👅💋💨🤧🥤🥱")  # emoji that stand for a vocal sound themselves


@dataclass(frozen=True, slots=True)
class PhoneIds:
    """The arrays of one sentence that a voice takes as input."""

    phones: Int64  # phones, tones, language, kinds: int64 (T,)
    tones: Int64
    language: Int64
    word2ph: Int64  # int64 (characters + 2,), symbols per character; sums to T
    kinds: Int64
    symbol_counts: Int64  # int64 (n,), symbols of each phone; sums to T

    def __post_init__(self) -> None:
        sums = {int(self.word2ph.sum()), int(self.symbol_counts.sum())}
        if {len(self.phones), len(self.tones), len(self.language), len(self.kinds)} | sums != {len(self.phones)}:
            raise ValueError("phones, tones, language, kinds, word2ph and symbol_counts differ in length")

    @property
    def edges(self) -> Int64:
        """Return where the symbols of each phone begin, and the end of the last one, int64 (n + 1,)."""
        return np.concatenate((np.zeros(1, np.int64), np.cumsum(self.symbol_counts)))


def list_symbol_kinds(phones: Sequence[str]) -> list[int]:
    """Return the kind of each phone, before blanks are put in between."""
    return [_find_kind(phones, index) for index in range(len(phones))]


def _find_kind(phones: Sequence[str], index: int) -> int:
    phone = phones[index]
    if phone == ".":
        return ELLIPSIS if "." in (*phones[max(0, index - 1) : index], *phones[index + 1 : index + 2]) else FULL_STOP
    if phone in EMOJI_IDS:
        return VOCAL_EMOJI if phone in _VOCAL_EMOJI else OTHER_EMOJI
    return _KINDS_BY_SYMBOL.get(phone, SOUND)


def convert_phones_to_ids(phones: Phones, *, multilingual: bool = False, add_blank: bool = True, emoji: bool = False) -> PhoneIds:
    """Return the ids of the phones.

    `multilingual` voices write the Japanese N as n; `add_blank` as the voice's config says (all public ones do); `emoji` where its
    table holds them. An InputError names a phone that is not in the table.
    """
    table = SYMBOL_IDS | EMOJI_IDS if emoji else SYMBOL_IDS
    names = ["n" if multilingual and phone == "N" else phone for phone in phones.phones]
    if unknown := next((name for name in names if name not in table), None):
        raise InputError(
            localize(f"音素「{unknown}」は、この声では使えません。", f"The voice does not support the phone “{unknown}”."),
            localize("声が対応している音素だけを使ってください。", "Use only phones that the voice supports."),
        )
    ids = np.array([table[name] for name in names], dtype=np.int64)
    tones = np.array(phones.tones, dtype=np.int64) + JAPANESE_TONE_OFFSET
    language = np.full(len(ids), JAPANESE_LANGUAGE_ID, dtype=np.int64)
    word2ph = np.array(phones.word2ph, dtype=np.int64)
    kinds = np.array(list_symbol_kinds(phones.phones), dtype=np.int64)
    counts = np.ones(len(ids), np.int64)
    if not add_blank:
        return PhoneIds(ids, tones, language, word2ph, kinds, counts)
    # A phone has the blank after it, and the first one the leading blank as well.
    word2ph, counts = word2ph * 2, counts * 2
    word2ph[0] += 1
    counts[0] += 1
    return PhoneIds(_insert_blanks(ids), _insert_blanks(tones), _insert_blanks(language), word2ph, _insert_blanks(kinds, BLANK), counts)


def _insert_blanks(ids: Int64, blank: int = 0) -> Int64:
    blanked = np.full(2 * len(ids) + 1, blank, dtype=np.int64)
    blanked[1::2] = ids
    return blanked


def map_phones_to_moras(phones: Sequence[str]) -> tuple[int, ...]:
    """Return the mora each phone belongs to, counted from 0; NO_INDEX for marks and `_`."""
    moras: list[int] = []
    count = 0
    for phone in phones:
        outside = phone in PUNCTUATION or phone == "_"
        moras.append(NO_INDEX if outside else count)
        count += is_mora_end(phone)
    return tuple(moras)


def map_phones_to_marks(phones: Sequence[str]) -> tuple[int, ...]:
    """Return the index of each punctuation mark, counted from 0; NO_INDEX for all other phones."""
    marks: list[int] = []
    count = 0
    for phone in phones:
        is_mark = phone in PUNCTUATION
        marks.append(count if is_mark else NO_INDEX)
        count += is_mark
    return tuple(marks)


def count_moras(phones: Sequence[str]) -> int:
    """Return the number of morae among the phones."""
    return sum(map(is_mora_end, phones))


def count_marks(phones: Sequence[str]) -> int:
    """Return the number of punctuation marks among the phones."""
    return sum(phone in PUNCTUATION for phone in phones)


def apply_tones(phones: Phones, mora_tones: Mapping[int, int]) -> Phones:
    """Return the phones with the tone (0 or 1) of some morae replaced; indices beyond the sentence are ignored, and emoji stay low."""
    if not mora_tones:
        return phones
    by_phone = zip(phones.phones, map_phones_to_moras(phones.phones), phones.tones, strict=True)
    return replace(phones, tones=tuple(tone if phone in EMOJI_IDS else mora_tones.get(mora, tone) for phone, mora, tone in by_phone))


# fmt: off
KOKORO_TOKEN_IDS: dict[str, int] = {
    ",": 3, ".": 4, "!": 5, "?": 6, "“": 14, "”": 15, " ": 16, "ʣ": 18, "ʥ": 19, "ʦ": 20, "ʨ": 21, "a": 43, "b": 44, "d": 46, "e": 47, "h": 50, "i": 51,
    "j": 52, "k": 53, "m": 55, "n": 56, "o": 57, "p": 58, "s": 61, "t": 62, "v": 64, "z": 68, "β": 75, "ɕ": 77, "ç": 78, "ɡ": 92,
    "ɨ": 101, "ɯ": 110, "ŋ": 112, "ɲ": 114, "ɴ": 115, "ɸ": 118, "ɾ": 125, "ʔ": 148, "ː": 158, "ʲ": 164,
    # Of English alone, where a capital is a diphthong.
    "A": 24, "I": 25, "O": 31, "W": 39, "Y": 41, "f": 48, "l": 54, "u": 63, "w": 65, "ɑ": 69, "æ": 72, "ɔ": 76, "ð": 81, "ʤ": 82, "ə": 83, "ɛ": 86, "ɜ": 87,
    "ɪ": 102, "θ": 119, "ɹ": 123, "ʃ": 131, "ʧ": 133, "ʊ": 135, "ʌ": 138, "ʒ": 147, "ˈ": 156, "ˌ": 157,
}
# fmt: on
KOKORO_PAD_ID = 0  # at both ends
_PALATAL, _LONG, _SPACE = "ʲ", "ː", " "

_CONSONANTS = {
    "k": "k", "g": "ɡ", "s": "s", "sh": "ɕ", "z": "ʣ", "j": "ʥ", "t": "t", "ts": "ʦ", "ch": "ʨ", "d": "d", "n": "n", "ny": "ɲ", "h": "h",
    "hy": "ç", "f": "ɸ", "b": "b", "p": "p", "m": "m", "y": "j", "r": "ɾ", "w": "β", "v": "v",
}  # fmt: skip
_VOWELS = {"a": "a", "i": "i", "u": "ɯ", "e": "e", "o": "o"}
_BEFORE_I = {"n": "ɲ", "h": "ç"}
_PALATALISED = frozenset("kgtdbpmr")  # before i, and with a y
_CENTRAL_AFTER = frozenset(("s", "z", "ts", "j", "ch", "sh"))  # u is a central vowel after these
_QUOTES = ("“", "”")  # the front end writes both as one mark
_ENGLISH_VOWELS = {"eɪ": "A", "aɪ": "I", "oʊ": "O", "aʊ": "W", "ɔɪ": "Y", "ː": ""}
_STRESS_MARKS, _ENGLISH_VOWEL_LETTERS = "ˈˌ", frozenset("AIOWYiuɑæɔəɛɜɪʊʌ")
_NASALS = {"m": ("b", "by", "p", "py", "m", "my"), "ŋ": ("k", "ky", "g", "gy"), "ɴ": (EDGE_SYMBOL, *PUNCTUATION)}


def convert_phones_to_tokens(phones: Phones) -> PhoneIds:
    """Return the tokens of a sentence; a phone has one or more, the space behind an accent phrase belongs to the phone before it."""
    # The first phones of morae, of which some begin an accent phrase inside the sentence.
    firsts = {mora: index for index, mora in reversed(list(enumerate(map_phones_to_moras(phones.phones)))) if mora != NO_INDEX}
    begins = {firsts[mora] for mora in phones.phrases if mora and mora in firsts}
    texts = [_write_phone(phones.phones, index, index in begins) for index in range(1, len(phones.phones) - 1)]
    spelled = [text + (_SPACE if index + 1 in begins and index else "") for index, text in enumerate(texts, 1)]
    tokens = [[KOKORO_PAD_ID], *([KOKORO_TOKEN_IDS[letter] for letter in text] for text in spelled), [KOKORO_PAD_ID]]
    counts = np.array([len(item) for item in tokens], np.int64)
    ids = np.array([token for item in tokens for token in item], np.int64)
    ends = np.cumsum(np.array(phones.word2ph, np.int64))
    word2ph = np.diff(np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))[np.concatenate((np.zeros(1, np.int64), ends))])
    tones = np.repeat(np.array(phones.tones, np.int64), counts)
    zeros = np.zeros(len(ids), np.int64)
    return PhoneIds(ids, tones, zeros, word2ph, zeros, counts)


def _write_phone(phones: Sequence[str], index: int, begins_phrase: bool) -> str:
    """Return the letters of a phone, as its neighbours ask for."""
    phone, phone_before, phone_after = phones[index], phones[index - 1], phones[index + 1]
    if is_english(phone):
        return _write_english(phone)
    if phone == "'":
        return _QUOTES[list(phones[:index]).count("'") % 2]
    if phone in PUNCTUATION:
        return "," if phone == "-" else phone
    if phone in VOWEL_PHONES:
        if phone == phone_before and not begins_phrase:
            return _LONG
        return "ɨ" if phone == "u" and phone_before in _CENTRAL_AFTER else _VOWELS[phone]
    if phone == "q":
        return "ʔ"
    if phone == "N":
        return next((letter for letter, followers in _NASALS.items() if phone_after in followers), "n")
    return _write_consonant(phone, phone_after)


@lru_cache(maxsize=4096)
def _write_english(syllable: str) -> str:
    """Return the letters of an English syllable: the model was trained with the stress right before the vowel."""
    for vowel, letter in _ENGLISH_VOWELS.items():
        syllable = syllable.replace(vowel, letter)
    if syllable[0] not in _STRESS_MARKS:
        return syllable
    vowel_at = next(at for at, letter in enumerate(syllable) if letter in _ENGLISH_VOWEL_LETTERS)
    return syllable[1:vowel_at] + syllable[0] + syllable[vowel_at:]


def _write_consonant(phone: str, phone_after: str) -> str:
    plain = phone.removesuffix("y") if len(phone) > 1 else phone
    if phone not in _CONSONANTS:
        return _CONSONANTS[plain] + _PALATAL
    if phone == "z" and phone_after == "u":
        return "z"
    if phone_after == "i" and phone in _BEFORE_I:
        return _BEFORE_I[phone]
    return _CONSONANTS[phone] + (_PALATAL if phone_after == "i" and phone in _PALATALISED else "")
