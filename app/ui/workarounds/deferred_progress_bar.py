"""A progress bar whose repaint waits for the window's next one.

Library: Qt 6.11. Buys: one repaint of the window where several bars move at once, instead of one for each bar. Remove when
tests/ui/workarounds/test_deferred_progress_bar.py finds that QProgressBar waits by itself.
"""

from PySide6.QtWidgets import QProgressBar


class DeferredProgressBar(QProgressBar):
    """A thin progress bar that does not repaint within `setValue`; its name is for screen readers."""

    def __init__(self, name: str = "", maximum: int = 100) -> None:
        super().__init__(maximum=maximum, textVisible=False)
        self.setObjectName("played")
        self.setFixedHeight(4)
        self.setAccessibleName(name)

    def setValue(self, value: int) -> None:
        """Set the value; it appears with the next repaint of the window."""
        if value != self.value():
            # Qt repaints a bar within `setValue`, and with it all other pending regions of the window: where several bars move at once,
            # lines and charts would be painted as many times.
            self.setUpdatesEnabled(False)
            super().setValue(value)
            self.setUpdatesEnabled(True)
