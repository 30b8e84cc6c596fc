"""Rests for a thread that goes through very many things, so that the window has its turn.

Laying out a page asks Python for hundreds of texts; against a thread that always computes it waits for Python's lock each time.
"""

import threading
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
ITEMS_BETWEEN_YIELDS = 10  # asking for the time of every single one would cost as much as the items
WORK_S, REST_S = 0.0005, 0.001


def iterate_yielding_gil(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items, and rest twice as long as the work before each, but not in the main thread, which waits for nobody: it is the window's own."""
    if threading.current_thread() is threading.main_thread():
        yield from items
        return
    began = time.thread_time()
    for number, item in enumerate(items, 1):
        yield item
        if not number % ITEMS_BETWEEN_YIELDS and time.thread_time() - began > WORK_S:
            time.sleep(REST_S)
            began = time.thread_time()
