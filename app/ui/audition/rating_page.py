"""The page of one MUSHRA trial: listen, rate, continue. It shows no names."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from string import ascii_uppercase

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QSlider, QStyle, QStyleOptionSlider, QVBoxLayout, QWidget

from app.audition.blind_test import HIGHEST_MUSHRA_RATING, BlindTest, BlindTrial
from app.common.language import localize
from app.ui.audition.trial_buttons import (
    add_shortcut,
    create_button,
    create_exclusive_group,
    describe_play_button,
    uncheck_all,
    update_play_button,
)
from app.ui.audition.trial_letters import POSITION_STEPS, TrialHeader, create_position_bar
from app.ui.plain_text import PlainLabel


class RatingSlider(QSlider):
    """A slider whose handle moves to the pointer; keys and wheel stay Qt's."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Vertical)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Move the handle under the pointer, then let Qt drag it."""
        if event.button() == Qt.MouseButton.LeftButton:
            # Qt would move one page towards a press beside the handle; under the pointer it finds the handle and drags it.
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
        way = groove.height() - handle.height()
        above = point.y() - groove.top() - handle.height() // 2
        self.setValue(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), above, way, option.upsideDown))


RATING_LETTERS = ascii_uppercase
# The slider's height and its column's width in pixels; the steps of arrow and page keys in points.
HEIGHT, WIDTH, STEP, PAGE = 200, 52, 1, 10
UNRATED = "–"


class RatingScale(QWidget):
    """A row of sliders for a fixed number of sounds.

    Attributes:
        reference: The button that plays the open reference.
        buttons, sliders, values: Those of the sounds, from left to right.

    Signals:
        listen_requested(int): A sound is to be played; 0 is the reference, the others follow.
        changed(): A sound was played or rated.
    """

    listen_requested = Signal(int)
    changed = Signal()

    def __init__(self, count: int) -> None:
        super().__init__()
        self._heard: set[int] = set()
        self._rated: set[int] = set()
        tip = localize("参照を再生します（R キー）。", "Plays the reference (R key).")
        words, hear = localize("参照", "Reference"), partial(self.listen_requested.emit, 0)
        self.reference = create_button(words, tip, hear, name=localize("参照を再生", "Play the reference"), is_checkable=True)
        self.buttons = [self._create_button(place) for place in range(count)]
        self.sliders = [self._create_slider(place) for place in range(count)]
        self.values = [QLabel(UNRATED, alignment=Qt.AlignmentFlag.AlignHCenter) for _ in range(count)]
        self._group = create_exclusive_group(self, (self.reference, *self.buttons))
        self._lay_out_widgets()

    @property
    def ratings(self) -> list[int]:
        """Return the ratings (0 to 100) from left to right."""
        return [slider.value() for slider in self.sliders]

    @property
    def is_complete(self) -> bool:
        """Return whether every sound was played and rated."""
        return len(self._rated) == len(self.sliders) and len(self._heard) == len(self.sliders) + 1

    @property
    def is_all_heard(self) -> bool:
        """Return whether every sound was played."""
        return len(self._heard) == len(self.sliders) + 1

    @property
    def current_index(self) -> int:
        """Return the index of the sound that plays or is about to; 0, the reference, before any choice."""
        return next((place for place, item in enumerate((self.reference, *self.buttons)) if item.isChecked()), 0)

    def mark_heard(self, index: int) -> None:
        """Mark a sound as playing and as heard."""
        (self.reference, *self.buttons)[index].setChecked(True)
        self._heard.add(index)
        self.changed.emit()

    def uncheck_buttons(self) -> None:
        """Uncheck all play buttons."""
        # A click checks a button even while the sounds are still loading.
        uncheck_all(self._group)

    def has_heard(self, index: int) -> bool:
        """Return whether a sound was heard."""
        return index in self._heard

    def _create_button(self, index: int) -> QPushButton:
        letter = RATING_LETTERS[index]
        tip = localize(f"{letter} を再生します（{letter} キー）。", f"Plays {letter} ({letter} key).")
        return create_button(
            letter, tip, partial(self.listen_requested.emit, index + 1), name=describe_play_button(letter), is_checkable=True
        )

    def _create_slider(self, index: int) -> RatingSlider:
        slider = RatingSlider()
        slider.setRange(0, HIGHEST_MUSHRA_RATING)
        slider.setSingleStep(STEP)
        slider.setPageStep(PAGE)
        slider.setMinimumHeight(HEIGHT)
        slider.setAccessibleName(localize(f"{RATING_LETTERS[index]} の評価", f"Rating of {RATING_LETTERS[index]}"))
        slider.setToolTip(localize("参照との近さを 0〜100 点で付けます。", "How close it is to the reference, 0 to 100."))
        # A rating equal to the slider's start changes no value: pressing the handle or a key must count as a rating too.
        for moved in (slider.valueChanged, slider.sliderPressed, slider.actionTriggered):
            moved.connect(self._create_rate_callback(index))
        return slider

    def _create_rate_callback(self, index: int) -> Callable[..., None]:
        def update_rating(*_what: object) -> None:
            self._rated.add(index)
            self.values[index].setText(str(self.sliders[index].value()))
            self.changed.emit()

        return update_rating

    def _lay_out_widgets(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.addWidget(self.reference, 2, 0)
        words = QVBoxLayout()
        for word in list_scale_labels():
            label = PlainLabel(word)
            label.setObjectName("muted")
            words.addWidget(label, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        grid.addLayout(words, 1, 0)
        for place, (value, slider, item) in enumerate(zip(self.values, self.sliders, self.buttons, strict=True), 1):
            item.setMinimumWidth(WIDTH)
            grid.addWidget(value, 0, place)
            grid.addWidget(slider, 1, place, Qt.AlignmentFlag.AlignHCenter)
            grid.addWidget(item, 2, place)


def list_scale_labels() -> tuple[str, ...]:
    """Return the labels of the scale's five parts, from the top."""
    ja, en = ("非常に良い", "良い", "普通", "悪い", "非常に悪い"), ("Excellent", "Good", "Fair", "Poor", "Bad")
    return tuple(localize(*pair) for pair in zip(ja, en, strict=True))


class RatingPage(QWidget):
    """A page made for one trial.

    Signals:
        rated(list[int], int): The ratings (0 to 100) of the sounds from left to right, and milliseconds since the trial was shown.
        back_requested(): The previous ratings were a mistake.
        play_requested(): Playback is to begin or to stop.
    """

    rated = Signal(object, int)
    back_requested = Signal()
    play_requested = Signal()

    def __init__(self, test: BlindTest, trial: BlindTrial) -> None:
        super().__init__()
        self._began = time.monotonic()
        self.head, self.scale, self.bar = TrialHeader(), RatingScale(len(trial.order)), create_position_bar()
        self.head.number.setText(f"MUSHRA  {trial.number + 1} / {len(test.plan.sounds)}")
        self.head.show_seal(test.commitment)
        question = localize(
            "参照にどれだけ近いですか？ 参照と同じ音声が 1 つあります。",
            "How close is each sound to the reference? One of them is the reference itself.",
        )
        self.question, self.hint = PlainLabel(question), PlainLabel()
        self.hint.setObjectName("muted")
        self.play_button = create_button(
            localize("再生", "Play"), localize("再生・停止（Space）", "Plays or stops (Space)."), self.play_requested.emit
        )
        self.play_button.setEnabled(False)
        tip = localize("この評価で次へ進みます（Enter）。", "Takes these ratings and continues (Enter).")
        self.confirm_button = create_button(localize("決定", "Confirm"), tip, self._confirm_ratings, is_primary=True)
        tip = localize("前の行の評価をやり直します（Backspace）。", "Takes back the ratings of the line before (Backspace).")
        self.back_button = create_button(localize("戻る", "Back"), tip, self.back_requested.emit)
        self.back_button.setEnabled(trial.number > 0)
        self.scale.changed.connect(self._update_confirm_button)
        self._lay_out_widgets()
        self._bind_keys()
        self._update_confirm_button()

    def show_playing(self, is_playing: bool) -> None:
        """Show on the button whether it plays or stops now."""
        update_play_button(self.play_button, is_playing=is_playing)

    def show_position(self, fraction: float) -> None:
        """Show how much of the sound was played, as a fraction from 0 to 1."""
        self.bar.setValue(round(POSITION_STEPS * fraction))

    @Slot()
    def _update_confirm_button(self) -> None:
        self.confirm_button.setEnabled(self.scale.is_complete)
        if not self.scale.is_all_heard:
            last = RATING_LETTERS[len(self.scale.buttons) - 1]
            words = localize(f"すべて聞いてください（R、A〜{last} キー）。", f"Listen to all of them (keys R, A–{last}).")
        elif not self.scale.is_complete:
            words = localize("すべてに点を付けてください。", "Rate all of them.")
        else:
            words = localize("Enter で決定します。", "Press Enter to confirm.")
        self.hint.setText(words)

    def _confirm_ratings(self) -> None:
        self.rated.emit(self.scale.ratings, round((time.monotonic() - self._began) * 1000))

    def _bind_keys(self) -> None:
        add_shortcut(self, "R", partial(self.scale.listen_requested.emit, 0))
        for place, letter in enumerate(RATING_LETTERS[: len(self.scale.buttons)], 1):
            add_shortcut(self, letter, partial(self.scale.listen_requested.emit, place))
        pressed = {"Space": self.play_button, "Return": self.confirm_button, "Enter": self.confirm_button, "Backspace": self.back_button}
        for name, item in pressed.items():
            add_shortcut(self, name, item.click)

    def _lay_out_widgets(self) -> None:
        ends = QHBoxLayout()
        ends.addWidget(self.back_button)
        ends.addWidget(self.play_button)
        ends.addStretch()
        ends.addWidget(self.confirm_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self.head)
        column.addWidget(self.question, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.scale, 1, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.bar)
        column.addWidget(self.hint, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addLayout(ends)
