"""The page of one blind trial: listen, switch, answer. It shows neither names nor scores."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.audition.blind_test import AnswerChoice, BlindTest, BlindTestPlan, BlindTrial
from app.audition.blind_test_verdict import describe_test_kind
from app.common.language import localize
from app.ui.audition.answer_buttons import ANSWER_KEYS, AnswerButtons
from app.ui.audition.trial_buttons import add_shortcut, create_button
from app.ui.audition.trial_letters import CHOICES, REFERENCE_LETTER, WITH_REFERENCE, WITH_X, TrialHeader, TrialLetters
from app.ui.plain_text import PlainLabel


class TrialPage(QWidget):
    """A page that accepts an answer once every sound was heard.

    Signals:
        answered(str, int): An `AnswerChoice`, and milliseconds since the trial was shown.
        back_requested(): The previous answer was a mistake.
    """

    answered = Signal(str, int)
    back_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._began = 0.0
        self.head, self.letters, self.answers = TrialHeader(), TrialLetters(), AnswerButtons()
        self.question, self.hint = PlainLabel(), PlainLabel()
        self.hint.setObjectName("muted")
        tip = localize("この回答で次へ進みます（Enter）。", "Takes this answer and continues (Enter).")
        self.confirm = create_button(localize("決定", "Confirm"), tip, self._confirm_answer, is_primary=True)
        tip = localize("前の回答をやり直します（Backspace）。", "Takes back the last answer (Backspace).")
        self.back = create_button(localize("戻る", "Back"), tip, self.back_requested.emit)
        self.answers.changed.connect(self._update_answer)
        self._lay_out_widgets()
        self._bind_keys()

    def show_trial(self, test: BlindTest, trial: BlindTrial) -> None:
        """Show a new trial, with nothing heard and nothing chosen."""
        plan, number, sounds = test.plan, trial.number + 1, len(test.plan.names)
        total = plan.trials * (sounds * (sounds - 1) // 2 if plan.kind == "pairs" else 1)
        known = plan.kind in ("abx", "pairs")
        place = f"{number} / {total}" if known else localize(f"{number} 回目", f"trial {number}")
        self.head.number.setText(f"{describe_test_kind(plan.kind)}  {place}")
        self.head.show_seal(test.commitment)
        self.question.setText(describe_question(plan))
        self.letters.begin_trial(WITH_X if plan.has_x else WITH_REFERENCE if plan.references else CHOICES)
        self.answers.reset_choice(has_no_preference=plan.undecided)
        self.back.setEnabled(trial.number > 0)
        self._began = time.monotonic()
        self._update_answer()

    def show_letter(self, index: int) -> None:
        """Show which letter is playing."""
        self.letters.show_letter(index)
        self._update_answer()

    @Slot()
    def _update_answer(self) -> None:
        complete, choice = len(self.letters.heard) == self.letters.count, self.answers.choice
        self.confirm.setEnabled(complete and choice is not None)
        if not complete:
            names = self.letters.letter_names
            words = localize(f"すべて聞いてから回答してください（{names} キー）。", f"Listen to all of them first (keys {names}).")
        elif choice is None:
            words = self._describe_answer_hint()
        else:
            words = localize("Enter で決定します。", "Press Enter to confirm.")
        self.hint.setText(words)

    def _describe_answer_hint(self) -> str:
        if self.answers.buttons["none"].isHidden():
            return localize("1（A）か 2（B）で回答するか、← → で選びます。", "Answer with 1 (A) or 2 (B), or choose with ← →.")
        return localize(
            "1（A）、2（B）、0（どちらでもない）で回答するか、← → で選びます。",
            "Answer with 1 (A), 2 (B) or 0 (no preference), or choose with ← →.",
        )

    def _submit_answer(self, choice: AnswerChoice) -> None:
        """Choose and confirm an answer with one key, once every sound was heard."""
        if len(self.letters.heard) == self.letters.count and self.answers.choose_answer(choice):
            self._confirm_answer()

    def _confirm_answer(self) -> None:
        if (choice := self.answers.choice) is not None:
            self.answered.emit(choice, round((time.monotonic() - self._began) * 1000))

    def _bind_keys(self) -> None:
        for letter in (*WITH_X, REFERENCE_LETTER):
            add_shortcut(self, letter, partial(self.letters.request_letter, letter))
        pressed = {"Space": self.letters.play_button, "Return": self.confirm, "Enter": self.confirm, "Backspace": self.back}
        for name, item in pressed.items():
            add_shortcut(self, name, item.click)
        for name, choice in ANSWER_KEYS.items():
            add_shortcut(self, name, partial(self._submit_answer, choice))
        add_shortcut(self, "Left", partial(self.answers.move_choice, -1), is_repeating=True)
        add_shortcut(self, "Right", partial(self.answers.move_choice, 1), is_repeating=True)

    def _lay_out_widgets(self) -> None:
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


def describe_question(plan: BlindTestPlan) -> str:
    """Return the question of every trial of a plan."""
    if plan.has_x and plan.references:
        return localize("X は参照です。参照と同じなのはどちらですか？", "X is the reference. Which one is the same?")
    if plan.has_x:
        return localize("X はどちらですか？", "Which one is X?")
    if plan.references:
        return localize("参照に近いのはどちらですか？", "Which is closer to the reference?")
    return localize("良いのはどちらですか？", "Which is better?")
