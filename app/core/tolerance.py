"""What of a file cannot be read: the end of the reading, or named and left out where somebody wants to know."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from app.errors import AppError

Lose = Callable[[str], None]
"""Called with the name of a part that cannot be read; without one (None) that ends the reading."""

LoseAt = Callable[[str, int], None]
"""The same with the number of the line, from 1; 0 for what belongs to none."""

_FAULTS = (ValueError, TypeError, LookupError, AttributeError, AppError)


class TooManyError(ValueError):
    """More of something than there may be. It is never left out: somebody may have written so much."""


def tolerating(lose: Lose | None, part: str) -> AbstractContextManager[None, bool]:
    """Leaves out what is read inside where it cannot be; without `lose` the error passes."""
    return _Tolerance(lose, part)


class _Tolerance(AbstractContextManager[None, bool]):
    """As a class, for it surrounds every value of a file: a generator would take as long as the reading."""

    __slots__ = ("_lose", "_part")

    def __init__(self, lose: Lose | None, part: str) -> None:
        self._lose, self._part = lose, part

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        """Whether the error was taken."""
        if error is None or self._lose is None or isinstance(error, TooManyError) or not isinstance(error, _FAULTS):
            return False
        self._lose(self._part)
        return True
