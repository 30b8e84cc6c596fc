"""Which words of the user's dictionary the analyser meets as they are written, and where the others stand in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property

from app.core.dictionary import Entry
from app.core.normalise import normalise
from app.core.overrides import Place
from app.core.types import ReadingOverride


def is_analysed(entry: Entry) -> bool:
    """Whether the analyser meets the word as it is written: letters, digits and signs are read before, or joined with their neighbours."""
    return not any(map(str.isascii, entry.surface)) and normalise(entry.surface, lambda _: None) == entry.surface


class WrittenWords:
    """Entries that are found in the text itself, whatever the width and the case of its letters; of two the longer one wins.

    Args:
        entries: those that `is_analysed` denies.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = {_plain(entry.surface): entry for entry in entries}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(_alone(surface) for surface in sorted(self._entries, key=len, reverse=True)))

    def find(self, text: str) -> list[Place]:
        """Where in the text they stand: (start, end, what is to be read), in order, none overlapping."""
        if not self._entries:
            return []
        found = ((match.start(), match.end(), self._entries[match[0]]) for match in self._pattern.finditer(_plain(text)))
        return [(start, end, ReadingOverride(text[start:end], entry.reading, entry.accent)) for start, end, entry in found]


def _plain(text: str) -> str:
    """As long as the text, so that places are the same in both."""
    return "".join(_plain_char(char) for char in text)


def _plain_char(char: str) -> str:
    narrow = unicodedata.normalize("NFKC", char).lower()
    return narrow if len(narrow) == 1 else char


def _alone(surface: str) -> str:
    """No part of a longer word: AI is not in AIR, nor 4K in 14K."""
    before = "(?<![0-9a-z])" if surface[0].isascii() and surface[0].isalnum() else ""
    after = "(?![0-9a-z])" if surface[-1].isascii() and surface[-1].isalnum() else ""
    return before + re.escape(surface) + after
