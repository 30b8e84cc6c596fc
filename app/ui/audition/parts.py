"""Buttons and keys that the pages of a blind test share."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QPushButton, QWidget

from app.language import localized

BUTTON = (116, 52)  # pixels at least: easily hit while one only listens


def button(
    text: str, tip: str, pressed: Callable[[], object], *, name: str = "", checkable: bool = False, primary: bool = False
) -> QPushButton:
    """With a tip, and a name for screen readers, which is the text unless there is another; Enter in the dialog presses none by itself."""
    made = QPushButton(text)
    made.setAccessibleName(name or text)
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


def name_play(item: QPushButton, *, playing: bool) -> None:
    """Says what a button that plays and stops does now, also to screen readers."""
    item.setText(localized("停止", "Stop") if playing else localized("再生", "Play"))
    item.setAccessibleName(item.text())


def play_words(what: str) -> str:
    """The button that plays a sound, for screen readers: another one answers with the same letter."""
    return localized(f"{what} を再生", f"Play {what}")


def uncheck(group: QButtonGroup) -> None:
    """None of them is."""
    group.setExclusive(False)
    for item in group.buttons():
        item.setChecked(False)
    group.setExclusive(True)
