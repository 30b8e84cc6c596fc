"""Names and rows of the sounds that a blind test compares: the same ways to speak, in one or several lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from app.audition.short_names import NamePart, NameParts, build_short_names, find_differing_parts
from app.common.language import localize
from app.core.takes import LineTake
from app.ui.audition.take_labels import FindVoiceName, build_take_parts

SoundRows = list[list[str]]
DistinctLabels = tuple[str, ...]
"""The labels in which a take differs from the others of its line, then its number among those that do not differ."""


def build_sound_rows(takes: Sequence[LineTake], find_voice_name: FindVoiceName) -> tuple[list[str], SoundRows]:
    """Return the names of the columns, and for each line the sound names of its columns.

    Lines that lack one of the columns are left out; the first line with the most takes decides the columns.
    """
    lines: dict[str, list[tuple[LineTake, NameParts]]] = {}
    for take, way in zip(takes, build_take_parts(takes, find_voice_name), strict=True):
        lines.setdefault(take.line, []).append((take, way))
    if not lines:
        return [], []
    first = max(lines.values(), key=len)
    places = find_differing_parts([way for _, way in first])
    columns = _map_takes_by_labels(first, places)
    rows = [_map_takes_by_labels(group, places) for group in lines.values()]
    names = _build_column_names(list(columns), [way for _, way in first])
    return names, [[row[told].sound for told in columns] for row in rows if columns.keys() <= row.keys()]


def _map_takes_by_labels(group: Sequence[tuple[LineTake, NameParts]], part_indices: Sequence[int]) -> dict[DistinctLabels, LineTake]:
    seen = Counter[DistinctLabels]()
    found: dict[DistinctLabels, LineTake] = {}
    for take, way in group:
        words = tuple(way[place].label for place in part_indices)
        seen[words] += 1
        found[*words, str(seen[words])] = take
    return found


def _build_column_names(columns: Sequence[DistinctLabels], name_parts: Sequence[NameParts]) -> list[str]:
    # Takes with equal labels are numbered, or two columns would have the same name.
    counts = Counter(told[:-1] for told in columns)
    numbers = [localize(f"テイク {told[-1]}", f"take {told[-1]}") if counts[told[:-1]] > 1 else "" for told in columns]
    return build_short_names([(*way, NamePart(number)) for way, number in zip(name_parts, numbers, strict=True)])
