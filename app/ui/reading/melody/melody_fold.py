"""Opens and closes the melody lane: by its button, by a key or the menu."""

from __future__ import annotations

from PySide6.QtGui import QAction

from app.ui.reading.melody.melody_commands import MelodyBar
from app.ui.settings.remembered_fold import RememberedFold
from app.ui.settings.settings_store import SettingsStore

MELODY_LOW_WINDOW_PX = 900  # pixels below which a window has no room for the lane, the strip and enough lines


class MelodyFold(RememberedFold):
    """Keeps button, action and settings in step."""

    def __init__(self, bar: MelodyBar, action: QAction, settings: SettingsStore) -> None:
        action.toggled.connect(bar.set_open)
        bar.toggled.connect(action.setChecked)
        super().__init__(bar, bar, settings, "melody", MELODY_LOW_WINDOW_PX)
