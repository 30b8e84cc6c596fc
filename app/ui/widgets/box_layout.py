"""Rows and columns, from what is in them, and the margins that all dialogs share."""

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QLayout, QWidget

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
