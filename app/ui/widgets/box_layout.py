"""Rows and columns, from what is in them."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QLayout, QWidget

Box = TypeVar("Box", bound=QBoxLayout)
BoxPart = QWidget | QLayout | int | None | tuple[QWidget, int | Qt.AlignmentFlag] | tuple[QLayout, int]
"""A widget or layout, alone or with its stretch or its place; a number of pixels; None for room that stretches."""


def fill_box(box: Box, *parts: BoxPart, spacing: int | None = None, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> Box:
    """Add the parts to a row or column and return it; without `spacing`, that of the style stays."""
    box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        match part:
            case None:
                box.addStretch(1)
            case int():
                box.addSpacing(part)
            case QWidget():
                box.addWidget(part)
            case QLayout():
                box.addLayout(part)
            case (QWidget() as widget, Qt.AlignmentFlag() as place):
                box.addWidget(widget, 0, place)
            case (QWidget() as widget, int(stretch)):
                box.addWidget(widget, stretch)
            case (QLayout() as layout, int(stretch)):
                box.addLayout(layout, stretch)
    return box
