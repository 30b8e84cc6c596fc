"""Shortens the interval at which Python's threads take turns.

A thread that computes holds Python's lock for 5 ms, however soon another one requests it. Laying out a page of lines needs hundreds of
texts, and waits for the lock each time: while a script of 30,000 lines was written in the background, the window froze for 340 ms.

Library: CPython 3.11 to 3.14. Buys: 370 → 110 ms with `app.common.gil_yield` alone, 40 ms with both (longest pause while a project of
30,000 lines is opened, two cores). Remove when tests/ui/projects/test_large_project.py passes without it.
"""

from __future__ import annotations

import sys

SWITCH_INTERVAL_S = 0.0005


def shorten_switch_interval() -> None:
    """Set the interval for the whole process."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
