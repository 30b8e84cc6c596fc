"""One trial: listen, switch, answer. Neither names nor scores are here to be seen."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.audition.blind_test import BlindTest, Choice, Plan, Trial
from app.audition.verdicts import kind_words
from app.language import localized
from app.ui.audition.answers import KEYS, Answers
from app.ui.audition.letters import CHOICES, REFERENCE, WITH_REFERENCE, WITH_X, Head, Letters
from app.ui.audition.parts import button, key
from app.ui.plain_text import PlainLabel


class TrialPage(QWidget):
    """Shows what stands to be answered, once all of it was heard.

    Signals:
        answered(str, int): a `Choice`, and milliseconds since the trial was shown.
        back_requested(): the last answer was a mistake.
    """

    answered = Signal(str, int)
    back_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._began = 0.0
        self.head, self.letters, self.answers = Head(), Letters(), Answers()
        self.question, self.hint = PlainLabel(), PlainLabel()
        self.hint.setObjectName("muted")
        tip = localized("この回答で次へ進みます（Enter）。", "Takes this answer and continues (Enter).")
        self.confirm = button(localized("決定", "Confirm"), tip, self._confirm, primary=True)
        tip = localized("前の回答をやり直します（Backspace）。", "Takes back the last answer (Backspace).")
        self.back = button(localized("戻る", "Back"), tip, self.back_requested.emit)
        self.answers.changed.connect(self._show_answer)
        self._lay_out()
        self._bind_keys()

    def show_trial(self, test: BlindTest, trial: Trial) -> None:
        """A new trial: nothing heard, nothing chosen."""
        plan, number, sounds = test.plan, trial.number + 1, len(test.plan.names)
        total = plan.trials * (sounds * (sounds - 1) // 2 if plan.kind == "pairs" else 1)
        known = plan.kind in ("abx", "pairs")
        place = f"{number} / {total}" if known else localized(f"{number} 回目", f"trial {number}")
        self.head.number.setText(f"{kind_words(plan.kind)}  {place}")
        self.head.show_seal(test.commitment)
        self.question.setText(question_words(plan))
        self.letters.begin(WITH_X if plan.has_x else WITH_REFERENCE if plan.references else CHOICES)
        self.answers.begin(undecided=plan.undecided)
        self.back.setEnabled(trial.number > 0)
        self._began = time.monotonic()
        self._show_answer()

    def show_letter(self, place: int) -> None:
        """Which letter is heard."""
        self.letters.show_letter(place)
        self._show_answer()

    @Slot()
    def _show_answer(self) -> None:
        complete, choice = len(self.letters.heard) == self.letters.count, self.answers.choice
        self.confirm.setEnabled(complete and choice is not None)
        if not complete:
            names = self.letters.names
            words = localized(f"すべて聞いてから回答してください（{names} キー）。", f"Listen to all of them first (keys {names}).")
        elif choice is None:
            words = self._answer_hint()
        else:
            words = localized("Enter で決定します。", "Press Enter to confirm.")
        self.hint.setText(words)

    def _answer_hint(self) -> str:
        if self.answers.buttons["none"].isHidden():
            return localized("1（A）か 2（B）で回答するか、← → で選びます。", "Answer with 1 (A) or 2 (B), or choose with ← →.")
        return localized(
            "1（A）、2（B）、0（どちらでもない）で回答するか、← → で選びます。",
            "Answer with 1 (A), 2 (B) or 0 (no preference), or choose with ← →.",
        )

    def _answer(self, choice: Choice) -> None:
        """One key for a whole answer, once everything was heard."""
        if len(self.letters.heard) == self.letters.count and self.answers.choose(choice):
            self._confirm()

    def _confirm(self) -> None:
        if (choice := self.answers.choice) is not None:
            self.answered.emit(choice, round((time.monotonic() - self._began) * 1000))

    def _bind_keys(self) -> None:
        for letter in (*WITH_X, REFERENCE):
            key(self, letter, partial(self.letters.listen_to, letter))
        pressed = {"Space": self.letters.play, "Return": self.confirm, "Enter": self.confirm, "Backspace": self.back}
        for name, item in pressed.items():
            key(self, name, item.click)
        for name, choice in KEYS.items():
            key(self, name, partial(self._answer, choice))
        key(self, "Left", partial(self.answers.step, -1), repeats=True)
        key(self, "Right", partial(self.answers.step, 1), repeats=True)

    def _lay_out(self) -> None:
        ends = QHBoxLayout()
        ends.addWidget(self.back)
        ends.addStretch()
        ends.addWidget(self.confirm)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self.head)
        column.addStretch()
        column.addWidget(self.letters)
        column.addStretch()
        column.addWidget(self.question, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.answers)
        column.addWidget(self.hint, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()
        column.addLayout(ends)


def question_words(plan: Plan) -> str:
    """What is asked in every trial."""
    if plan.has_x and plan.references:
        return localized("X は参照です。参照と同じなのはどちらですか？", "X is the reference. Which one is the same?")
    if plan.has_x:
        return localized("X はどちらですか？", "Which one is X?")
    if plan.references:
        return localized("参照に近いのはどちらですか？", "Which is closer to the reference?")
    return localized("良いのはどちらですか？", "Which is better?")
