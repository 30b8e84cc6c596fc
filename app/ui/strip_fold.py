"""Whether the strip under the selected line is open: by its header, by a key or the menu, remembered, and at first as it suits the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from app.settings import StripChoice
from app.ui.widgets.strip.panel import StripPanel

if TYPE_CHECKING:
    from app.ui.window import MainWindow

LOW_WINDOW = 760  # pixels below which a window has no room for the strip and enough lines


class StripFold(QObject):
    """Keeps header, action and settings in step.

    Attributes:
        choice: what the user wants; "auto" until then.
    """

    def __init__(self, window: MainWindow, panel: StripPanel) -> None:
        super().__init__(window)
        self.choice: StripChoice = window.settings.strip
        self._panel, self._script, self._keeper = panel, window.script, window.keeper
        action = window.deeds["show_strip"]
        action.setChecked(panel.is_open)
        action.toggled.connect(panel.set_open)
        panel.toggled.connect(action.setChecked)
        panel.toggled.connect(self._on_toggled)

    def fit(self, height: int) -> None:
        """Opens or folds the strip as the user did last; before that as it suits a window of this height."""
        kept = self.choice
        self._panel.set_open(kept == "open" or (kept == "auto" and height >= LOW_WINDOW))
        self.choice = kept  # what the program chose is nobody's choice

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        self.choice = "open" if is_open else "folded"
        self._keeper.changed()
        QTimer.singleShot(0, self._show_current)

    @Slot()
    def _show_current(self) -> None:
        """The list has become lower or higher around the selected line."""
        self._script.show_line(self._script.current_id)
