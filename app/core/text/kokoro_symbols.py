"""Phones as the tokens of Kokoro-82M, which writes Japanese in phonetic letters, with spaces between accent phrases.

The ids are interoperability data: facts of the public model.
"""

from collections.abc import Sequence

import numpy as np

from app.core.symbols import EDGE_SYMBOL, PUNCTUATION, VOWEL_PHONES
from app.core.synthesis_types import Phones
from app.core.text.phone_ids import NO_INDEX, PhoneIds, map_phones_to_moras

# fmt: off
TOKEN_IDS: dict[str, int] = {
    ",": 3, ".": 4, "!": 5, "?": 6, "“": 14, "”": 15, " ": 16, "ʣ": 18, "ʥ": 19, "ʦ": 20, "ʨ": 21, "a": 43, "b": 44, "d": 46, "e": 47, "h": 50, "i": 51,
    "j": 52, "k": 53, "m": 55, "n": 56, "o": 57, "p": 58, "s": 61, "t": 62, "v": 64, "z": 68, "β": 75, "ɕ": 77, "ç": 78, "ɡ": 92,
    "ɨ": 101, "ɯ": 110, "ŋ": 112, "ɲ": 114, "ɴ": 115, "ɸ": 118, "ɾ": 125, "ʔ": 148, "ː": 158, "ʲ": 164,
}
# fmt: on
PAD_ID = 0  # at both ends
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
_NASALS = {"m": ("b", "by", "p", "py", "m", "my"), "ŋ": ("k", "ky", "g", "gy"), "ɴ": (EDGE_SYMBOL, *PUNCTUATION)}


def convert_phones_to_tokens(phones: Phones) -> PhoneIds:
    """Return the tokens of a sentence; a phone has one or more, the space behind an accent phrase belongs to the phone before it."""
    # The first phones of morae, of which some begin an accent phrase inside the sentence.
    firsts = {mora: index for index, mora in reversed(list(enumerate(map_phones_to_moras(phones.phones)))) if mora != NO_INDEX}
    begins = {firsts[mora] for mora in phones.phrases if mora and mora in firsts}
    texts = [_write_phone(phones.phones, index, index in begins) for index in range(1, len(phones.phones) - 1)]
    spelled = [text + (_SPACE if index + 1 in begins and index else "") for index, text in enumerate(texts, 1)]
    tokens = [[PAD_ID], *([TOKEN_IDS[letter] for letter in text] for text in spelled), [PAD_ID]]
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


def _write_consonant(phone: str, phone_after: str) -> str:
    plain = phone.removesuffix("y") if len(phone) > 1 else phone
    if phone not in _CONSONANTS:
        return _CONSONANTS[plain] + _PALATAL
    if phone == "z" and phone_after == "u":
        return "z"
    if phone_after == "i" and phone in _BEFORE_I:
        return _BEFORE_I[phone]
    return _CONSONANTS[phone] + (_PALATAL if phone_after == "i" and phone in _PALATALISED else "")
