"""Runs Python's cyclic garbage collection in the window's thread only.

Otherwise it runs in whichever thread happens to allocate. Started in the synthesis thread it would delete widgets there, which Qt
forbids: that thread holds a lock of Qt and waits for Python's, the window's thread waits the other way round, and both are deadlocked.

Library: PySide6 6.11 with CPython 3.11 to 3.14. Buys: a window that does not freeze. Remove when
tests/ui/workarounds/test_gui_thread_gc.py finds that PySide6 deletes widgets in their own thread.
"""

import gc

from PySide6.QtCore import QObject, QTimerEvent

COLLECTION_INTERVAL_MS = 1000


class CollectionPause:
    """Delays the collection while very many lasting objects are created: a search through those of 30,000 lines takes 0.1 s.

    Attributes:
        pause_count: number of pauses that have begun and not ended.
    """

    pause_count = 0

    def begin_pause(self) -> None:
        """Begin a pause; `end_pause` must follow."""
        self.pause_count += 1

    def end_pause(self) -> None:
        """End a pause, and exclude all present objects from later collections."""
        self.pause_count -= 1
        gc.freeze()


COLLECTION_PAUSE = CollectionPause()


class GuiThreadCollector(QObject):
    """Replaces the automatic collection as long as this object lives."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        # Present objects stay for good: searching them now would delay the window, and without them every later search is short.
        gc.freeze()
        self.startTimer(COLLECTION_INTERVAL_MS)

    def timerEvent(self, _event: QTimerEvent) -> None:
        """Collect the oldest generation that is due by Python's own thresholds."""
        due = [count > limit for count, limit in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if any(due) and not COLLECTION_PAUSE.pause_count:
            gc.collect(max(generation for generation, is_due in enumerate(due) if is_due))
