"""A one-line label that elides its text; Qt cuts the text off."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.ui.plain_text import PlainLabel, escape_tip


class ElidedLabel(PlainLabel):
    """A label that takes the available width; its tool tip has the whole text.

    Args:
        text: plain text in one line.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(1)
        self.setToolTip(escape_tip(text))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the text with its middle elided."""
        painter = QPainter(self)
        # Beginning and end are kept, as addresses often differ at their end.
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, self.contentsRect().width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()
