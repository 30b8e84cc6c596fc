"""A combo box that elides its chosen text, as under a style sheet Qt cuts it off; and controls that leave the wheel to their panel."""

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPaintEvent, QPalette
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

WIDEST_LIST, MOST_SHOWN = 480, 16  # pixels of width, and entries without scrolling
CHOICE_TEXT_PADDING_PX = 12  # pixels around the text that the style sheet keeps free


class ChoiceBox(QComboBox):
    """A combo box that shows its placeholder while nothing is chosen."""

    def __init__(self) -> None:
        super().__init__()
        # A click must leave the focus where it was, so that Space still plays the line.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMaxVisibleItems(MOST_SHOWN)

    def showPopup(self) -> None:
        """Open the list as wide as its entries need."""
        view = self.view()
        view.setTextElideMode(Qt.TextElideMode.ElideRight)
        needed = view.sizeHintForColumn(0) + 2 * CHOICE_TEXT_PADDING_PX + view.verticalScrollBar().sizeHint().width()
        view.setMinimumWidth(max(self.width(), min(WIDEST_LIST, needed)))
        super().showPopup()
        # Qt hides the scroll bar of the list, and nothing would show that there are more entries.
        view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the frame, the icon and the elided text."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        if self.currentIndex() < 0:
            option.palette.setBrush(QPalette.ColorRole.ButtonText, option.palette.placeholderText())
            option.currentText = self.placeholderText()
        field = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self)
        picture = 0 if option.currentIcon.isNull() else self.iconSize().width() + 4
        room = field.width() - picture - CHOICE_TEXT_PADDING_PX
        option.currentText = self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, room)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()


class WheelFocusFilter(QObject):
    """Filters wheel events of controls without focus, which scroll the panel behind them."""

    def watch_controls(self, controls: Iterable[QWidget]) -> None:
        """Watch controls, and stop them from taking the focus by the wheel."""
        for control in controls:
            control.installEventFilter(self)
            if control.focusPolicy() == Qt.FocusPolicy.WheelFocus:
                control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Reject a wheel event for a control without focus."""
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            # Qt passes an event that was ignored on to the parent.
            event.ignore()
            return True
        return super().eventFilter(watched, event)
