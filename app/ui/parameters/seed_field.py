"""The seed: the same number gives the same take."""

from __future__ import annotations

import random

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSpinBox, QToolButton, QWidget

from app.core.limits import SEED_BOUNDS
from app.language import localized
from app.settings import HIGHEST_SEED
from app.ui.theme.icons import icon
from app.ui.theme.theme import is_theme_change


class SeedField(QWidget):
    """Label, lock, dice and number.

    Signals:
        value_changed(int), locked_changed(bool): by the user or by a setter.
    """

    value_changed = Signal(int)
    locked_changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        name = SEED_BOUNDS.label[:1].upper() + SEED_BOUNDS.label[1:]
        tip = localized(
            "同じ値なら、毎回同じ話し方になります。変えると間や抑揚が少し変わります。",
            "The same value always gives the same take; another one changes timing and intonation slightly.",
        )
        self.label = QLabel(name)
        self.number = QSpinBox()
        self.number.setRange(0, HIGHEST_SEED)
        self.number.setKeyboardTracking(False)
        self.number.lineEdit().setTextMargins(0, 0, 4, 0)
        self.number.setObjectName("number")  # the style sheet takes its arrows; Qt lays out NoButtons wrongly there
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.number.valueChanged.connect(self.value_changed)
        self.dice = QToolButton()
        self.dice.setToolTip(localized("シードをランダムに変更", "Randomise"))
        self.dice.setAccessibleName(localized("シードをランダムに変更", "Randomise the seed"))
        self.dice.clicked.connect(self._roll)
        self.lock = QToolButton()
        self.lock.setCheckable(True)
        self.lock.setChecked(True)
        self.lock.setToolTip(
            localized(
                "オンにすると毎回同じ話し方、オフにすると再生のたびに違う話し方になります。",
                "On: the same take every time. Off: a new take each time it is played.",
            )
        )
        self.lock.setAccessibleName(localized("シードを固定", "Lock the seed"))
        self.lock.toggled.connect(self._on_lock)
        for widget in (self.label, self.number):
            widget.setToolTip(tip)
            widget.setAccessibleName(name)
        self.label.setBuddy(self.number)
        self._lay_out()
        self._draw()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.label)
        row.addStretch(1)
        row.addWidget(self.lock)
        row.addWidget(self.dice)
        row.addWidget(self.number)

    @property
    def value(self) -> int:
        """The seed."""
        return self.number.value()

    def set_value(self, value: int) -> None:
        """Sets the seed."""
        self.number.setValue(value)

    def set_locked(self, locked: bool) -> None:
        """Keeps the seed, or lets each playing have another."""
        self.lock.setChecked(locked)

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the icons for another theme."""
        if is_theme_change(self, event):
            self._draw()
        super().changeEvent(event)

    @Slot()
    def _roll(self) -> None:
        self.number.setValue(random.randint(0, HIGHEST_SEED))

    @Slot(bool)
    def _on_lock(self, locked: bool) -> None:
        self._draw()
        self.locked_changed.emit(locked)

    def _draw(self) -> None:
        color = self.palette().color(QPalette.ColorRole.WindowText)
        self.dice.setIcon(icon("dice", color))
        self.lock.setIcon(icon("locked" if self.lock.isChecked() else "unlocked", color))
