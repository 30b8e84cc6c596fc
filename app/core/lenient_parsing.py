"""Handling of unreadable parts of a file: an error, or a report and a result without the part."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from app.common.errors import AppError

ReportLoss = Callable[[str], None]
"""Called with the name of a part that cannot be read; without a callback (None) the part ends the reading with its error."""

ReportLossAt = Callable[[str, int], None]
"""Called with the name of the part and the number of its line, from 1; 0 for a part that belongs to no line."""

_PARSE_ERRORS = (ValueError, TypeError, LookupError, AttributeError, AppError)


Parsed = TypeVar("Parsed")


class TooManyError(ValueError):
    """Raised for more items than a file may hold. Such a list is never left out silently: a person may have written it."""


class UnreadableSkipper(AbstractContextManager[None, bool]):
    """Leaves out whatever raises inside because it cannot be read; without `lose` the error passes."""

    # A class, because it surrounds every value of a file: a generator would take as long as the reading itself.
    __slots__ = ("_lose", "_part_name")

    def __init__(self, lose: ReportLoss | None, part: str) -> None:
        self._lose, self._part_name = lose, part

    def __enter__(self) -> None:
        """Prepare nothing."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        """Report an unreadable part and return True; return False for an error that must pass."""
        if error is None or self._lose is None or isinstance(error, TooManyError) or not isinstance(error, _PARSE_ERRORS):
            return False
        self._lose(self._part_name)
        return True


def locate_losses(lose: ReportLossAt | None, line: int = 0) -> ReportLoss | None:
    """Return what reports the losses of a line by its number; 0 is of no line."""
    return lose and (lambda part: lose(part, line))


def read_field(data: Mapping[str, Any], name: str, missing: Parsed, parse: Callable[[Any], Parsed], lose: ReportLoss | None) -> Parsed:
    """Return a field, or `missing` where there is none, or none that can be read."""
    with UnreadableSkipper(lose, name):
        if name in data:
            return parse(data[name])
    return missing


def parse_items(
    data: object,
    part_name: str,
    max_items: int,
    parse: Callable[[Any], Parsed],
    lose: ReportLoss | None,
    get_id: Callable[[Parsed], str] | None = None,
) -> tuple[Parsed, ...]:
    """Return the items of a list that can be read. Raises ValueError for no list, TooManyError, and without `lose` the error of an item.

    Args:
        get_id: returns what no other item may have.
    """
    if not isinstance(data, list):
        raise ValueError(part_name)
    if len(data) > max_items:
        raise TooManyError(part_name)
    items, ids = list[Parsed](), set[str]()
    for value in data:
        with UnreadableSkipper(lose, part_name):
            item = parse(value)
            if get_id is not None:
                if get_id(item) in ids:
                    raise ValueError("an id occurs twice")
                ids.add(get_id(item))
            items.append(item)
    return tuple(items)
