"""The page of a trial, whatever its method, with its playback controls: listen, answer, continue. It shows no names."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.audition.blind_test import BlindTest, BlindTestPlan, BlindTrial
from app.audition.blind_test_verdict import describe_test_kind
from app.common.language import localize
from app.ui.audition.trial_buttons import add_shortcut, create_button, create_exclusive_group, uncheck_all
from app.ui.plain_text import PlainLabel

REFERENCE_LETTER = "R"
POSITION_STEPS = 1_000


class TrialHeader(QWidget):
    """The number of the trial, and the hash that was sealed before the first one."""

    def __init__(self) -> None:
        super().__init__()
        self.number, self.sealed = PlainLabel(), PlainLabel()
        self.sealed.setObjectName("muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.number)
        row.addStretch()
        row.addWidget(self.sealed)

    def show_seal(self, commitment: str) -> None:
        """Show the beginning of the hash, and all of it in the tooltip."""
        self.sealed.setText(localize(f"ハッシュ {commitment[:12]}…", f"Hash {commitment[:12]}…"))
        words = localize(
            "並び順を決めるシードの SHA-256 です。シードは最後に表示されます。",
            "SHA-256 of the seed that decides the order; the seed is shown at the end.",
        )
        self.sealed.setToolTip(f"{words}\n{commitment}")


class TrialSounds(QWidget):
    """Buttons that remember which sounds were heard; a method of tests gives them their names and lays them out.

    Attributes:
        letters: The keys of the sounds, by index.
        buttons: Those of the sounds, by index; there may be more of them than the trial has letters.
        heard: The indices of the sounds heard in this trial.
        group: The group of the buttons.

    Signals:
        listen_requested(int): A sound is to be heard; playback continues with it.
        play_requested(): Playback is to begin or to stop.
    """

    listen_requested = Signal(int)
    play_requested = Signal()

    def __init__(self, letters: Sequence[str]) -> None:
        super().__init__()
        self.letters, self.heard = tuple(letters), set[int]()
        self.buttons = [create_button(letter, "", partial(self.request_index, i), is_checkable=True) for i, letter in enumerate(letters)]
        self.group = create_exclusive_group(self, self.buttons)
        tip = localize("再生・停止（Space）", "Plays or stops (Space).")
        self.play_button = create_button(localize("再生", "Play"), tip, self.play_requested.emit)
        self.bar = _create_position_bar()

    @property
    def count(self) -> int:
        """Return the number of sounds in the trial."""
        return len(self.letters)

    @property
    def is_all_heard(self) -> bool:
        """Return whether every sound was heard."""
        return len(self.heard) == self.count

    @property
    def current_index(self) -> int:
        """Return the index of the sound that plays or is about to; 0 before any choice."""
        return next((place for place, item in enumerate(self.buttons) if item.isChecked()), 0)

    def reset_heard(self) -> None:
        """Begin a trial with none of its sounds heard or loaded."""
        self.heard = set()
        uncheck_all(self.group)
        self.play_button.setEnabled(False)
        self.show_position(0.0)

    def request_letter(self, letter: str) -> None:
        """Request a sound by its letter, if the trial has it."""
        if letter in self.letters:
            self.request_index(self.letters.index(letter))

    def request_index(self, index: int) -> None:
        """Request a sound by its index, if the trial has it."""
        if index < self.count:
            self.listen_requested.emit(index)

    def show_heard(self, index: int) -> None:
        """Mark a sound as playing and as heard."""
        self.buttons[index].setChecked(True)
        self.heard.add(index)

    def show_playing(self, is_playing: bool) -> None:
        """Show on the play button, also to screen readers, whether it plays or stops now."""
        self.play_button.setText(localize("停止", "Stop") if is_playing else localize("再生", "Play"))
        self.play_button.setAccessibleName(self.play_button.text())

    def show_position(self, fraction: float) -> None:
        """Show how much of the sound was played, as a fraction from 0 to 1."""
        self.bar.setValue(round(POSITION_STEPS * fraction))

    def name_button(self, index: int, tip: str) -> None:
        """Name a button after its letter, the reference by its word."""
        item, letter = self.buttons[index], self.letters[index]
        is_reference = letter == REFERENCE_LETTER
        item.setText(describe_letter(letter))
        # The button that answers has the same letter, so a screen reader needs another name here.
        item.setAccessibleName(
            localize("参照を再生", "Play the reference") if is_reference else localize(f"{letter} を再生", f"Play {letter}")
        )
        item.setToolTip(tip)


def describe_letter(letter: str) -> str:
    """Return the word on the button of a sound."""
    return localize("参照", "Reference") if letter == REFERENCE_LETTER else letter


def _create_position_bar() -> QProgressBar:
    """Return a thin bar that shows the playback position."""
    bar = QProgressBar()
    bar.setRange(0, POSITION_STEPS)
    bar.setTextVisible(False)
    bar.setFixedHeight(6)
    bar.setAccessibleName(localize("再生位置", "Position"))
    bar.setToolTip(localize("再生中の位置です。", "Playback position of the sound."))
    return bar


class TrialPage(QWidget):
    """A page that accepts an answer once every sound was heard; a method of tests says how it is answered.

    Signals:
        answered(BlindTest): The test with the answer to this trial.
        back_requested(): The previous answer was a mistake.

    Args:
        sounds: Plays the sounds of the trial.
        letters: The keys of all sounds that trials may have.
        confirm_tip: Says what the button that takes the answer does.
        back_tip: Says what the button that takes the last answer back does.
    """

    answered = Signal(object)
    back_requested = Signal()

    def __init__(self, sounds: TrialSounds, *, letters: Iterable[str], confirm_tip: str, back_tip: str) -> None:
        super().__init__()
        self.sounds, self._began = sounds, 0.0
        self._test: BlindTest | None = None
        self.head, self.question, self.hint = TrialHeader(), PlainLabel(), PlainLabel()
        self.hint.setObjectName("muted")
        self.confirm = create_button(localize("決定", "Confirm"), confirm_tip, self.confirm_answer, is_primary=True)
        self.back = create_button(localize("戻る", "Back"), back_tip, self.back_requested.emit)
        for letter in letters:
            add_shortcut(self, letter, partial(sounds.request_letter, letter))
        pressed = {"Space": sounds.play_button, "Return": self.confirm, "Enter": self.confirm, "Backspace": self.back}
        for name, item in pressed.items():
            add_shortcut(self, name, item.click)

    @abstractmethod
    def begin_trial(self, plan: BlindTestPlan) -> None:
        """Show a new trial of this plan, with nothing heard and nothing answered."""

    @abstractmethod
    def describe_next_step(self) -> str:
        """Return what is left to do before the answer can be confirmed; empty where nothing is."""

    @abstractmethod
    def build_answered(self, test: BlindTest, ms: int) -> BlindTest:
        """Return the test with the answer that the page shows, and the milliseconds that it took."""

    def show_trial(self, test: BlindTest, trial: BlindTrial) -> None:
        """Show a new trial, with nothing heard and nothing answered."""
        self.head.number.setText(f"{describe_test_kind(test.plan.kind)}  {describe_trial_number(test.plan, trial.number + 1)}")
        self.head.show_seal(test.commitment)
        self.question.setText(describe_question(test.plan))
        self.begin_trial(test.plan)
        self.back.setEnabled(trial.number > 0)
        self._test, self._began = test, time.monotonic()
        self.update_hint()

    def show_letter(self, index: int) -> None:
        """Show which sound is playing."""
        self.sounds.show_heard(index)
        self.update_hint()

    @Slot()
    def update_hint(self) -> None:
        """Show what is to be done next, and enable the button where the answer is complete."""
        left = self.describe_next_step()
        self.confirm.setEnabled(not left)
        self.hint.setText(left or localize("Enter で決定します。", "Press Enter to confirm."))

    def confirm_answer(self) -> None:
        """Take the answer that the page shows."""
        if self._test is not None and not self.describe_next_step():
            self.answered.emit(self.build_answered(self._test, round((time.monotonic() - self._began) * 1000)))

    def create_column(self) -> QVBoxLayout:
        """Return the layout of the page, with its head."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self.head)
        return column

    def create_ends(self, *buttons: QPushButton) -> QHBoxLayout:
        """Return the last row of the page: back and these buttons at one end, the button that confirms at the other."""
        ends = QHBoxLayout()
        for item in (self.back, *buttons):
            ends.addWidget(item)
        ends.addStretch()
        ends.addWidget(self.confirm)
        return ends


def describe_trial_number(plan: BlindTestPlan, number: int) -> str:
    """Return the number of a trial, counted from 1, and of how many, where that is known."""
    return localize(f"{number} 回目", f"trial {number}") if plan.trial_count is None else f"{number} / {plan.trial_count}"


def describe_question(plan: BlindTestPlan) -> str:
    """Return the question of every trial of a plan."""
    if plan.is_rated:
        return localize(
            "参照にどれだけ近いですか？ 参照と同じ音声が 1 つあります。",
            "How close is each sound to the reference? One of them is the reference itself.",
        )
    if plan.has_x and plan.references:
        return localize("X は参照です。参照と同じなのはどちらですか？", "X is the reference. Which one is the same?")
    if plan.has_x:
        return localize("X はどちらですか？", "Which one is X?")
    if plan.references:
        return localize("参照に近いのはどちらですか？", "Which is closer to the reference?")
    return localize("良いのはどちらですか？", "Which is better?")
