"""A progress bar that waits for its turn to be painted.

Library: Qt 6.11. Buys: one painting of the window where several bars move at once, instead of one a bar. Remove when
tests/ui/workarounds/test_deferred_progress_bar.py finds that QProgressBar waits by itself.
"""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar


class DeferredProgressBar(QProgressBar):
    """Qt's own paints itself within `setValue`, and with it everything in the window that waits to be painted: where several things of one
    moment each move it, the lines and the charts are painted as many times.
    """

    def setValue(self, value: int) -> None:
        """Shows a value with the next picture of the window."""
        if value != self.value():
            self.setUpdatesEnabled(False)
            super().setValue(value)
            self.setUpdatesEnabled(True)
