"""What can be answered in a trial."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.audition.blind_test import Choice
from app.language import localized
from app.ui.audition.parts import BUTTON, button, exclusive, uncheck

ORDER: tuple[Choice, ...] = ("a", "none", "b")
KEYS: dict[str, Choice] = {"1": "a", "2": "b", "0": "none"}
"""Each answers at once, and the trial is over."""


class Answers(QWidget):
    """One of them can be chosen.

    Signals:
        changed(): another one is.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        words: dict[Choice, tuple[str, str]] = {
            "a": ("A", localized("A を選びます（←）。1 キーで回答します。", "Chooses A (←). The key 1 answers with it.")),
            "none": (
                localized("どちらでもない", "No preference"),
                localized("どちらも選びません。0 キーで回答します。", "Chooses neither. The key 0 answers with it."),
            ),
            "b": ("B", localized("B を選びます（→）。2 キーで回答します。", "Chooses B (→). The key 2 answers with it.")),
        }
        self.buttons = {
            choice: button(text, tip, self.changed.emit, name=_answer_words(text), checkable=True) for choice, (text, tip) in words.items()
        }
        self._group = exclusive(self, self.buttons.values())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch()
        for item in self.buttons.values():
            item.setMinimumSize(*BUTTON)
            row.addWidget(item)
        row.addStretch()

    @property
    def choice(self) -> Choice | None:
        """What is chosen, if anything."""
        return next((choice for choice, item in self.buttons.items() if item.isChecked()), None)

    def begin(self, *, undecided: bool) -> None:
        """Nothing is chosen; `undecided` offers no preference too."""
        self.buttons["none"].setVisible(undecided)
        uncheck(self._group)

    def choose(self, choice: Choice) -> bool:
        """Chooses it, if it can be answered."""
        if self.buttons[choice].isHidden():
            return False
        self.buttons[choice].setChecked(True)
        self.changed.emit()
        return True

    def step(self, step: int) -> None:
        """An arrow: from nothing to the side it points to, then one by one."""
        shown = [choice for choice in ORDER if not self.buttons[choice].isHidden()]
        place = shown.index(self.choice) + step if self.choice in shown else (0 if step < 0 else len(shown) - 1)
        self.buttons[shown[min(max(place, 0), len(shown) - 1)]].setChecked(True)
        self.changed.emit()


def _answer_words(text: str) -> str:
    """For screen readers: the button that plays a sound has the same letter."""
    return localized(f"{text} と回答", f"Answer {text}")
