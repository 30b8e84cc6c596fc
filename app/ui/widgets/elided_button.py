"""A button whose name loses its middle where it has no room; Qt cuts off both ends."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter

from app.ui.plain_text import plain_tip

WIDEST, NARROWEST = 320, 96  # pixels


class ElidedButton(QPushButton):
    """A button as wide as its name, within reason.

    Args:
        whole: what the tooltip has, and what a screen reader says.
    """

    def __init__(self, text: str, whole: str) -> None:
        super().__init__(text)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(whole)
        self.setToolTip(plain_tip(whole))

    def sizeHint(self) -> QSize:
        """A very long name has to be shortened."""
        return super().sizeHint().boundedTo(QSize(WIDEST, super().sizeHint().height()))

    def minimumSizeHint(self) -> QSize:
        """The name gives way."""
        return self.sizeHint().boundedTo(QSize(NARROWEST, self.sizeHint().height()))

    def shown_text(self) -> str:
        """The name as far as there is room for it."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self).width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, room)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """As Qt paints it, with the shorter name."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = self.shown_text()
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        painter.end()
