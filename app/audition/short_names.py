"""Short names of things that are shown side by side: they hold only what differs."""

from collections.abc import Sequence
from typing import NamedTuple

SEPARATOR, NOTHING = " · ", "–"


class NamePart(NamedTuple):
    """One thing that can be said of a way to speak."""

    label: str
    is_usual: bool = False  # it goes without saying, as speed 1 does


NameParts = Sequence[NamePart]
"""All that can be said of one of them; the same things in the same places for all that are shown side by side."""


def build_short_names(ways: Sequence[NameParts]) -> list[str]:
    """Return a name for each: equal ones have the same name, all others different ones."""
    name_by_way: dict[tuple[str, ...], str] = {}
    taken: set[str] = set()
    for way, labels in zip(map(_list_labels, ways), choose_short_parts(ways), strict=True):
        if way not in name_by_way:
            plain = name = SEPARATOR.join(filter(None, labels)) or NOTHING
            number = 1
            # A part holds the separator, or is empty.
            while name in taken:
                number += 1
                name = f"{plain} ({number})"
            name_by_way[way] = name
            taken.add(name)
    return [name_by_way[way] for way in map(_list_labels, ways)]


def choose_short_parts(ways: Sequence[NameParts]) -> list[tuple[str, ...]]:
    """Return the parts of each name that are shown; parts in other places are empty.

    What all share is left out, and what is usual, unless two would then be called the same or one would have no name.
    """
    places = find_differing_parts(ways) or tuple(range(len(ways[0]))) if ways else ()
    brief = [_select_labels(way, places, usual=False) for way in ways]
    whole = [_select_labels(way, places, usual=True) for way in ways]
    chosen_labels = [short if any(short) else long for short, long in zip(brief, whole, strict=True)]
    names = {SEPARATOR.join(filter(None, labels)) for labels in chosen_labels}
    return chosen_labels if len(names) == len(set(map(_list_labels, ways))) else whole


def find_differing_parts(ways: Sequence[NameParts]) -> tuple[int, ...]:
    return tuple(index for index, parts in enumerate(zip(*ways, strict=True)) if len({part.label for part in parts}) > 1)


def _select_labels(parts: NameParts, indices: Sequence[int], *, usual: bool) -> tuple[str, ...]:
    return tuple(part.label if index in indices and (usual or not part.is_usual) else "" for index, part in enumerate(parts))


def _list_labels(parts: NameParts) -> tuple[str, ...]:
    return tuple(part.label for part in parts)
