"""Phones as the numbers a voice takes, and the places in them that a user edits.

n = phones with `_` at both ends, T = 2n + 1 symbols with blanks between (or n without).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.core.symbol_kinds import BLANK, symbol_kinds
from app.core.symbols import EMOJI_IDS, JAPANESE_LANGUAGE_ID, JAPANESE_TONE_OFFSET, MORA_ENDS, PUNCTUATION, SYMBOL_IDS
from app.core.types import Int64, Phones
from app.errors import InputError
from app.language import localized

NOWHERE = -1  # index of a phone that belongs to no mora, or is no mark


@dataclass(frozen=True, slots=True)
class PhoneIds:
    """One sentence as a voice takes it.

    Attributes:
        phones, tones, language, kinds: int64 (T,).
        word2ph: int64 (characters + 2,), symbols per character; sums to T.
    """

    phones: Int64
    tones: Int64
    language: Int64
    word2ph: Int64
    kinds: Int64

    def __post_init__(self) -> None:
        if not len(self.phones) == len(self.tones) == len(self.language) == len(self.kinds) == int(self.word2ph.sum()):
            raise ValueError("phones, tones, language, kinds and word2ph differ in length")


def phones_to_ids(phones: Phones, *, multilingual: bool = False, add_blank: bool = True, emoji: bool = False) -> PhoneIds:
    """Numbers of the phones.

    `multilingual` voices write the Japanese N as n; `add_blank` as the voice's config says (all public ones do); `emoji` where its
    table holds them. An InputError names a phone that is not in the table.
    """
    table = SYMBOL_IDS | EMOJI_IDS if emoji else SYMBOL_IDS
    ids = np.array([_symbol_id("n" if multilingual and phone == "N" else phone, table) for phone in phones.phones], dtype=np.int64)
    tones = np.array(phones.tones, dtype=np.int64) + JAPANESE_TONE_OFFSET
    language = np.full(len(ids), JAPANESE_LANGUAGE_ID, dtype=np.int64)
    word2ph = np.array(phones.word2ph, dtype=np.int64)
    kinds = np.array(symbol_kinds(phones.phones), dtype=np.int64)
    if not add_blank:
        return PhoneIds(ids, tones, language, word2ph, kinds)
    word2ph = word2ph * 2
    word2ph[0] += 1
    return PhoneIds(_with_blanks(ids), _with_blanks(tones), _with_blanks(language), word2ph, _with_blanks(kinds, BLANK))


def _symbol_id(phone: str, table: Mapping[str, int]) -> int:
    try:
        return table[phone]
    except KeyError:
        raise InputError(
            localized(f"音素「{phone}」は、この声では使えません。", f"The voice does not support the phone “{phone}”."),
            localized("声が対応している音素だけを使ってください。", "Use only phones that the voice supports."),
        ) from None


def _with_blanks(ids: Int64, blank: int = 0) -> Int64:
    blanked = np.full(2 * len(ids) + 1, blank, dtype=np.int64)
    blanked[1::2] = ids
    return blanked


def mora_of_phones(phones: Sequence[str]) -> tuple[int, ...]:
    """The mora each phone belongs to, counted from 0; NOWHERE for marks and `_`."""
    moras: list[int] = []
    count = 0
    for phone in phones:
        outside = phone in PUNCTUATION or phone == "_"
        moras.append(NOWHERE if outside else count)
        count += phone in MORA_ENDS
    return tuple(moras)


def mark_of_phones(phones: Sequence[str]) -> tuple[int, ...]:
    """The punctuation mark each phone is, counted from 0; NOWHERE for all others."""
    marks: list[int] = []
    count = 0
    for phone in phones:
        is_mark = phone in PUNCTUATION
        marks.append(count if is_mark else NOWHERE)
        count += is_mark
    return tuple(marks)


def mora_count(phones: Sequence[str]) -> int:
    """How many morae the phones are."""
    return sum(phone in MORA_ENDS for phone in phones)


def mark_count(phones: Sequence[str]) -> int:
    """How many punctuation marks are among the phones."""
    return sum(phone in PUNCTUATION for phone in phones)


def apply_tones(phones: Phones, mora_tones: Mapping[int, int]) -> Phones:
    """The phones with the tone (0 or 1) of some morae replaced; indices beyond the sentence are ignored, and emoji stay low."""
    if not mora_tones:
        return phones
    by_phone = zip(phones.phones, mora_of_phones(phones.phones), phones.tones, strict=True)
    return replace(phones, tones=tuple(tone if phone in EMOJI_IDS else mora_tones.get(mora, tone) for phone, mora, tone in by_phone))
