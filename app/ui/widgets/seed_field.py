"""The seed: the same number gives the same take."""

from __future__ import annotations

import random

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSpinBox, QToolButton, QWidget

from app.core.limits import SEED_BOUNDS
from app.language import say
from app.settings import HIGHEST_SEED
from app.ui.icons import icon


class SeedField(QWidget):
    """Label, number and dice.

    Signals:
        value_changed(int): by the user or by `set_value`.
    """

    value_changed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        name = SEED_BOUNDS.label[:1].upper() + SEED_BOUNDS.label[1:]
        tip = say(
            "同じ数なら、いつも同じ読み方になります。変えると間や抑揚が少し変わります。",
            "The same number always gives the same take; another one changes timing and intonation a little.",
        )
        self.label = QLabel(name)
        self.number = QSpinBox()
        self.number.setRange(0, HIGHEST_SEED)
        self.number.setKeyboardTracking(False)
        self.number.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.number.valueChanged.connect(self.value_changed)
        self.dice = QToolButton()
        self.dice.setToolTip(say("でたらめな数にする", "Roll another number"))
        self.dice.setAccessibleName(say("シードを振り直す", "Roll the seed"))
        self.dice.clicked.connect(self._roll)
        for widget in (self.label, self.number):
            widget.setToolTip(tip)
            widget.setAccessibleName(name)
        self.label.setBuddy(self.number)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.label)
        row.addStretch(1)
        row.addWidget(self.dice)
        row.addWidget(self.number)
        self._draw()

    @property
    def value(self) -> int:
        """The seed."""
        return self.number.value()

    def set_value(self, value: int) -> None:
        """Sets the seed."""
        self.number.setValue(value)

    def changeEvent(self, event: QEvent) -> None:
        """Draws the dice anew for another theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()
        super().changeEvent(event)

    @Slot()
    def _roll(self) -> None:
        self.number.setValue(random.randint(0, HIGHEST_SEED))

    def _draw(self) -> None:
        self.dice.setIcon(icon("dice", self.palette().color(QPalette.ColorRole.WindowText)))
