"""The round button that plays a sound of a trial, so that it cannot be mistaken for a wide one that answers."""

from functools import partial
from typing import Literal

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QPushButton

from app.ui.theme.theme import ThemedWidget, draw_icon

ListenSize = Literal["listen", "listen_small"]  # names in the style sheet, which gives them their diameters
LISTEN_ICON_SIZES_PX: dict[ListenSize, int] = {"listen": 16, "listen_small": 10}


class ListenButton(ThemedWidget, QPushButton):
    """A round button with ▶ and a letter; filled, with bars for ▶, while its sound plays."""

    def __init__(self, letter: str, size: ListenSize) -> None:
        super().__init__(letter, autoDefault=False)
        self.setCheckable(True)
        self.setObjectName(size)
        self.setIconSize(QSize(LISTEN_ICON_SIZES_PX[size], LISTEN_ICON_SIZES_PX[size]))
        self._is_sounding = False
        # The colour of the icon is that of the letter, which the style sheet sets when the button is polished.
        self.toggled.connect(partial(self.draw_in_theme))
        self.draw_in_theme()

    @property
    def is_sounding(self) -> bool:
        """Return whether the button shows that its sound plays."""
        return self._is_sounding

    def show_sounding(self, *, is_sounding: bool) -> None:
        """Show whether the sound of this button plays now."""
        if is_sounding != self._is_sounding:
            self._is_sounding = is_sounding
            self.setProperty("sounding", is_sounding)
            self.style().polish(self)
            self.draw_in_theme()

    @Slot()
    def draw_in_theme(self, *_state: object) -> None:
        role = QPalette.ColorRole.HighlightedText if self._is_sounding else QPalette.ColorRole.Text
        self.setIcon(draw_icon("sounding" if self._is_sounding else "play", self.palette().color(role)))
