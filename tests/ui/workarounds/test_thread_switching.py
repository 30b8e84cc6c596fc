"""Whether a thread that computes still holds Python's lock for milliseconds when another one asks."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator

import pytest

from app.ui.workarounds.thread_switching import SWITCH_INTERVAL_S, shorten_switch_interval


@pytest.fixture
def _usual_interval() -> Iterator[None]:
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


def turns(seconds: float) -> int:
    """How often this thread gets the lock back while another one computes."""
    over = threading.Event()

    def compute() -> None:
        while not over.is_set():
            sum(range(100))

    thread = threading.Thread(target=compute)
    thread.start()
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0)
        count += 1
    over.set()
    thread.join()
    return count


@pytest.mark.alone
@pytest.mark.usefixtures("_usual_interval")
def test_the_lock_comes_back_sooner() -> None:
    """Where this fails without a difference, Python hands its lock over by itself: the workaround is no longer needed."""
    sys.setswitchinterval(0.005)
    usual = turns(0.5)
    shorten_switch_interval()
    assert sys.getswitchinterval() == pytest.approx(SWITCH_INTERVAL_S)
    assert turns(0.5) > 2 * usual
