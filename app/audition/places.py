"""Places of sounds after a test: those with the same score share one, and the next one is left out for each of them, as in 1, 1, 3."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.language import localized

Alike = Callable[[int, int], bool]


def shared_places(order: Sequence[int], alike: Alike) -> tuple[int, ...]:
    """The place of each sound by its number; neighbours in the order that are alike share theirs."""
    places = [0] * len(order)
    for position, item in enumerate(order):
        before = order[position - 1]
        places[item] = places[before] if position and alike(before, item) else position + 1
    return tuple(places)


def sole_first(places: Sequence[int]) -> int | None:
    """The sound that came first alone; None where several share the first place."""
    return places.index(1) if places.count(1) == 1 else None


def place_words(places: Sequence[int], item: int) -> str:
    """The place of a sound, and whether it shares it."""
    number = places[item]
    if places.count(number) > 1:
        return localized(f"同率{number}位", f"{number} =")
    return localized(f"{number}位", f"{number}")


def order_words(order: Sequence[int], places: Sequence[int], names: Sequence[str]) -> str:
    """The names from the first to the last, those that share a place joined as equals."""
    words = ""
    for before, item in zip((None, *order), order, strict=False):
        mark = "" if before is None else " = " if places[before] == places[item] else " > "
        words += mark + names[item]
    return words


def shared_first_words(places: Sequence[int]) -> str:
    """That several sounds share the first place; empty where one has it alone."""
    count = places.count(1)
    return localized(f"{count} つが同率1位です。", f"{count} sounds share first place.") if count > 1 else ""
