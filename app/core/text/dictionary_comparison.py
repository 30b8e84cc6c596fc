"""Comparison of an import with the dictionary, before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.common.errors import InputError
from app.core.text.dictionary_entries import DictionaryEntry, merge_entries


@dataclass(frozen=True, slots=True)
class EntryConflict:
    """Two entries of the same word that differ: the one that is there, and the one of the file."""

    present: DictionaryEntry
    imported: DictionaryEntry


@dataclass(frozen=True, slots=True)
class DictionaryComparison:
    """The entries of a file beside those of the dictionary.

    Attributes:
        found: all usable entries of the file, in their order.
        added: entries of words that the dictionary does not have.
        unchanged: entries that are there already, as they are.
        conflicts: words that the dictionary has with another reading, accent, part of speech or priority.
        duplicates: words that the file has more than once, differently: the first two that differ; the last one in the file counts.
        rejected: errors of lines that are no word.
    """

    found: tuple[DictionaryEntry, ...]
    added: tuple[DictionaryEntry, ...]
    unchanged: tuple[DictionaryEntry, ...]
    conflicts: tuple[EntryConflict, ...]
    duplicates: tuple[EntryConflict, ...]
    rejected: tuple[InputError, ...]

    def merge_into(self, entries: Iterable[DictionaryEntry], *, keep: bool) -> tuple[DictionaryEntry, ...]:
        """Return the entries with those of the file; with `keep`, words that are there stay as they are."""
        present = tuple(entries)
        return merge_entries(merge_entries(present, self.found), present if keep else ())


def compare_import(
    entries: Iterable[DictionaryEntry], found: Sequence[DictionaryEntry], rejected: Sequence[InputError]
) -> DictionaryComparison:
    """Compare the entries of a file with those of a dictionary."""
    present = {entry.surface: entry for entry in entries}
    last: dict[str, DictionaryEntry] = {}
    duplicates: dict[str, EntryConflict] = {}
    for entry in found:
        known = last.get(entry.surface)
        if known is not None and known != entry:
            duplicates.setdefault(entry.surface, EntryConflict(known, entry))
        last[entry.surface] = entry
    return DictionaryComparison(
        tuple(found),
        tuple(entry for entry in last.values() if entry.surface not in present),
        tuple(entry for entry in last.values() if present.get(entry.surface) == entry),
        tuple(
            EntryConflict(present[entry.surface], entry)
            for entry in last.values()
            if entry.surface in present and present[entry.surface] != entry
        ),
        tuple(duplicates.values()),
        tuple(rejected),
    )
