"""Places of sounds after a test: those with the same score share one, and the next one is left out for each of them, as in 1, 1, 3."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.common.language import localize

IsAlike = Callable[[int, int], bool]


def compute_shared_ranks(order: Sequence[int], is_alike: IsAlike) -> tuple[int, ...]:
    """Return the place of each sound by its number; neighbours in the order that are alike share theirs."""
    places = [0] * len(order)
    for position, item in enumerate(order):
        before = order[position - 1]
        places[item] = places[before] if position and is_alike(before, item) else position + 1
    return tuple(places)


def find_sole_first(ranks: Sequence[int]) -> int | None:
    """Return the sound that came first alone; None if several share the first place."""
    return ranks.index(1) if ranks.count(1) == 1 else None


def describe_rank(ranks: Sequence[int], item: int) -> str:
    """Return the place of a sound, and whether it is shared."""
    number = ranks[item]
    if ranks.count(number) > 1:
        return localize(f"同率{number}位", f"{number} =")
    return localize(f"{number}位", f"{number}")


def describe_order(order: Sequence[int], ranks: Sequence[int], names: Sequence[str]) -> str:
    """Return the names from the first to the last, with those that share a place joined as equals."""
    words = ""
    for before, item in zip((None, *order), order, strict=False):
        mark = "" if before is None else " = " if ranks[before] == ranks[item] else " > "
        words += mark + names[item]
    return words


def describe_shared_first(ranks: Sequence[int]) -> str:
    """Describe that several sounds share the first place; empty where one has it alone."""
    count = ranks.count(1)
    return localize(f"{count} つが同率1位です。", f"{count} sounds share first place.") if count > 1 else ""
