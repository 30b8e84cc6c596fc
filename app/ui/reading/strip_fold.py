"""Whether the strip under the selected line is open: by its header, by a key or the menu, remembered, and at first as it suits the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from app.ui.reading.strip.panel import StripPanel
from app.ui.settings.store import SettingsStore

LOW_WINDOW = 760  # pixels below which a window has no room for the strip and enough lines


class StripFold(QObject):
    """Keeps header, action and settings in step.

    Signals:
        folded(): the user has opened or folded it, so the list around the selected line is lower or higher.
    """

    folded = Signal()

    def __init__(self, panel: StripPanel, action: QAction, settings: SettingsStore) -> None:
        super().__init__(panel)
        self._panel, self._settings = panel, settings
        self._fitting = False
        action.setChecked(panel.is_open)
        action.toggled.connect(panel.set_open)
        panel.toggled.connect(action.setChecked)
        panel.toggled.connect(self._on_toggled)

    def fit(self, height: int) -> None:
        """Opens or folds the strip as the user did last; before that as it suits a window of this height."""
        kept = self._settings.value.strip
        self._fitting = True  # what the program chose is nobody's choice
        self._panel.set_open(kept == "open" or (kept == "auto" and height >= LOW_WINDOW))
        self._fitting = False

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        if not self._fitting:
            self._settings.change(strip="open" if is_open else "folded")
            self.folded.emit()
