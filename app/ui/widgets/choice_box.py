"""A list to choose from whose chosen name ends in dots where it has no room; Qt cuts it off under a style sheet."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent, QPalette
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter

WIDEST_LIST, MOST_SHOWN = 480, 16  # pixels; names without scrolling
PADDING = 12  # pixels beside the name that the style sheet keeps free


class ChoiceBox(QComboBox):
    """Shows its placeholder, as Qt does, while nothing is chosen. A click leaves the focus where it was, so that Space still plays."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMaxVisibleItems(MOST_SHOWN)

    def showPopup(self) -> None:
        """The list is as wide as its names need."""
        view = self.view()
        view.setTextElideMode(Qt.TextElideMode.ElideRight)
        needed = view.sizeHintForColumn(0) + 2 * PADDING + view.verticalScrollBar().sizeHint().width()
        view.setMinimumWidth(max(self.width(), min(WIDEST_LIST, needed)))
        super().showPopup()
        view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)  # Qt hides it, and nothing says that there is more

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Frame, picture and name."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        if self.currentIndex() < 0:
            option.palette.setBrush(QPalette.ColorRole.ButtonText, option.palette.placeholderText())
            option.currentText = self.placeholderText()
        field = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self)
        picture = 0 if option.currentIcon.isNull() else self.iconSize().width() + 4
        room = field.width() - picture - PADDING
        option.currentText = self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, room)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()
