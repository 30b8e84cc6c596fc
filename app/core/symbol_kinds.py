"""Kinds of symbols, which Nanairo's duration predictors look at beside the symbols themselves. The numbers are the network's own."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.symbols import EDGE, EMOJI_IDS

KIND_COUNT = 11
SOUND, BLANK, FULL_STOP, ELLIPSIS, VOCAL_EMOJI, OTHER_EMOJI = 0, 1, 3, 4, 9, 10
_KINDS = {EDGE: BLANK, "SP": BLANK, ",": 2, "?": 5, "!": 6, "'": 7, "-": 8}
_VOCAL = frozenset("🌬👅💋💨🤧🥤🥱")  # emoji that are a sound themselves


def symbol_kinds(phones: Sequence[str]) -> list[int]:
    """The kind of each phone, before blanks are put in between."""
    return [_kind(phones, index) for index in range(len(phones))]


def _kind(phones: Sequence[str], index: int) -> int:
    phone = phones[index]
    if phone == ".":
        return ELLIPSIS if "." in (*phones[max(0, index - 1) : index], *phones[index + 1 : index + 2]) else FULL_STOP
    if phone in EMOJI_IDS:
        return VOCAL_EMOJI if phone in _VOCAL else OTHER_EMOJI
    return _KINDS.get(phone, SOUND)
