"""Which words of the user's dictionary the analyser meets as they are written, and where the others stand in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from app.core.dictionary import Entry, surface_of
from app.core.letters import compared_letters, fold_width
from app.core.normalise import normalise
from app.core.overrides import Place
from app.core.types import ReadingOverride

_ANY_WAVE = str.maketrans("~～", "〜〜")  # keyboards differ in which of them they type


def is_analysed(entry: Entry) -> bool:
    """Whether the analyser meets the word as it is written: letters, digits and signs are read before, or joined with their neighbours."""
    surface = entry.surface
    # As if the dictionary had every word that it might become (言う of 言ふ).
    return not any(map(str.isascii, surface)) and normalise(surface, lambda word: None if word in surface else word) == surface


class WrittenWords:
    """Entries that are found in the text itself, whatever the width and the case of its letters; of two the longer one wins.

    Args:
        entries: those that `is_analysed` denies.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._as_written = {entry.surface: entry for entry in entries}
        self._entries = {compared_letters(entry.surface, _folded)[0]: entry for entry in entries}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(_alone(surface) for surface in sorted(self._entries, key=len, reverse=True)))

    def find(self, text: str) -> list[Place]:
        """Where in the text they stand: (start, end, what is to be read), in order, none overlapping."""
        if not self._entries:
            return []
        letters, origins = compared_letters(text, _folded)
        found: list[Place] = []
        for match in self._pattern.finditer(letters):
            start, end = origins[match.start()][0], origins[match.end() - 1][1]
            entry = self._as_written.get(surface_of(text[start:end])) or self._entries[match[0]]
            found.append((start, end, ReadingOverride(text[start:end], entry.reading, entry.accent)))
        return found


def _folded(text: str) -> str:
    """Without regard to width and case; no letter becomes two."""
    written = fold_width(text).translate(_ANY_WAVE)
    small = written.lower()
    return small if len(small) == len(written) else written


def _alone(surface: str) -> str:
    """No part of a longer word or number: AI is not in AIR, nor 4K in 14K, nor 2 in 2.5."""
    before = after = ""
    if surface[0].isascii() and surface[0].isalnum():
        before = "(?<![0-9a-z])" + (r"(?<!\d[.,])" if surface[0].isdecimal() else "")
    if surface[-1].isascii() and surface[-1].isalnum():
        after = "(?![0-9a-z])" + (r"(?![.,]\d)" if surface[-1].isdecimal() else "")
    return before + re.escape(surface) + after
