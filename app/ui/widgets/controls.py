"""Labels, buttons, fields, lists and tables with their names and tips, and the rows and columns that hold them.

Qt renders any text that looks like HTML: it would load images from disk, or let a name look like one of our warnings. `PlainLabel` and
`escape_tip` show untrusted text as it is.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from PySide6.QtCore import QAbstractTableModel, QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QCursor, QFont, QFontMetrics, QPainter, QPaintEvent, QPalette, QWheelEvent
from PySide6.QtGui import Qt as Gui
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QBoxLayout,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QLabel,
    QLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStylePainter,
    QTableView,
    QToolButton,
    QWidget,
)

from app.common.language import localize

WORD_JOINER = "\u2060"
LAST_LETTERS = 4  # of a Japanese paragraph, which stay on one line


def join_last_letters(text: str) -> str:
    """Return a text that is not broken within the last letters of a Japanese paragraph; Qt breaks between any two, and leaves one alone."""
    lines = (line[:-LAST_LETTERS] + WORD_JOINER.join(line[-LAST_LETTERS:]) for line in text.split("\n"))
    return "\n".join(joined if is_japanese(line[-LAST_LETTERS:]) else line for line, joined in zip(text.split("\n"), lines, strict=True))


def is_japanese(text: str) -> bool:
    """Return True if a text is of letters between which lines are broken: those of Chinese and Japanese."""
    return bool(text) and min(text) >= "\u3000"


class PlainLabel(QLabel):
    """A label that never interprets its text as HTML.

    Args:
        style: its name in the style sheet, such as "muted".
        wraps: its words take further lines where the width is not enough.
    """

    def __init__(self, text: str = "", style: str = "", *, wraps: bool = False) -> None:
        super().__init__(textFormat=Qt.TextFormat.PlainText, wordWrap=wraps)
        self.setObjectName(style)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show a text; where it wraps, no letter is alone in its last line."""
        super().setText(join_last_letters(text) if self.wordWrap() else text)

    def text(self) -> str:
        """Return the text as it was set."""
        return super().text().replace(WORD_JOINER, "")

    def change_style(self, style: str) -> None:
        """Take another name in the style sheet."""
        if style == self.objectName():
            return
        self.setObjectName(style)
        self.style().polish(self)
        # Qt keeps the padding of the old style until then, and the icon of an error would be drawn under the first letters.
        QApplication.sendEvent(self, QEvent(QEvent.Type.StyleChange))


def truncate_text(text: str, max_length: int) -> str:
    """Return a text of at most `max_length` letters, the last of them "…" where some are missing."""
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


def escape_mnemonic(text: str) -> str:
    """Return a text for a menu or a button, in which Qt would take a single & for the mark of a key and hide it."""
    return text.replace("&", "&&")


def escape_tip(text: str) -> str:
    """Return untrusted text in a form that `setToolTip` and `QToolTip.showText` show as it is."""
    return f"<p style='white-space: pre-wrap'>{_escape_html(text)}</p>" if Gui.mightBeRichText(text) else text


def wrap_tip(text: str) -> str:
    """Return untrusted text for a tool tip with line breaks."""
    # Qt wraps a long tool tip only if it is HTML.
    return f"<p>{_escape_html(text)}</p>" if text else ""


def _escape_html(text: str) -> str:
    # `html` also imports a table of all entities, which the start of the window does without.
    from html import escape

    return escape(text)


Box = TypeVar("Box", bound=QBoxLayout)
BoxPart = QWidget | QLayout | int | None | tuple[QWidget, int | Qt.AlignmentFlag] | tuple[QLayout, int]
"""A widget or layout, alone or with its stretch or its place; a number of pixels; None for room that stretches."""
DIALOG_MARGINS = (18, 16, 18, 14)  # pixels around the content of a dialog: left, top, right, bottom


def fill_box(box: Box, *parts: BoxPart, spacing: int | None = None, margins: tuple[int, int, int, int] | None = (0, 0, 0, 0)) -> Box:
    """Add the parts to a row or column and return it; a spacing or margins of None leave those that it has."""
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        if part is None:
            box.addStretch(1)
        elif isinstance(part, int):
            box.addSpacing(part)
        else:
            content, place = part if isinstance(part, tuple) else (part, 0)
            # Qt's flags are numbers, too.
            if isinstance(content, QLayout):
                box.addLayout(content, place)
            elif isinstance(place, Qt.AlignmentFlag):
                box.addWidget(content, 0, place)
            else:
                box.addWidget(content, place)
    return box


Control = TypeVar("Control", bound=QWidget)
AnyButton = TypeVar("AnyButton", bound=QAbstractButton)


def describe_control(control: Control, name: str, tip: str = "") -> Control:
    """Give a control its name for screen readers and its tip, and return it."""
    control.setAccessibleName(name)
    control.setToolTip(tip)
    return control


def set_up_button(
    button: AnyButton, tip: str, on_click: Callable[[], object] | None = None, *, name: str = "", style: str = ""
) -> AnyButton:
    """Give a button its tip, what a click does and, unless they are empty, a name and a style; return it."""
    button.setToolTip(tip)
    if name:
        button.setAccessibleName(name)
    if style:
        button.setObjectName(style)
    if on_click is not None:
        # Without the state of the button, which no caller wants.
        button.clicked.connect(lambda: on_click())
    return button


def create_button(
    text: str, tip: str, on_click: Callable[[], object] | None = None, *, name: str = "", style: str = "", is_checkable: bool = False
) -> QPushButton:
    """Return a button that Enter does not press from elsewhere in its dialog.

    Args:
        name: for screen readers; by default the text.
        style: its name in the style sheet, such as "primary".
    """
    button = QPushButton(text, autoDefault=False)
    button.setCheckable(is_checkable)
    return set_up_button(button, tip, on_click, name=name or text, style=style)


def create_tool_button(
    text: str, tip: str, on_click: Callable[[], object] | None = None, *, name: str = "", style: str = "framed", is_checkable: bool = False
) -> QToolButton:
    """Return a button of a row of tools; see `create_button`."""
    button = QToolButton()
    button.setText(text)
    button.setCheckable(is_checkable)
    return set_up_button(button, tip, on_click, name=name or text, style=style)


def clear_hover_after(menu: QMenu, button: QAbstractButton) -> None:
    """Let a button forget the mouse when its menu closes."""

    def reset_hover() -> None:
        # Qt misses the mouse leaving the button while its menu is open, and would keep the button grey.
        button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, button.rect().contains(button.mapFromGlobal(QCursor.pos())))
        button.update()

    menu.aboutToHide.connect(reset_hover)


def create_close_button(dialog: QDialog) -> QPushButton:
    """Return the button that closes a dialog whose changes count at once."""
    return create_button(localize("閉じる", "Close"), localize("このウィンドウを閉じます。", "Closes this window."), dialog.accept)


def create_close_box(dialog: QDialog, tip: str = "") -> QDialogButtonBox:
    """Return the row of buttons of a dialog that only closes."""
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    box.button(QDialogButtonBox.StandardButton.Close).setToolTip(tip or localize("閉じる", "Close"))
    box.rejected.connect(dialog.reject)
    return box


def create_search_field(placeholder: str, tip: str) -> QLineEdit:
    """Return a field whose text filters what is shown."""
    field = describe_control(QLineEdit(), placeholder, tip)
    field.setPlaceholderText(placeholder)
    field.setClearButtonEnabled(True)
    return field


WIDEST_BUTTON, NARROWEST_BUTTON = 320, 96  # pixels of width: the widest hint and the narrowest


class ElidedLabel(PlainLabel):
    """A label that takes the available width and elides its text, which Qt cuts off; its tool tip has the whole text."""

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
        """Return the size of the text, at most 320 px wide; of a button that can be checked, as wide as its text in bold."""
        hint = super().sizeHint()
        if self.isCheckable():
            bold = QFont(self.font())
            # The style sheet shows a checked button so, and Qt measures it unchecked.
            bold.setBold(True)
            width = QFontMetrics(bold).horizontalAdvance(self.text()) - self.fontMetrics().horizontalAdvance(self.text())
            hint.setWidth(hint.width() + width)
        return hint.boundedTo(QSize(WIDEST_BUTTON, hint.height()))

    def minimumSizeHint(self) -> QSize:
        """Return a width of at most 96 px, as the text can be elided."""
        return self.sizeHint().boundedTo(QSize(NARROWEST_BUTTON, self.sizeHint().height()))

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


class WheelGuard:
    """The base, before Qt's class, of a control that only takes the wheel while it has the focus; else the page behind it scrolls."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        control = cast(QWidget, self)
        if control.focusPolicy() == Qt.FocusPolicy.WheelFocus:
            # Else Qt would give it the focus before the event.
            control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave an event to the parent, unless the control has the focus."""
        if cast(QWidget, self).hasFocus():
            self.move_by_wheel(event)
        else:
            event.ignore()

    def move_by_wheel(self, event: QWheelEvent) -> None:
        """Change the value as Qt's control does."""
        super().wheelEvent(event)  # type: ignore[misc]


class GuardedComboBox(WheelGuard, QComboBox): ...


class GuardedSpinBox(WheelGuard, QSpinBox): ...


class GuardedDoubleSpinBox(WheelGuard, QDoubleSpinBox): ...


WIDEST_LIST, MOST_SHOWN = 480, 16  # pixels of width, and entries without scrolling
CHOICE_TEXT_PADDING_PX = 12  # pixels around the text that the style sheet keeps free


class ChoiceBox(GuardedComboBox):
    """A combo box that shows its placeholder while nothing is chosen, and elides its chosen text, which Qt cuts off under a style sheet."""

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


Index = QModelIndex | QPersistentModelIndex
ROOT_INDEX = QModelIndex()
SELECT_AS_CURRENT = QItemSelectionModel.SelectionFlag.ClearAndSelect


class RowTableModel(QAbstractTableModel):
    """A model with a row for each of `rows`, and a column for each of `columns`."""

    rows: Sequence[Any] = ()
    columns: Sequence[Any] = ()

    def rowCount(self, parent: Index = ROOT_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = ROOT_INDEX) -> int:
        return 0 if parent.isValid() else len(self.columns)


def select_single_row(table: QTableView, index: QModelIndex) -> None:
    """Make a cell the current one, and select its row alone.

    Qt's own `selectRow` and `setCurrentIndex` look at the keys held down just now: after a shortcut with Ctrl they take a row that is selected out.
    """
    table.selectionModel().setCurrentIndex(index, SELECT_AS_CURRENT | QItemSelectionModel.SelectionFlag.Rows)


def set_up_row_table(table: QTableView, row_margins: int) -> None:
    """Set up a table without grid, row headers, wrapped words and a horizontal scroll bar; `row_margins` add to the height of the text."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + row_margins)
