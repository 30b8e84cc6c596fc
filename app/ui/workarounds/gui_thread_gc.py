"""Python's search for unreachable cycles, in the window's thread only.

It otherwise runs in whichever thread happens to allocate. Started in the synthesis thread it would delete widgets there, which Qt
forbids: it holds a lock of Qt while it waits for Python's, the window's thread waits the other way round, and all stands still.

Library: PySide6 6.11 with CPython 3.11 to 3.14. Buys: a window that does not freeze. Remove when
tests/ui/workarounds/test_gui_thread_gc.py finds that PySide6 deletes widgets in their own thread.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimerEvent

INTERVAL_MS = 1000


class Pause:
    """Puts the search off while very many objects are made that will stay: looking at those of 30,000 lines takes 0.1 s.

    Attributes:
        held: how many have asked for it.
    """

    held = 0

    def begin(self) -> None:
        """To be followed by `end`."""
        self.held += 1

    def end(self) -> None:
        """What is there by now is left out of every later search."""
        self.held -= 1
        gc.freeze()


PAUSE = Pause()


class GarbageCollection(QObject):
    """Replaces the automatic collection as long as it lives."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        gc.freeze()  # what is there by now stays; searching it now would delay the window, leaving it out keeps every later search short
        self.startTimer(INTERVAL_MS)

    def timerEvent(self, _event: QTimerEvent) -> None:
        """Collects the oldest generation that is due, by Python's own thresholds."""
        due = [count > limit for count, limit in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if any(due) and not PAUSE.held:
            gc.collect(max(generation for generation, is_due in enumerate(due) if is_due))
