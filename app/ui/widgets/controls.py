"""Buttons and fields with their names for screen readers and their tips."""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QAbstractButton, QDialog, QDialogButtonBox, QLineEdit, QMenu, QPushButton, QToolButton, QWidget

from app.common.language import localize

Control = TypeVar("Control", bound=QWidget)
AnyButton = TypeVar("AnyButton", bound=QAbstractButton)


def describe_control(control: Control, name: str, tip: str = "") -> Control:
    """Give a control its name for screen readers and its tip, and return it."""
    control.setAccessibleName(name)
    control.setToolTip(tip)
    return control


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


def create_search_field(placeholder: str, tip: str) -> QLineEdit:
    """Return a field whose text filters what is shown."""
    field = describe_control(QLineEdit(), placeholder, tip)
    field.setPlaceholderText(placeholder)
    field.setClearButtonEnabled(True)
    return field


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


def create_close_box(dialog: QDialog, tip: str = "") -> QDialogButtonBox:
    """Return the row of buttons of a dialog that only closes."""
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    box.button(QDialogButtonBox.StandardButton.Close).setToolTip(tip or localize("閉じる", "Close"))
    box.rejected.connect(dialog.reject)
    return box
