"""Words of our own with their accents: found among the analyser's words, or in the text where they have Latin letters or signs."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from app.core.synthesis_types import ReadingOverride
from app.core.text.dictionary_entries import DictionaryEntry, fold_surface
from app.core.text.normalise import normalise_text
from app.core.text.pronunciation import convert_to_katakana, fold_letters, fold_width, split_moras
from app.core.text.reading_overrides import OverrideSpan
from app.core.text.readings.morphs import Correction, Morph, MorphPart

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


_JAPANESE_WORD = re.compile("[ぁ-ゖァ-ヺー一-龠々]+")

_ADVERB_ENDINGS = ("に", "して", "併し", "時か", "時も", "間にか", "なさい", "ませ")  # they join nothing that follows
_LATIN_OR_DIGIT = re.compile("[A-Za-z0-9Ａ-Ｚａ-ｚ０-９]")  # every word that is written so has one
_IN_ADDRESS = re.compile("[.@_/]$")
_ADDRESS_FOLLOWS = re.compile("[.@_][A-Za-z0-9]")
_MODEL_FOLLOWS = re.compile("-[A-Za-z0-9]")  # Core i5-9400: behind the spaces around our word the hyphen would be a minus
_SURU_FORMS = frozenset("しさせ")  # forms of する
_LONGEST_SWALLOWED_REST = 1
_SHORT, _MIDDLING = 2, 4  # morae


class ShippedWords:
    """The shipped dictionary. What the user teaches wins against it.

    Args:
        entries: of several of one surface the last counts.
    """

    def __init__(self, entries: Sequence[DictionaryEntry]) -> None:
        written = [entry for entry in entries if not _JAPANESE_WORD.fullmatch(entry.surface)]
        self.written = UserWordMatcher(written)
        # What is written in Latin letters reaches the analyser as the katakana it is read as.
        self._spoken_readings = frozenset(entry.reading for entry in written)
        self._entries = {entry.reading: entry for entry in written} | {
            entry.surface: entry for entry in entries if _JAPANESE_WORD.fullmatch(entry.surface)
        }
        self._longest: dict[str, int] = {}
        for surface in self._entries:
            self._longest[surface[0]] = max(len(surface), self._longest.get(surface[0], 0))

    def speak_latin_words(self, text: str) -> str:
        """Return raw text with our Latin words as katakana."""
        if not _LATIN_OR_DIGIT.search(text):
            return text
        spoken, start = "", 0
        for first, last, override in self.written.find_words(text):
            if _IN_ADDRESS.search(text[max(0, first - 1) : first]) or _ADDRESS_FOLLOWS.match(text, last):
                continue
            spoken += f"{text[start:first]} {override.reading} "
            start = last + (_MODEL_FOLLOWS.match(text, last) is not None)
        return spoken + text[start:]

    def find_corrections(self, morphs: Sequence[Morph]) -> Iterator[Correction]:
        """Yield where words that are ours begin and end with words of the analyser; the longest that does."""
        at = 0
        while at < len(morphs):
            last, entry, verb_rest = self._find_entry(morphs, at)
            if entry is None:
                at += 1
                continue
            surface = "".join(morph.surface for morph in morphs[at:last]).removesuffix(verb_rest)
            kind = "adverb" if surface.endswith(_ADVERB_ENDINGS) else entry.kind
            word = MorphPart(
                surface, convert_to_katakana(entry.reading), entry.accent, kind, _choose_joining(entry) if kind == "noun" else ""
            )
            parts = (word, MorphPart(verb_rest, kind="動詞,自立")) if verb_rest else (word,)
            yield Correction(at, last, parts, "dictionary", entry.surface)
            at = last

    def _find_entry(self, morphs: Sequence[Morph], first: int) -> tuple[int, DictionaryEntry | None, str]:
        """Return where the longest word that begins with a word of the analyser ends, the word, and what the analyser drew into it: する, し."""
        surface = ""
        longest_entry: tuple[int, DictionaryEntry | None, str] = (first, None, "")
        longest = self._longest.get(morphs[first].surface[:1], 0)
        if not longest:
            return longest_entry
        for last in range(first, len(morphs)):
            surface += morphs[last].surface
            if len(surface) > longest + _LONGEST_SWALLOWED_REST or morphs[last].is_users:
                break
            is_loan = (
                last == first and morphs[first].reading and surface in self._spoken_readings
            )  # loan words whose accent the analyser knows
            if surface in self._entries and not is_loan:
                longest_entry = (last + 1, self._entries[surface], "")
            elif (verb_rest := surface[-1]) in _SURU_FORMS and surface[:-1] in self._entries and len(morphs[last].surface) > 1:
                longest_entry = (last + 1, self._entries[surface[:-1]], verb_rest)
        return longest_entry


def _choose_joining(entry: DictionaryEntry) -> str:
    """Return how a common noun joins the one before it, as nouns of Tokyo do: a short one lets the pitch fall before it, a long one keeps its fall or gets one."""
    moras = len(split_moras(entry.reading))
    if moras <= _SHORT:
        return "C3"
    if 0 < entry.accent < moras:
        return "C1"
    return "C2" if moras <= _MIDDLING else "C4"
