"""Buttons and shortcuts that the pages of blind tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QPushButton, QWidget

# Large enough to hit without looking, while the user listens.
BUTTON_SIZE_PX = (116, 52)


def create_button(
    text: str, tip: str, on_clicked: Callable[[], object], *, name: str = "", is_checkable: bool = False, is_primary: bool = False
) -> QPushButton:
    """Return a button with a tooltip and a name for screen readers, by default its text."""
    made = QPushButton(text)
    made.setAccessibleName(name or text)
    made.setToolTip(tip)
    made.setCheckable(is_checkable)
    # Enter belongs to the page's own shortcut; an auto-default button would be pressed by it too.
    made.setAutoDefault(False)
    if is_primary:
        made.setObjectName("primary")
    made.clicked.connect(lambda: on_clicked())
    return made


def add_shortcut(page: QWidget, key_name: str, on_pressed: Callable[[], object], *, is_repeating: bool = False) -> None:
    """Add a shortcut that works wherever the focus is on the page."""
    shortcut = QShortcut(QKeySequence(key_name), page)
    shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    shortcut.setAutoRepeat(is_repeating)
    shortcut.activated.connect(lambda: on_pressed())


def create_exclusive_group(parent: QWidget, buttons: Iterable[QAbstractButton]) -> QButtonGroup:
    """Return a group in which at most one button is checked."""
    group = QButtonGroup(parent)
    for item in buttons:
        group.addButton(item)
    return group


def uncheck_all(group: QButtonGroup) -> None:
    """Uncheck all buttons of an exclusive group."""
    # An exclusive group does not let its last checked button be unchecked.
    group.setExclusive(False)
    for item in group.buttons():
        item.setChecked(False)
    group.setExclusive(True)
