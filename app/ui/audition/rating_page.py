"""The page of one MUSHRA trial: every sound is rated against the reference."""

from __future__ import annotations

from functools import partial
from string import ascii_uppercase

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSlider, QStyle, QStyleOptionSlider, QVBoxLayout

from app.audition.blind_test import HIGHEST_MUSHRA_RATING, BlindTest, BlindTestPlan
from app.audition.blind_test_trials import add_ratings
from app.common.language import localize
from app.ui.audition.trial_page import REFERENCE_LETTER, TrialPage, TrialSounds
from app.ui.plain_text import PlainLabel
from app.ui.widgets.box_layout import fill_box
from app.ui.widgets.controls import describe_control


class RatingSlider(QSlider):
    """A slider whose handle moves to the pointer; keys and wheel stay Qt's."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Vertical)

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
        super().__init__((REFERENCE_LETTER, *ascii_uppercase[:count]))
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
        grid.addWidget(self.buttons[0], 2, 0)
        labels = QVBoxLayout()
        ja, en = ("非常に良い", "良い", "普通", "悪い", "非常に悪い"), ("Excellent", "Good", "Fair", "Poor", "Bad")
        for word in (localize(*pair) for pair in zip(ja, en, strict=True)):
            labels.addWidget(PlainLabel(word, "muted"), 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        grid.addLayout(labels, 1, 0)
        for column, (value, slider, item) in enumerate(zip(self.values, self.sliders, self.buttons[1:], strict=True), 1):
            item.setMinimumWidth(WIDTH)
            grid.addWidget(value, 0, column)
            grid.addWidget(slider, 1, column, Qt.AlignmentFlag.AlignHCenter)
            grid.addWidget(item, 2, column)


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
        self.lay_out_page(
            (self.question, middle), (scale, 1), self.scale.bar, (self.hint, middle), self.create_ends(self.scale.play_button)
        )

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
