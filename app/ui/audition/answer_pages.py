"""The pages of a trial: one of two sounds is chosen, or in a MUSHRA test, every sound is rated against the reference."""

from functools import partial
from string import ascii_uppercase

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSlider, QStyle, QStyleOptionSlider, QVBoxLayout, QWidget

from app.audition.blind_test import HIGHEST_MUSHRA_RATING, AnswerChoice, BlindTest, BlindTestPlan, add_answer, add_ratings
from app.common.language import localize
from app.ui.audition.trial_page import (
    REFERENCE_LETTER,
    TrialPage,
    TrialSounds,
    add_shortcut,
    create_exclusive_group,
    describe_letter,
    uncheck_all,
)
from app.ui.widgets.controls import PlainLabel, WheelGuard, create_button, describe_control, fill_box

TRIAL_LETTERS = ("A", "B", "X")
CHOICES, WITH_X, WITH_REFERENCE = TRIAL_LETTERS[:2], TRIAL_LETTERS, (*TRIAL_LETTERS[:2], REFERENCE_LETTER)
ANSWER_ORDER: tuple[AnswerChoice, ...] = ("a", "none", "b")
ANSWER_SIZE_PX = (168, 44)  # wide, so that nobody takes them for the round buttons that play
ANSWER_KEYS: dict[str, AnswerChoice] = {"1": "a", "2": "b", "0": "none"}  # the number keys; each of them answers at once and ends the trial


class AnswerButtons(QWidget):
    """A row of exclusive buttons: A, no preference, B.

    Signals:
        changed(): Emitted when another button is checked.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        tips: dict[AnswerChoice, str] = {
            "a": localize("A を選びます（←）。1 キーで回答します。", "Chooses A (←). The key 1 answers with it."),
            "none": localize("どちらも選びません。0 キーで回答します。", "Chooses neither. The key 0 answers with it."),
            "b": localize("B を選びます（→）。2 キーで回答します。", "Chooses B (→). The key 2 answers with it."),
        }
        # Each trial words them as answers to its question.
        self.buttons = {choice: create_button(choice.upper(), tip, self.changed.emit, is_checkable=True) for choice, tip in tips.items()}
        self._group = create_exclusive_group(self, self.buttons.values())
        for item in self.buttons.values():
            item.setMinimumSize(*ANSWER_SIZE_PX)
        fill_box(QHBoxLayout(self), None, *self.buttons.values(), None, spacing=10)

    @property
    def choice(self) -> AnswerChoice | None:
        return next((choice for choice, item in self.buttons.items() if item.isChecked()), None)

    def begin_trial(self, plan: BlindTestPlan) -> None:
        """Uncheck all buttons, and word them as answers to the question of this plan."""
        for choice, button in self.buttons.items():
            text = describe_answer(plan, choice)
            button.setText(text)
            button.setAccessibleName(text)
        self.buttons["none"].setVisible(plan.undecided)
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
        index = shown.index(self.choice) + direction if self.choice in shown else (0 if direction < 0 else len(shown) - 1)
        self.buttons[shown[min(max(index, 0), len(shown) - 1)]].setChecked(True)
        self.changed.emit()


def describe_answer(plan: BlindTestPlan, choice: AnswerChoice) -> str:
    """Return an answer to the question of a plan, as its button says it."""
    letter = choice.upper()
    if choice == "none":
        return localize("どちらでもない", "No preference")
    if plan.has_x:
        return localize(f"X は {letter}", f"X is {letter}")
    if plan.references:
        return localize(f"{letter} のほうが近い", f"{letter} is closer")
    return localize(f"{letter} が良い", f"{letter} is better")


class TrialLetters(TrialSounds):
    """A row of large round buttons for A, B and, if there is one, X or the reference, whose word is below it."""

    def __init__(self) -> None:
        super().__init__(TRIAL_LETTERS, "listen")
        self._update_button_names()
        self.caption = PlainLabel(describe_letter(REFERENCE_LETTER), "muted")
        grid = QGridLayout()
        grid.setHorizontalSpacing(28)
        grid.setVerticalSpacing(4)
        for column, button in enumerate(self.buttons):
            grid.addWidget(button, 0, column, Qt.AlignmentFlag.AlignCenter)
        grid.addWidget(self.caption, 1, len(self.buttons) - 1, Qt.AlignmentFlag.AlignHCenter)
        fill_box(QVBoxLayout(self), fill_box(QHBoxLayout(), None, grid, None), self.player_row, spacing=16)

    def begin_trial(self, letters: tuple[str, ...]) -> None:
        """Show the letters of a new trial, with none of them heard."""
        self.letters = letters
        self.caption.setVisible(REFERENCE_LETTER in letters)
        for index, item in enumerate(self.buttons):
            item.setVisible(index < len(letters))
        self._update_button_names()
        self.reset_heard()

    def _update_button_names(self) -> None:
        for index, letter in enumerate(self.letters):
            text = describe_letter(letter)
            self.name_button(index, localize(f"{text} に切り替えます（{letter} キー）。", f"Switches to {text} ({letter} key)."))


class ChoicePage(TrialPage):
    """A page on which one of two sounds is chosen."""

    def __init__(self) -> None:
        self.letters, self.answers = TrialLetters(), AnswerButtons()
        super().__init__(
            self.letters,
            letters=(*WITH_X, REFERENCE_LETTER),
            confirm_tip=localize("この回答で次へ進みます（Enter）。", "Takes this answer and continues (Enter)."),
            back_tip=localize("前の回答をやり直します（Backspace）。", "Takes back the last answer (Backspace)."),
        )
        self.answers.changed.connect(self.update_hint)
        for name, choice in ANSWER_KEYS.items():
            add_shortcut(self, name, partial(self._submit_answer, choice))
        add_shortcut(self, "Left", partial(self.answers.move_choice, -1), is_repeating=True)
        add_shortcut(self, "Right", partial(self.answers.move_choice, 1), is_repeating=True)
        middle = Qt.AlignmentFlag.AlignHCenter
        question, hint = (self.question, middle), (self.hint, middle)
        self.lay_out_page(None, self.letters, None, question, self.answers, hint, None, self.create_ends())

    def begin_trial(self, plan: BlindTestPlan) -> None:
        """Show the letters and answers that this plan has."""
        self.letters.begin_trial(WITH_X if plan.has_x else WITH_REFERENCE if plan.references else CHOICES)
        self.answers.begin_trial(plan)

    def describe_next_step(self) -> str:
        """Return what is left to hear, or how to answer."""
        if not self.letters.is_all_heard:
            names = localize("・", ", ").join(self.letters.letters)
            return localize(f"すべて聞いてから回答してください（{names} キー）。", f"Listen to all of them first (keys {names}).")
        if self.answers.choice is not None:
            return ""
        if self.answers.buttons["none"].isHidden():
            return localize("1（A）か 2（B）で回答するか、← → で選びます。", "Answer with 1 (A) or 2 (B), or choose with ← →.")
        return localize(
            "1（A）、2（B）、0（どちらでもない）で回答するか、← → で選びます。",
            "Answer with 1 (A), 2 (B) or 0 (no preference), or choose with ← →.",
        )

    def build_answered(self, test: BlindTest, ms: int) -> BlindTest:
        """Return the test with the checked answer."""
        return test if self.answers.choice is None else add_answer(test, self.answers.choice, ms)

    def _submit_answer(self, choice: AnswerChoice) -> None:
        """Choose and confirm an answer with one key, once every sound was heard."""
        if self.letters.is_all_heard and self.answers.choose_answer(choice):
            self.confirm_answer()


class RatingSlider(WheelGuard, QSlider):
    """A slider whose handle moves to the pointer; keys and wheel stay Qt's."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self.setObjectName("rating")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Move the handle under the pointer, then let Qt drag it."""
        if event.button() == Qt.MouseButton.LeftButton:
            # Qt would only page towards a press outside the handle; with the handle under the pointer, it starts a drag.
            self._move_handle_to(event)
        super().mousePressEvent(event)

    def _move_handle_to(self, event: QMouseEvent) -> None:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control, parts = QStyle.ComplexControl.CC_Slider, QStyle.SubControl
        point = event.position().toPoint()
        if self.style().hitTestComplexControl(control, option, point, self) == parts.SC_SliderHandle:
            return
        groove, handle = (
            self.style().subControlRect(control, option, part, self) for part in (parts.SC_SliderGroove, parts.SC_SliderHandle)
        )
        travel = groove.height() - handle.height()
        above = point.y() - groove.top() - handle.height() // 2
        self.setValue(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), above, travel, option.upsideDown))


# The slider's height and its column's width in pixels; the steps of arrow and page keys in points.
HEIGHT, WIDTH, STEP, PAGE = 200, 52, 1, 10
UNRATED = "–"


class RatingScale(TrialSounds):
    """A row of sliders for a fixed number of sounds; their play buttons follow that of the open reference.

    Signals:
        rated(): A sound was rated.
    """

    rated = Signal()

    def __init__(self, count: int) -> None:
        super().__init__((REFERENCE_LETTER, *ascii_uppercase[:count]), "listen_small")
        self._rated_indices: set[int] = set()
        self.name_button(0, localize("参照を再生します（R キー）。", "Plays the reference (R key)."))
        for index, letter in enumerate(self.letters[1:], 1):
            self.name_button(index, localize(f"{letter} を再生します（{letter} キー）。", f"Plays {letter} ({letter} key)."))
        # sliders, values: Those of the sounds, from left to right.
        self.sliders = [self._create_slider(index) for index in range(count)]
        self.values = [QLabel(UNRATED, alignment=Qt.AlignmentFlag.AlignHCenter) for _ in range(count)]
        self._lay_out_widgets()

    def begin_trial(self) -> None:
        """Begin a trial with nothing heard and nothing rated."""
        self.reset_heard()
        for slider, value in zip(self.sliders, self.values, strict=True):
            slider.setValue(0)
            value.setText(UNRATED)
        self._rated_indices.clear()

    @property
    def ratings(self) -> list[int]:
        """Return the ratings (0 to 100) from left to right."""
        return [slider.value() for slider in self.sliders]

    @property
    def is_all_rated(self) -> bool:
        """Return whether every sound was rated."""
        return len(self._rated_indices) == len(self.sliders)

    def _create_slider(self, index: int) -> RatingSlider:
        slider, letter = RatingSlider(), self.letters[index + 1]
        slider.setRange(0, HIGHEST_MUSHRA_RATING)
        slider.setSingleStep(STEP)
        slider.setPageStep(PAGE)
        slider.setMinimumHeight(HEIGHT)
        tip = localize("参照との近さを 0〜100 点で付けます。", "How close it is to the reference, 0 to 100.")
        describe_control(slider, localize(f"{letter} の評価", f"Rating of {letter}"), tip)
        # A rating equal to the slider's start changes no value: pressing the handle or a key must count as a rating too.
        for moved in (slider.valueChanged, slider.sliderPressed, slider.actionTriggered):
            moved.connect(partial(self._update_rating, index))
        return slider

    def _update_rating(self, index: int, *_signal_arguments: object) -> None:
        self._rated_indices.add(index)
        self.values[index].setText(str(self.sliders[index].value()))
        self.rated.emit()

    def _lay_out_widgets(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        reference = (PlainLabel(describe_letter(REFERENCE_LETTER), "muted"), self.buttons[0])
        grid.addLayout(fill_box(QHBoxLayout(), None, *reference, spacing=6), 2, 0)
        labels = QVBoxLayout()
        for word in list_closeness_words():
            labels.addWidget(PlainLabel(word, "muted"), 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        grid.addLayout(labels, 1, 0)
        for column, (value, slider, item) in enumerate(zip(self.values, self.sliders, self.buttons[1:], strict=True), 1):
            grid.setColumnMinimumWidth(column, WIDTH)
            grid.addWidget(value, 0, column)
            grid.addWidget(slider, 1, column, Qt.AlignmentFlag.AlignHCenter)
            grid.addWidget(item, 2, column, Qt.AlignmentFlag.AlignHCenter)


def list_closeness_words() -> tuple[str, ...]:
    """Return the words for the fifths of the scale, the highest first; they answer the question that is asked, how close a sound is."""
    ja = ("区別できない", "ほぼ同じ", "少し違う", "かなり違う", "まったく違う")
    en = ("Sounds the same", "Nearly the same", "Somewhat different", "Very different", "Not alike at all")
    return tuple(localize(*pair) for pair in zip(ja, en, strict=True))


class RatingPage(TrialPage):
    """A page on which every sound of a line is rated.

    Args:
        count: The number of sounds, without the open reference.
    """

    def __init__(self, count: int) -> None:
        self.scale = RatingScale(count)
        super().__init__(
            self.scale,
            letters=self.scale.letters,
            confirm_tip=localize("この評価で次へ進みます（Enter）。", "Takes these ratings and continues (Enter)."),
            back_tip=localize("前の行の評価をやり直します（Backspace）。", "Takes back the ratings of the line before (Backspace)."),
        )
        self.scale.rated.connect(self.update_hint)
        middle = Qt.AlignmentFlag.AlignHCenter
        scale = fill_box(QHBoxLayout(), None, self.scale, None)
        self.lay_out_page((self.question, middle), (scale, 1), self.scale.player_row, (self.hint, middle), self.create_ends())

    def begin_trial(self, _plan: BlindTestPlan) -> None:
        """Show all sliders at their start."""
        self.scale.begin_trial()

    def describe_next_step(self) -> str:
        """Return what is left to hear or to rate."""
        if not self.scale.is_all_heard:
            last = self.scale.letters[-1]
            return localize(f"すべて聞いてください（R、A〜{last} キー）。", f"Listen to all of them (keys R, A–{last}).")
        return "" if self.scale.is_all_rated else localize("すべてに点を付けてください。", "Rate all of them.")

    def build_answered(self, test: BlindTest, ms: int) -> BlindTest:
        """Return the test with the ratings of the sliders."""
        return add_ratings(test, self.scale.ratings, ms)
