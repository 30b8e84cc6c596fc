"""How much memory the program takes, looked at now and then."""

from __future__ import annotations

import psutil
from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLabel

from app.language import say

LOOK_EVERY_MS = 2000


class MemoryLabel(QLabel):
    """Looks only while it can be seen."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("muted")
        self.setToolTip(
            say(
                "使っているメモリー。声は設定で使わないときに片付けられます。",
                "Memory in use; in the settings, voices can make room when idle.",
            )
        )
        self.setAccessibleName(say("メモリー", "Memory"))
        self._process = psutil.Process()
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY_MS)
        self._timer.timeout.connect(self.look)

    def showEvent(self, event: QShowEvent) -> None:
        """Begins to look."""
        self.look()
        self._timer.start()
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Looks no more."""
        self._timer.stop()
        super().hideEvent(event)

    @Slot()
    def look(self) -> None:
        """Shows what is taken now."""
        self.setText(f"{self._process.memory_info().rss / (1 << 20):,.0f} MiB")
