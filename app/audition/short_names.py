"""Names of what stands beside each other: only where they differ, so that they are short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

SEPARATOR, NOTHING = " · ", "–"


class Part(NamedTuple):
    """One thing that can be said of a way to speak.

    Attributes:
        usual: it goes without saying, as speed 1 does.
    """

    words: str
    usual: bool = False


Way = Sequence[Part]
"""All that can be said of one of them; the same things in the same places for all that stand beside each other."""


def short_names(ways: Sequence[Way]) -> list[str]:
    """A name for each: equal ones have the same name, all others different ones."""
    known: dict[tuple[str, ...], str] = {}
    taken: set[str] = set()
    for way, said in zip(map(_words, ways), short_parts(ways), strict=True):
        if way not in known:
            plain = name = SEPARATOR.join(filter(None, said)) or NOTHING
            number = 1
            while name in taken:  # a part holds the separator, or is empty
                number += 1
                name = f"{plain} ({number})"
            known[way] = name
            taken.add(name)
    return [known[way] for way in map(_words, ways)]


def short_parts(ways: Sequence[Way]) -> list[tuple[str, ...]]:
    """The parts that are said of each; empty in the places that are not.

    What all share is left out, and what is usual, unless two would then be called the same or one would have no name.
    """
    places = differing(ways) or tuple(range(len(ways[0]))) if ways else ()
    brief = [_said(way, places, usual=False) for way in ways]
    whole = [_said(way, places, usual=True) for way in ways]
    found = [short if any(short) else long for short, long in zip(brief, whole, strict=True)]
    names = {SEPARATOR.join(filter(None, said)) for said in found}
    return found if len(names) == len(set(map(_words, ways))) else whole


def differing(ways: Sequence[Way]) -> tuple[int, ...]:
    """The places in which they are not all the same."""
    return tuple(place for place, parts in enumerate(zip(*ways, strict=True)) if len({part.words for part in parts}) > 1)


def _said(way: Way, places: Sequence[int], *, usual: bool) -> tuple[str, ...]:
    return tuple(part.words if place in places and (usual or not part.usual) else "" for place, part in enumerate(way))


def _words(way: Way) -> tuple[str, ...]:
    return tuple(part.words for part in way)
