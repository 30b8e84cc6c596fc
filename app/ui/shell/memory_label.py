"""How much memory the program takes, looked at now and then."""

from __future__ import annotations

import psutil
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel

from app.language import localized
from app.ui.widgets.shown_timer import ShownTimer

LOOK_EVERY_MS = 2000


class MemoryLabel(QLabel):
    """Looks only while it can be seen."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("muted")
        self.setToolTip(
            localized(
                "メモリーの使用量。未使用の声を解放するタイミングは、設定で変更できます。",
                "Memory in use. Settings can unload idle voices.",
            )
        )
        self.setAccessibleName(localized("メモリー", "Memory"))
        self._process = psutil.Process()
        ShownTimer(self, LOOK_EVERY_MS, self.look)

    @Slot()
    def look(self) -> None:
        """Shows what is taken now."""
        self.setText(f"{self._process.memory_info().rss / (1 << 20):,.0f} MiB")
