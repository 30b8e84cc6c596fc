"""Kinds of symbols, a further input of Nanairo's duration predictors. The numbers are the network's own."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.symbols import EDGE_SYMBOL, EMOJI_IDS

SYMBOL_KIND_COUNT = 11
SOUND, BLANK, FULL_STOP, ELLIPSIS, VOCAL_EMOJI, OTHER_EMOJI = 0, 1, 3, 4, 9, 10
_KINDS_BY_SYMBOL = {EDGE_SYMBOL: BLANK, "SP": BLANK, ",": 2, "?": 5, "!": 6, "'": 7, "-": 8}
# Emoji that stand for a vocal sound themselves.
_VOCAL_EMOJI = frozenset("🌬👅💋💨🤧🥤🥱")


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
