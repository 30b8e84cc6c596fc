"""The button that opens and folds what lies below it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QToolButton

from app.ui.theme.icons import icon
from app.ui.theme.theme import is_theme_change


class FoldButton(QToolButton):
    """Checked while the part is open, which its arrow shows."""

    def __init__(self, text: str, tip: str) -> None:
        super().__init__()
        self.setObjectName("fold")
        self.setText(text)
        self.setAccessibleName(text)
        self.setToolTip(tip)
        self.setCheckable(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.toggled.connect(self._draw)
        self._draw()

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the arrow for another theme."""
        if is_theme_change(self, event):
            self._draw()
        super().changeEvent(event)

    @Slot()
    def _draw(self) -> None:
        self.setIcon(icon("open" if self.isChecked() else "closed", self.palette().color(QPalette.ColorRole.WindowText)))
