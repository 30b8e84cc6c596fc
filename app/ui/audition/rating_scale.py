"""A rating scale: sounds side by side, each with a play button and a slider from 0 to 100."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from string import ascii_uppercase

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.audition.mushra import HIGHEST_MUSHRA_RATING
from app.common.language import localize
from app.ui.audition.rating_slider import RatingSlider
from app.ui.audition.trial_buttons import create_button, create_exclusive_group, describe_play_button, uncheck_all
from app.ui.plain_text import PlainLabel

RATING_LETTERS = ascii_uppercase
# The slider's height and its column's width in pixels; the steps of arrow and page keys in points.
HEIGHT, WIDTH, STEP, PAGE = 200, 52, 1, 10
UNRATED = "–"


class RatingScale(QWidget):
    """A row of sliders for a fixed number of sounds.

    Attributes:
        reference: The button that plays the open reference.
        buttons, sliders: Those of the sounds, from left to right.

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
        self._values = [QLabel(UNRATED, alignment=Qt.AlignmentFlag.AlignHCenter) for _ in range(count)]
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
            self._values[index].setText(str(self.sliders[index].value()))
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
        for place, (value, slider, item) in enumerate(zip(self._values, self.sliders, self.buttons, strict=True), 1):
            item.setMinimumWidth(WIDTH)
            grid.addWidget(value, 0, place)
            grid.addWidget(slider, 1, place, Qt.AlignmentFlag.AlignHCenter)
            grid.addWidget(item, 2, place)


def list_scale_labels() -> tuple[str, ...]:
    """Return the labels of the scale's five parts, from the top."""
    ja, en = ("非常に良い", "良い", "普通", "悪い", "非常に悪い"), ("Excellent", "Good", "Fair", "Poor", "Bad")
    return tuple(localize(*pair) for pair in zip(ja, en, strict=True))
