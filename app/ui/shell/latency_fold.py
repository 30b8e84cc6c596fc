"""Whether the latency dock is open: by its header."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QMainWindow

from app.ui.latency.dock import LatencyDock
from app.ui.settings.fold import RememberedFold
from app.ui.settings.store import SettingsStore
from app.ui.shell.layout import give_share

LOW_WINDOW = 780  # pixels below which the lines need the room, above all under a message


class LatencyFold(RememberedFold):
    """Keeps dock and settings in step; a dock that the user opens gets its share of the window."""

    def __init__(self, window: QMainWindow, dock: LatencyDock, settings: SettingsStore) -> None:
        super().__init__(dock, dock, settings, "latency", LOW_WINDOW)
        self._window, self._dock = window, dock
        self.folded.connect(self._share)

    @Slot(bool)
    def _share(self, is_open: bool) -> None:
        if is_open:
            give_share(self._window, self._dock)
