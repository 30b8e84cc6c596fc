"""Buttons and keys that the pages of a blind test share."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QPushButton, QWidget

BUTTON = (116, 52)  # pixels at least: easily hit while one only listens


def button(text: str, tip: str, pressed: Callable[[], object], *, checkable: bool = False, primary: bool = False) -> QPushButton:
    """With a name and a tip; Enter in the dialog presses none by itself."""
    made = QPushButton(text)
    made.setAccessibleName(text)
    made.setToolTip(tip)
    made.setCheckable(checkable)
    made.setAutoDefault(False)
    if primary:
        made.setObjectName("primary")
    made.clicked.connect(lambda: pressed())
    return made


def key(page: QWidget, name: str, pressed: Callable[[], object], *, repeats: bool = False) -> None:
    """A key that works wherever the focus is on the page."""
    shortcut = QShortcut(QKeySequence(name), page)
    shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    shortcut.setAutoRepeat(repeats)
    shortcut.activated.connect(lambda: pressed())


def exclusive(parent: QWidget, buttons: Iterable[QAbstractButton]) -> QButtonGroup:
    """Of these at most one is checked."""
    group = QButtonGroup(parent)
    for item in buttons:
        group.addButton(item)
    return group


def uncheck(group: QButtonGroup) -> None:
    """None of them is."""
    group.setExclusive(False)
    for item in group.buttons():
        item.setChecked(False)
    group.setExclusive(True)
