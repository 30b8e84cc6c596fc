"""A field for the seed, which makes takes reproducible."""

from __future__ import annotations

import random

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSpinBox, QToolButton, QWidget

from app.common.language import localize
from app.core.request_limits import SEED_BOUNDS
from app.settings.user_settings import MAX_SEED
from app.ui.theme.theme import is_theme_change_event
from app.ui.theme.themed_icons import draw_icon


class SeedField(QWidget):
    """A label, a lock, a dice button and a number field.

    Signals:
        value_changed(int), locked_changed(bool): Changed by the user or by a setter.
    """

    value_changed = Signal(int)
    locked_changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        name = SEED_BOUNDS.label[:1].upper() + SEED_BOUNDS.label[1:]
        tip = localize(
            "同じ値なら、毎回同じ話し方になります。変えると間や抑揚が少し変わります。",
            "The same value always gives the same take; another one changes timing and intonation slightly.",
        )
        self.label = QLabel(name)
        self.number = QSpinBox()
        self.number.setRange(0, MAX_SEED)
        self.number.setKeyboardTracking(False)
        self.number.lineEdit().setTextMargins(0, 0, 4, 0)
        # By this name the style sheet removes the arrows: Qt lays out `NoButtons` wrongly under a style sheet.
        self.number.setObjectName("number")
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.number.valueChanged.connect(self.value_changed)
        self.dice = QToolButton()
        self.dice.setToolTip(localize("シードをランダムに変更", "Randomise"))
        self.dice.setAccessibleName(localize("シードをランダムに変更", "Randomise the seed"))
        self.dice.clicked.connect(self._roll_seed)
        self.lock = QToolButton()
        self.lock.setCheckable(True)
        self.lock.setChecked(True)
        self.lock.setToolTip(
            localize(
                "オンにすると毎回同じ話し方、オフにすると再生のたびに違う話し方になります。",
                "On: the same take every time. Off: a new take each time it is played.",
            )
        )
        self.lock.setAccessibleName(localize("シードを固定", "Lock the seed"))
        self.lock.toggled.connect(self._update_lock)
        for widget in (self.label, self.number):
            widget.setToolTip(tip)
            widget.setAccessibleName(name)
        self.label.setBuddy(self.number)
        self._arrange_widgets()
        self._draw_icons()

    def _arrange_widgets(self) -> None:
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
        """Return the seed."""
        return self.number.value()

    def set_value(self, value: int) -> None:
        """Set the seed."""
        self.number.setValue(value)

    def set_locked(self, locked: bool) -> None:
        """Lock the seed, or use another one each time the line is played."""
        self.lock.setChecked(locked)

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the icons in the colours of another theme."""
        if is_theme_change_event(self, event):
            self._draw_icons()
        super().changeEvent(event)

    @Slot()
    def _roll_seed(self) -> None:
        self.number.setValue(random.randint(0, MAX_SEED))

    @Slot(bool)
    def _update_lock(self, locked: bool) -> None:
        self._draw_icons()
        self.locked_changed.emit(locked)

    def _draw_icons(self) -> None:
        color = self.palette().color(QPalette.ColorRole.WindowText)
        self.dice.setIcon(draw_icon("dice", color))
        self.lock.setIcon(draw_icon("locked" if self.lock.isChecked() else "unlocked", color))
