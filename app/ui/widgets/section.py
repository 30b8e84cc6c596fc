"""A group of controls that folds away."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from app.ui.theme.icons import icon
from app.ui.theme.theme import is_theme_change


class Section(QWidget):
    """A header to click, and under it whatever is added to `content`.

    Signals:
        toggled(bool): open or not.
    """

    toggled = Signal(bool)

    def __init__(self, title: str, tip: str) -> None:
        super().__init__()
        self.header = QToolButton()
        self.header.setObjectName("fold")
        self.header.setText(title)
        self.header.setToolTip(tip)
        self.header.setAccessibleName(title)
        self.header.setCheckable(True)
        self.header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.header.toggled.connect(self._show_content)
        self._body = QWidget()
        self._body.hide()
        self.content = QVBoxLayout(self._body)
        self.content.setContentsMargins(0, 2, 0, 0)
        self.content.setSpacing(4)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self._body)
        self._show_arrow()

    @property
    def is_open(self) -> bool:
        """True while the content is shown."""
        return self.header.isChecked()

    def set_open(self, is_open: bool) -> None:
        """Shows or hides the content."""
        self.header.setChecked(is_open)

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the arrow for another theme."""
        if is_theme_change(self, event):
            self._show_arrow()
        super().changeEvent(event)

    @Slot(bool)
    def _show_content(self, is_open: bool) -> None:
        self._body.setVisible(is_open)
        self._show_arrow()
        self.toggled.emit(is_open)

    def _show_arrow(self) -> None:
        self.header.setIcon(icon("open" if self.is_open else "closed", self.palette().color(QPalette.ColorRole.WindowText)))
