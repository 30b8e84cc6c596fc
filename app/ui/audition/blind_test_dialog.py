"""The dialog of a blind test, from its plan to its result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.audition.blind_test import AnswerChoice, BlindTest, BlindTestPlan, BlindTrial
from app.audition.blind_test_trials import add_answer, begin_blind_test, find_blind_trial, take_back_answer
from app.audition.blind_test_verdict import describe_test_kind
from app.audition.comparable_sounds import LoadSound, load_trial_sounds
from app.audition.csv_sheet import build_csv_sheet
from app.audition.html_sheet import build_html_sheet
from app.audition.sealed_order import generate_seed
from app.common.errors import AppError
from app.common.language import localize
from app.ui.audition.blind_test_setup_page import BlindTestSetupPage
from app.ui.audition.result_page import ResultPage
from app.ui.audition.sheet_saving import save_sheet
from app.ui.audition.trial_buttons import BUTTON_SIZE_PX, add_shortcut, create_button, create_exclusive_group, uncheck_all
from app.ui.audition.trial_letters import CHOICES, REFERENCE_LETTER, WITH_REFERENCE, WITH_X, TrialHeader, TrialLetters
from app.ui.audition.trial_player import TrialPlayer
from app.ui.plain_text import PlainLabel
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.theme.dialog_margins import DIALOG_MARGINS
from app.ui.widgets.banner import Banner
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

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


PREPARATION_BAR_WIDTH_PX = 320


class PreparationPage(QWidget):
    """A progress bar of the sounds that are made.

    Args:
        sound_count: The number of sounds to make.
    """

    def __init__(self, sound_count: int) -> None:
        super().__init__()
        words = PlainLabel(localize("比べる音声を合成しています…", "Synthesising the sounds to compare…"))
        self.bar = DeferredProgressBar()
        self.bar.setObjectName("played")
        self.bar.setFixedHeight(4)
        self.bar.setRange(0, sound_count)
        self.bar.setValue(0)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(PREPARATION_BAR_WIDTH_PX)
        self.bar.setAccessibleName(words.text())
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addStretch()
        column.addWidget(words, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()


BLIND_TEST_DIALOG_SIZE = (620, 420)


class BlindTestDialog(QDialog):
    """A dialog that runs one blind test; closing it leaves the test where it is, and a later dialog can resume it.

    Attributes:
        test: The test with its answers so far; None before it has begun.

    Signals:
        changed(BlindTest): The test has begun or has another answer, and is to be kept.
        ended(BlindTest): The test's result is shown.
        mushra_requested(ReferenceSplit): The sounds are to be rated against a reference, see `BlindTestSetupPage`.

    Args:
        load_sound: Reads a sound by name, in a thread of its own.
    """

    changed = Signal(object)
    ended = Signal(object)
    mushra_requested = Signal(object)

    def __init__(self, parent: QWidget, speech: SpeechController, load_sound: LoadSound) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("ブラインドテスト", "Blind test"))
        self.resize(*BLIND_TEST_DIALOG_SIZE)
        self.test: BlindTest | None = None
        self.preparing: PreparationPage | None = None
        self.notice, self.pages = Banner(), QStackedWidget()
        self.trial, self.outcome = TrialPage(), ResultPage()
        for page in (self.trial, self.outcome):
            self.pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.addWidget(self.notice)
        column.addWidget(self.pages)
        self._load = load_sound
        self.sound = TrialPlayer(self, speech)
        self._connect_signals()

    def _connect_signals(self) -> None:
        letters, sound = self.trial.letters, self.sound
        sound.background.failed.connect(self.notice.show_error)
        sound.sounds_loaded.connect(lambda: letters.play_button.setEnabled(True))
        sound.sound_switched.connect(self.trial.show_letter)
        sound.playing_changed.connect(letters.show_playing)
        sound.position_changed.connect(letters.show_position)
        letters.listen_requested.connect(self._play_letter)
        letters.play_requested.connect(lambda: sound.toggle_playing(letters.current_index))
        self.trial.answered.connect(self._add_answer)
        self.trial.back_requested.connect(self._take_back_answer)
        self.outcome.csv_requested.connect(partial(self._save_sheet, "csv", build_csv_sheet))
        self.outcome.html_requested.connect(partial(self._save_sheet, "html", build_html_sheet))
        self.finished.connect(sound.close)

    def show_preparation(self, sound_count: int) -> None:
        """Show that `sound_count` sounds are being made; `show_setup` follows."""
        self.preparing = PreparationPage(sound_count)
        self.pages.setCurrentIndex(self.pages.addWidget(self.preparing))

    def show_prepared(self, prepared_count: int) -> None:
        """Show how many of the sounds are made."""
        if self.preparing is not None:
            self.preparing.bar.setValue(prepared_count)

    def show_setup(self, names: Sequence[str], sounds: Sequence[Sequence[str]]) -> None:
        """Ask how to compare these sounds; see `BlindTestSetupPage`."""
        page = BlindTestSetupPage(names, sounds)
        page.begin_requested.connect(self._begin_test)
        page.mushra_requested.connect(self.mushra_requested)
        self.pages.setCurrentIndex(self.pages.addWidget(page))

    def resume_test(self, test: BlindTest) -> None:
        """Continue a test, or show the result of one that has ended."""
        self.test = test
        self._show_test()

    @Slot(object)
    def _begin_test(self, plan: BlindTestPlan) -> None:
        try:
            test = begin_blind_test(plan, generate_seed())
        except AppError as error:
            self.notice.show_error(error)
            return
        self._update_test(test)

    def _update_test(self, test: BlindTest) -> None:
        self.test = test
        self.changed.emit(test)
        self._show_test()

    def _show_test(self) -> None:
        assert self.test is not None
        trial = find_blind_trial(self.test)
        if trial is None:
            self.sound.stop_sound()
            self.outcome.show_test(self.test)
            self.pages.setCurrentWidget(self.outcome)
            self.ended.emit(self.test)
            return
        self.sound.begin_trial(partial(load_trial_sounds, self.test.plan, trial, self._load))
        self.trial.show_trial(self.test, trial)
        self.trial.letters.play_button.setEnabled(False)
        self.pages.setCurrentWidget(self.trial)
        # Without this the focus stays on the hidden page before, and this page gets no keys.
        self.trial.letters.buttons[0].setFocus()

    @Slot(int)
    def _play_letter(self, index: int) -> None:
        self.sound.play_sound(index)
        letters = self.trial.letters
        # The click has checked the button already; a letter whose sound is not loaded yet must not look chosen.
        if index not in letters.heard:
            uncheck_all(letters.group)

    @Slot(str, int)
    def _add_answer(self, choice: str, ms: int) -> None:
        if self.test is not None and choice in ("a", "b", "none"):
            self._update_test(add_answer(self.test, choice, ms))  # type: ignore[arg-type]

    @Slot()
    def _take_back_answer(self) -> None:
        if self.test is not None and self.test.answers:
            self._update_test(take_back_answer(self.test))

    def _save_sheet(self, suffix: str, build_sheet: Callable[[BlindTest], str]) -> None:
        if self.test is not None:
            save_sheet(self, self.sound.background, suffix, build_sheet(self.test))
