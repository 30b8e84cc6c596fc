"""Buttons and fields with their names for screen readers and their tips."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QAbstractButton, QDialog, QLineEdit, QPushButton, QToolButton, QWidget

from app.common.language import localize

Control = TypeVar("Control", bound=QWidget)
AnyButton = TypeVar("AnyButton", bound=QAbstractButton)


def describe_control(control: Control, name: str, tip: str = "") -> Control:
    """Give a control its name for screen readers and its tip, and return it."""
    control.setAccessibleName(name)
    control.setToolTip(tip)
    return control


def create_button(
    text: str,
    tip: str,
    on_click: Callable[[], object] | None = None,
    *,
    name: str = "",
    style: str = "",
    is_checkable: bool = False,
) -> QPushButton:
    """Return a button that Enter does not press from elsewhere in its dialog.

    Args:
        name: for screen readers; by default the text.
        style: its name in the style sheet, such as "primary".
    """
    return _set_up_button(QPushButton(text, autoDefault=False), tip, on_click, name or text, style, is_checkable)


def create_tool_button(
    text: str,
    tip: str,
    on_click: Callable[[], object] | None = None,
    *,
    name: str = "",
    style: str = "framed",
    is_checkable: bool = False,
) -> QToolButton:
    """Return a button of a row of tools; see `create_button`."""
    button = QToolButton()
    button.setText(text)
    return _set_up_button(button, tip, on_click, name or text, style, is_checkable)


def create_close_button(dialog: QDialog) -> QPushButton:
    """Return the button that closes a dialog whose changes count at once."""
    return create_button(localize("閉じる", "Close"), localize("このウィンドウを閉じます。", "Closes this window."), dialog.accept)


def create_search_field(placeholder: str, tip: str) -> QLineEdit:
    """Return a field whose text filters what is shown."""
    field = describe_control(QLineEdit(), placeholder, tip)
    field.setPlaceholderText(placeholder)
    field.setClearButtonEnabled(True)
    return field


def _set_up_button(
    button: AnyButton, tip: str, on_click: Callable[[], object] | None, name: str, style: str, is_checkable: bool
) -> AnyButton:
    describe_control(button, name, tip)
    button.setObjectName(style)
    button.setCheckable(is_checkable)
    if on_click is not None:
        # Without the state of the button, which no caller wants.
        button.clicked.connect(lambda: on_click())
    return button
