"""The label of the status line for the memory of the program."""

from __future__ import annotations

import psutil
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel

from app.common.language import localize
from app.ui.widgets.visibility_timer import VisibilityTimer

MEMORY_INTERVAL_MS = 2000


class MemoryLabel(QLabel):
    """Updates only while it is visible."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("muted")
        self.setToolTip(
            localize(
                "メモリーの使用量。未使用の声を解放するタイミングは、設定で変更できます。",
                "Memory in use. Settings can unload idle voices.",
            )
        )
        self.setAccessibleName(localize("メモリー", "Memory"))
        self._process = psutil.Process()
        VisibilityTimer(self, MEMORY_INTERVAL_MS, self.update_memory)

    @Slot()
    def update_memory(self) -> None:
        """Show the resident memory in MiB."""
        self.setText(f"{self._process.memory_info().rss / (1 << 20):,.0f} MiB")
