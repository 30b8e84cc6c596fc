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


class GarbageCollection(QObject):
    """Replaces the automatic collection as long as it lives."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        gc.collect()
        gc.freeze()  # what is there by now stays; leaving it out keeps every later search short
        self.startTimer(INTERVAL_MS)

    def timerEvent(self, _event: QTimerEvent) -> None:
        """Collects the oldest generation that is due, by Python's own thresholds."""
        due = [count > limit for count, limit in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if any(due):
            gc.collect(max(generation for generation, is_due in enumerate(due) if is_due))
