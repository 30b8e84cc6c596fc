"""A button that opens and folds the section below it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QToolButton

from app.ui.theme.theme import is_theme_change_event
from app.ui.theme.themed_icons import draw_icon


class FoldButton(QToolButton):
    """A button that is checked while its section is open, as its arrow shows."""

    def __init__(self, text: str, tip: str) -> None:
        super().__init__()
        self.setObjectName("fold")
        self.setText(text)
        self.setAccessibleName(text)
        self.setToolTip(tip)
        self.setCheckable(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.toggled.connect(self._draw_arrow)
        self._draw_arrow()

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the arrow for another theme."""
        if is_theme_change_event(self, event):
            self._draw_arrow()
        super().changeEvent(event)

    @Slot()
    def _draw_arrow(self) -> None:
        self.setIcon(draw_icon("open" if self.isChecked() else "closed", self.palette().color(QPalette.ColorRole.WindowText)))
