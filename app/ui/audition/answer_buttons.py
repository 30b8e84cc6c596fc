"""The buttons and number keys that answer a trial of a blind test."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.audition.blind_test import AnswerChoice
from app.common.language import localize
from app.ui.audition.trial_buttons import BUTTON_SIZE_PX, create_button, create_exclusive_group, uncheck_all

ANSWER_ORDER: tuple[AnswerChoice, ...] = ("a", "none", "b")
ANSWER_KEYS: dict[str, AnswerChoice] = {"1": "a", "2": "b", "0": "none"}
"""The number keys; each of them answers at once and ends the trial."""


class AnswerButtons(QWidget):
    """A row of exclusive buttons: A, no preference, B.

    Signals:
        changed(): Emitted when another button is checked.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        words: dict[AnswerChoice, tuple[str, str]] = {
            "a": ("A", localize("A を選びます（←）。1 キーで回答します。", "Chooses A (←). The key 1 answers with it.")),
            "none": (
                localize("どちらでもない", "No preference"),
                localize("どちらも選びません。0 キーで回答します。", "Chooses neither. The key 0 answers with it."),
            ),
            "b": ("B", localize("B を選びます（→）。2 キーで回答します。", "Chooses B (→). The key 2 answers with it.")),
        }
        self.buttons = {
            choice: create_button(text, tip, self.changed.emit, name=_describe_answer_button(text), is_checkable=True)
            for choice, (text, tip) in words.items()
        }
        self._group = create_exclusive_group(self, self.buttons.values())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch()
        for item in self.buttons.values():
            item.setMinimumSize(*BUTTON_SIZE_PX)
            row.addWidget(item)
        row.addStretch()

    @property
    def choice(self) -> AnswerChoice | None:
        """Return the checked answer, or None."""
        return next((choice for choice, item in self.buttons.items() if item.isChecked()), None)

    def reset_choice(self, *, has_no_preference: bool) -> None:
        """Uncheck all buttons; show "no preference" where `has_no_preference`."""
        self.buttons["none"].setVisible(has_no_preference)
        uncheck_all(self._group)

    def choose_answer(self, choice: AnswerChoice) -> bool:
        """Check an answer's button and return whether the trial offers that answer."""
        if self.buttons[choice].isHidden():
            return False
        self.buttons[choice].setChecked(True)
        self.changed.emit()
        return True

    def move_choice(self, direction: int) -> None:
        """Move the choice by one, as an arrow key does; with no choice yet, start at the side the arrow points to."""
        shown = [choice for choice in ANSWER_ORDER if not self.buttons[choice].isHidden()]
        place = shown.index(self.choice) + direction if self.choice in shown else (0 if direction < 0 else len(shown) - 1)
        self.buttons[shown[min(max(place, 0), len(shown) - 1)]].setChecked(True)
        self.changed.emit()


def _describe_answer_button(text: str) -> str:
    # The button that plays a sound has the same letter, so a screen reader needs another name here.
    return localize(f"{text} と回答", f"Answer {text}")
