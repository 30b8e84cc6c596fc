"""A progress bar that waits for its turn to be painted."""

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
