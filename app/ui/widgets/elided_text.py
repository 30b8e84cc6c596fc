"""A label and a button that elide their text; Qt cuts it off."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter

from app.ui.plain_text import PlainLabel, escape_tip

WIDEST, NARROWEST = 320, 96  # pixels of width: the widest hint and the narrowest


class ElidedLabel(PlainLabel):
    """A label that takes the available width; its tool tip has the whole text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(1)
        self.setToolTip(escape_tip(text))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the text with its middle elided."""
        painter = QPainter(self)
        # Beginning and end are kept, as addresses often differ at their end.
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, self.contentsRect().width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()


class ElidedButton(QPushButton):
    """A button as wide as its text, up to 320 px."""

    def __init__(self, text: str, full_text: str) -> None:
        super().__init__(text)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(full_text)
        self.setToolTip(escape_tip(full_text))

    def sizeHint(self) -> QSize:
        """Return the size of the text, at most 320 px wide."""
        return super().sizeHint().boundedTo(QSize(WIDEST, super().sizeHint().height()))

    def minimumSizeHint(self) -> QSize:
        """Return a width of at most 96 px, as the text can be elided."""
        return self.sizeHint().boundedTo(QSize(NARROWEST, self.sizeHint().height()))

    def shorten_text(self) -> str:
        """Return the text, elided to the width of the button."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self).width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, room)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the button as Qt does, with the elided text."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = self.shorten_text()
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        painter.end()
