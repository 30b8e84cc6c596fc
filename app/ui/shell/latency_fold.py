"""Opens and closes the latency dock by its header."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QMainWindow

from app.ui.latency.latency_dock import LatencyDock
from app.ui.settings.remembered_fold import RememberedFold
from app.ui.settings.settings_store import SettingsStore
from app.ui.shell.window_layout import resize_dock

# Window height in pixels below which the lines need the room, above all under a banner.
LOW_WINDOW_HEIGHT = 780


class LatencyFold(RememberedFold):
    """Keeps dock and settings in step, and resizes a dock that the user opens."""

    def __init__(self, window: QMainWindow, dock: LatencyDock, settings: SettingsStore) -> None:
        super().__init__(dock, dock, settings, "latency", LOW_WINDOW_HEIGHT)
        self._window, self._dock = window, dock
        self.folded.connect(self._apply_dock_share)

    @Slot(bool)
    def _apply_dock_share(self, is_open: bool) -> None:
        if is_open:
            resize_dock(self._window, self._dock)
