"""Texts that queries were made of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from app.service.voicevox_phrases import list_phones
from app.service.voicevox_query import AccentPhrase

_MAX_REMEMBERED_TEXTS = 1000


class QueryTextMemory:
    """Texts that queries were made of, found again by their reading: clients may drop a query's text."""

    def __init__(self) -> None:
        self._texts: OrderedDict[tuple[str, ...], str] = OrderedDict()

    def remember_text(self, phrases: Sequence[AccentPhrase], text: str) -> None:
        """Remember a text by its phrases."""
        key = _build_reading_key(phrases)
        self._texts.pop(key, None)
        self._texts[key] = text
        while len(self._texts) > _MAX_REMEMBERED_TEXTS:
            self._texts.popitem(last=False)

    def find_texts(self, phrases: Sequence[AccentPhrase]) -> list[str]:
        """Return the text that these phrases were read from last, if any, in a list."""
        found = self._texts.get(_build_reading_key(phrases))
        return [] if found is None else [found]


def _build_reading_key(phrases: Sequence[AccentPhrase]) -> tuple[str, ...]:
    return tuple(" ".join(list_phones(mora)) for phrase in phrases for mora in phrase.moras)
