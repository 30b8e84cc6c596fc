"""Handling of unreadable parts of a file: an error, or a report and a result without the part."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from app.common.errors import AppError

ReportLoss = Callable[[str], None]
"""Called with the name of a part that cannot be read; without a callback (None) the part ends the reading with its error."""

ReportLossAt = Callable[[str, int], None]
"""Called with the name of the part and the number of its line, from 1; 0 for a part that belongs to no line."""

_PARSE_ERRORS = (ValueError, TypeError, LookupError, AttributeError, AppError)


class TooManyError(ValueError):
    """Raised for more items than a file may hold. Such a list is never left out silently: a person may have written it."""


def skip_unreadable(lose: ReportLoss | None, part: str) -> AbstractContextManager[None, bool]:
    """Leave out whatever raises inside because it cannot be read; without `lose` the error passes."""
    return _UnreadableSkipper(lose, part)


class _UnreadableSkipper(AbstractContextManager[None, bool]):
    """The context manager behind `skip_unreadable`."""

    # A class, because it surrounds every value of a file: a generator would take as long as the reading itself.
    __slots__ = ("_lose", "_part")

    def __init__(self, lose: ReportLoss | None, part: str) -> None:
        self._lose, self._part = lose, part

    def __enter__(self) -> None:
        """Prepare nothing."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        """Report an unreadable part and return True; return False for an error that must pass."""
        if error is None or self._lose is None or isinstance(error, TooManyError) or not isinstance(error, _PARSE_ERRORS):
            return False
        self._lose(self._part)
        return True
