"""Whether a thread that computes still holds Python's lock for milliseconds when another one asks."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator

import pytest

from app.ui.workarounds.thread_switching import SWITCH_INTERVAL_S, shorten_switch_interval

ROUNDS = 6


@pytest.fixture
def _usual_interval() -> Iterator[None]:
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


def compute_meanwhile(turns: int) -> int:
    """Count what another thread computes before this one has had the lock back so many times."""
    over, sums = threading.Event(), [0]

    def compute() -> None:
        while not over.is_set():
            sum(range(100))
            sums[0] += 1

    thread = threading.Thread(target=compute)
    thread.start()
    for _ in range(turns):
        time.sleep(0)
    over.set()
    thread.join()
    return sums[0]


@pytest.mark.usefixtures("_usual_interval")
def test_the_lock_comes_back_sooner() -> None:
    """Where this fails without a difference, Python hands its lock over by itself: the workaround is no longer needed.

    A system that is busy lets either thread wait, so the best of several rounds counts.
    """
    sys.setswitchinterval(0.005)
    usual = max(compute_meanwhile(12) for _ in range(ROUNDS))
    shorten_switch_interval()
    assert sys.getswitchinterval() == pytest.approx(SWITCH_INTERVAL_S)
    assert 2 * min(compute_meanwhile(12) for _ in range(ROUNDS)) < usual
