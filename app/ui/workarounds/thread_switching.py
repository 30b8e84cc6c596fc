"""Python's threads take turns sooner.

A thread that computes gives Python's lock away after 5 ms, however soon another one asks. Laying out a page of lines asks for hundreds of
texts, and waits for the lock each time: while a script of 30,000 lines was written in the background, the window stood still for 340 ms.

Library: CPython 3.11 to 3.14. Buys: 370 → 110 ms with `app.rests` alone, 40 ms with both (longest beat while a project of
30,000 lines is opened, two cores). Remove when tests/ui/projects/test_large_project.py passes without it.
"""

from __future__ import annotations

import sys

SWITCH_S = 0.0005


def switch_soon() -> None:
    """For the whole process."""
    sys.setswitchinterval(SWITCH_S)
