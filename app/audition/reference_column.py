"""One of the compared sounds becomes the reference of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class ReferenceSplit(NamedTuple):
    """The sounds that are still compared, and the reference of each line."""

    names: tuple[str, ...]
    sounds: tuple[tuple[str, ...], ...]
    references: tuple[str, ...]


def split_off_reference(names: Sequence[str], sounds: Sequence[Sequence[str]], column: int) -> ReferenceSplit:
    """Split the reference off from the compared columns."""
    return ReferenceSplit(
        tuple(name for place, name in enumerate(names) if place != column),
        tuple(tuple(sound for place, sound in enumerate(row) if place != column) for row in sounds),
        tuple(row[column] for row in sounds),
    )
