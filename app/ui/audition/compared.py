"""What is compared in a blind test, as its names and rows: the same ways to speak, in one or several lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from app.audition.short_names import Part, Way, differing, short_names
from app.core.takes import Take
from app.language import localized
from app.ui.audition.take_words import NameOf, take_parts

Rows = list[list[str]]
Told = tuple[str, ...]
"""Where a take differs from the others of its line, and at the end the number among those that differ in nothing."""


def compared_rows(takes: Sequence[Take], name_of: NameOf) -> tuple[list[str], Rows]:
    """Names of the columns, and for each line the sound of each. Lines that lack one of the ways are left out; the first line with most counts."""
    lines: dict[str, list[tuple[Take, Way]]] = {}
    for take, way in zip(takes, take_parts(takes, name_of), strict=True):
        lines.setdefault(take.line, []).append((take, way))
    if not lines:
        return [], []
    first = max(lines.values(), key=len)
    places = differing([way for _, way in first])
    columns = _told(first, places)
    rows = [_told(group, places) for group in lines.values()]
    names = _names(list(columns), [way for _, way in first])
    return names, [[row[told].sound for told in columns] for row in rows if columns.keys() <= row.keys()]


def _told(group: Sequence[tuple[Take, Way]], places: Sequence[int]) -> dict[Told, Take]:
    seen = Counter[Told]()
    found: dict[Told, Take] = {}
    for take, way in group:
        words = tuple(way[place].words for place in places)
        seen[words] += 1
        found[*words, str(seen[words])] = take
    return found


def _names(columns: Sequence[Told], ways: Sequence[Way]) -> list[str]:
    """Those that differ in nothing that can be said are counted."""
    counts = Counter(told[:-1] for told in columns)
    numbers = [localized(f"テイク {told[-1]}", f"take {told[-1]}") if counts[told[:-1]] > 1 else "" for told in columns]
    return short_names([(*way, Part(number)) for way, number in zip(ways, numbers, strict=True)])
