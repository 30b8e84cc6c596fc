"""Creates the labels, buttons, rows and columns that dialogs are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from PySide6.QtWidgets import QAbstractButton, QBoxLayout, QDialog, QDialogButtonBox, QLayout, QPushButton, QWidget

from app.common.language import localize
from app.ui.plain_text import PlainLabel

Widget = TypeVar("Widget", bound=QWidget)
Button = TypeVar("Button", bound=QAbstractButton)
Box = TypeVar("Box", bound=QBoxLayout)
BoxPart = QWidget | QLayout
LabelRole = Literal["", "muted", "heading", "error"]


def fill_box(
    box: Box, *parts: BoxPart | tuple[BoxPart, int] | None, spacing: int | None = None, margins: tuple[int, int, int, int] | None = None
) -> Box:
    """Add widgets and layouts to a row or a column, with a stretch factor as the second of a pair; None is a stretching space.

    Args:
        spacing, margins: pixels; None keeps those of the style.
    """
    if spacing is not None:
        box.setSpacing(spacing)
    if margins is not None:
        box.setContentsMargins(*margins)
    for item in parts:
        content, stretch = item if isinstance(item, tuple) else (item, 0)
        if content is None:
            box.addStretch(1)
        elif isinstance(content, QWidget):
            box.addWidget(content, stretch)
        else:
            box.addLayout(content, stretch)
    return box


def create_label(text: str = "", role: LabelRole = "", *, wraps: bool = False) -> PlainLabel:
    """Return a label of plain text; the style sheet knows its role."""
    label = PlainLabel(text)
    label.setWordWrap(wraps)
    label.setObjectName(role)
    return label


def describe_widget(widget: Widget, name: str, tip: str = "") -> Widget:
    """Return a widget after giving it its name for screen readers and its tool tip."""
    widget.setAccessibleName(name)
    widget.setToolTip(tip)
    return widget


def set_up_button(button: Button, tip: str, on_click: Callable[[], object] | None = None, *, name: str = "", role: str = "") -> Button:
    """Return a button after giving it its tool tip and what a click does.

    Args:
        name: for screen readers, where its text says too little.
        role: by which the style sheet knows it.
    """
    button.setToolTip(tip)
    if name:
        button.setAccessibleName(name)
    if role:
        button.setObjectName(role)
    if on_click is not None:
        button.clicked.connect(lambda: on_click())
    return button


def create_button(text: str, tip: str, on_click: Callable[[], object] | None = None, *, name: str = "", role: str = "") -> QPushButton:
    """Return a button with a text."""
    return set_up_button(QPushButton(text), tip, on_click, name=name, role=role)


def create_close_box(dialog: QDialog, tip: str = "") -> QDialogButtonBox:
    """Return the row of buttons of a dialog that only closes."""
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    box.button(QDialogButtonBox.StandardButton.Close).setToolTip(tip or localize("閉じる", "Close"))
    box.rejected.connect(dialog.reject)
    return box
