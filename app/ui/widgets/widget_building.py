"""Makes buttons and labels, and puts widgets into rows and columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QLayout, QPushButton, QWidget

from app.ui.plain_text import PlainLabel

Box = TypeVar("Box", bound=QBoxLayout)
BoxPart = QWidget | QLayout | tuple[QWidget | QLayout, int] | int
NO_MARGINS = (0, 0, 0, 0)


def fill_box(box: Box, *parts: BoxPart, spacing: int | None = None, margins: tuple[int, int, int, int] | None = NO_MARGINS) -> Box:
    """Put parts into a row or column, and return it.

    Args:
        parts: a pair is a part with its stretch, a number an empty stretch.
        spacing, margins: in pixels; None leaves them to the style.
    """
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        item, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(item, QWidget):
            box.addWidget(item, stretch)
        elif isinstance(item, QLayout):
            box.addLayout(item, stretch)
        else:
            box.addStretch(item)
    return box


def create_button(text: str, tip: str, on_clicked: Callable[[], object] | None = None, style: str = "") -> QPushButton:
    """Return a push button that Enter does not press by itself; `style` is its name in the style sheet."""
    button = QPushButton(text)
    button.setObjectName(style)
    button.setToolTip(tip)
    button.setAutoDefault(False)
    if on_clicked is not None:
        button.clicked.connect(lambda: on_clicked())
    return button


def create_label(text: str = "", style: str = "", *, wraps: bool = False) -> PlainLabel:
    """Return a label of plain text; `style` is its name in the style sheet."""
    label = PlainLabel(text)
    label.setObjectName(style)
    label.setWordWrap(wraps)
    return label
