"""The words of the user's dictionary that the analyser does not meet as they are written, and their places in a text."""

import re
from collections.abc import Sequence
from functools import cached_property

from app.core.synthesis_types import ReadingOverride
from app.core.text.dictionary_entries import DictionaryEntry, fold_surface
from app.core.text.normalise import normalise_text
from app.core.text.pronunciation import fold_letters, fold_width
from app.core.text.reading_overrides import OverrideSpan

_ANY_WAVE = str.maketrans("~～", "〜〜")  # keyboards differ in which of these waves they type


def is_analysed(entry: DictionaryEntry) -> bool:
    """Return True if the analyser meets the word as it is written. Letters, digits and signs are read before it or joined with their neighbours."""
    # Normalisation turns letters, digits and signs into kana or numbers before MeCab could find the word.
    surface = entry.surface
    # The look-up answers as if the dictionary had every word that this one might become (言う of 言ふ).
    return not any(map(str.isascii, surface)) and normalise_text(surface, lambda word: None if word in surface else word) == surface


class UserWordMatcher:
    """Finds entries in the text itself, whatever the width and the case of its letters; of two overlapping words the longer one wins.

    Args:
        entries: the entries for which `is_analysed` is False.
    """

    def __init__(self, entries: Sequence[DictionaryEntry]) -> None:
        self._as_written = {entry.surface: entry for entry in entries}
        self._entries = {fold_letters(entry.surface, _fold_case)[0]: entry for entry in entries}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(_build_lone_pattern(surface) for surface in sorted(self._entries, key=len, reverse=True)))

    def find_words(self, text: str) -> list[OverrideSpan]:
        """Return the places of the words in the text: (start, end, reading) in order, none overlapping."""
        if not self._entries:
            return []
        letters, origins = fold_letters(text, _fold_case)
        spans: list[OverrideSpan] = []
        for match in self._pattern.finditer(letters):
            start, end = origins[match.start()][0], origins[match.end() - 1][1]
            entry = self._as_written.get(fold_surface(text[start:end])) or self._entries[match[0]]
            spans.append((start, end, ReadingOverride(text[start:end], entry.reading, entry.accent)))
        return spans


def _fold_case(text: str) -> str:
    """Return the text without differences of width and case; no letter becomes two."""
    written = fold_width(text).translate(_ANY_WAVE)
    small = written.lower()
    # Some capitals have two small letters, which would shift the origins of all that follow.
    return small if len(small) == len(written) else written


def _build_lone_pattern(surface: str) -> str:
    """Return a pattern for the word where it is no part of a longer word or number: AI is not in AIR, nor 4K in 14K, nor 2 in 2.5."""
    before = after = ""
    if surface[0].isascii() and surface[0].isalnum():
        before = "(?<![0-9a-z])" + (r"(?<!\d[.,])" if surface[0].isdecimal() else "")
    if surface[-1].isascii() and surface[-1].isalnum():
        after = "(?![0-9a-z])" + (r"(?![.,]\d)" if surface[-1].isdecimal() else "")
    return before + re.escape(surface) + after
