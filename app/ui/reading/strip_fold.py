"""Opens and closes the strip under the selected line: by its header, by a key or the menu."""

from __future__ import annotations

from PySide6.QtGui import QAction

from app.ui.reading.strip_panel import StripPanel
from app.ui.settings.remembered_fold import RememberedFold
from app.ui.settings.settings_store import SettingsStore

STRIP_LOW_WINDOW_PX = 760  # pixels below which a window has no room for the strip and enough lines


class StripFold(RememberedFold):
    """Keeps header, action and settings in step."""

    def __init__(self, panel: StripPanel, action: QAction, settings: SettingsStore) -> None:
        action.setChecked(panel.is_open)
        action.toggled.connect(panel.set_open)
        panel.toggled.connect(action.setChecked)
        super().__init__(panel, panel, settings, "strip", STRIP_LOW_WINDOW_PX)
