"""Texts that queries were made of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from app.service.phrases import phones_of_mora
from app.service.query import AccentPhrase

_MOST_TEXTS = 1000


class ReadTexts:
    """Texts that queries were made of, found again by their reading: clients may drop a query's text."""

    def __init__(self) -> None:
        self._texts: OrderedDict[tuple[str, ...], str] = OrderedDict()

    def remember(self, phrases: Sequence[AccentPhrase], text: str) -> None:
        """A text and its phrases."""
        key = _reading(phrases)
        self._texts.pop(key, None)
        self._texts[key] = text
        while len(self._texts) > _MOST_TEXTS:
            self._texts.popitem(last=False)

    def find(self, phrases: Sequence[AccentPhrase]) -> list[str]:
        """The text that these were read from last, if any."""
        found = self._texts.get(_reading(phrases))
        return [] if found is None else [found]


def _reading(phrases: Sequence[AccentPhrase]) -> tuple[str, ...]:
    return tuple(" ".join(phones_of_mora(mora)) for phrase in phrases for mora in phrase.moras)
