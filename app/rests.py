"""Rests for a thread that goes through very many things, so that the window has its turn.

Laying out a page asks Python for hundreds of texts; against a thread that always computes it waits for Python's lock each time.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
ITEMS_AT_ONCE, REST_S = 100, 0.0005  # a millisecond's work or two


def with_rests(items: Iterable[Item]) -> Iterator[Item]:
    """The same items; a short rest after every hundred."""
    for number, item in enumerate(items, 1):
        yield item
        if not number % ITEMS_AT_ONCE:
            time.sleep(REST_S)
