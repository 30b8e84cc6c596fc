"""Sounds beside each other, each with a button to hear it and a slider from 0 to 100."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from string import ascii_uppercase

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.audition.mushra import HIGHEST
from app.language import localized
from app.ui.audition.parts import button, exclusive, play_words, uncheck
from app.ui.audition.rating_slider import RatingSlider
from app.ui.plain_text import PlainLabel

LETTERS = ascii_uppercase
HEIGHT, WIDTH, STEP, PAGE = 200, 52, 1, 10  # pixels of a slider, of its column; points
UNRATED = "–"


class RatingScale(QWidget):
    """Made for so many sounds.

    Attributes:
        reference: hears the open reference.
        buttons, sliders: of the sounds, from left to right.

    Signals:
        listen_requested(int): 0 is the reference, the others follow.
        changed(): something was heard or rated.
    """

    listen_requested = Signal(int)
    changed = Signal()

    def __init__(self, count: int) -> None:
        super().__init__()
        self._heard: set[int] = set()
        self._rated: set[int] = set()
        tip = localized("参照を再生します（R キー）。", "Plays the reference (R key).")
        words, hear = localized("参照", "Reference"), partial(self.listen_requested.emit, 0)
        self.reference = button(words, tip, hear, name=localized("参照を再生", "Play the reference"), checkable=True)
        self.buttons = [self._button(place) for place in range(count)]
        self.sliders = [self._slider(place) for place in range(count)]
        self._values = [QLabel(UNRATED, alignment=Qt.AlignmentFlag.AlignHCenter) for _ in range(count)]
        self._group = exclusive(self, (self.reference, *self.buttons))
        self._lay_out()

    @property
    def values(self) -> list[int]:
        """From left to right."""
        return [slider.value() for slider in self.sliders]

    @property
    def is_complete(self) -> bool:
        """Everything was heard and rated."""
        return len(self._rated) == len(self.sliders) and len(self._heard) == len(self.sliders) + 1

    @property
    def is_heard(self) -> bool:
        """Everything was heard."""
        return len(self._heard) == len(self.sliders) + 1

    @property
    def current(self) -> int:
        """What plays, or will; the reference before anything was chosen."""
        return next((place for place, item in enumerate((self.reference, *self.buttons)) if item.isChecked()), 0)

    def show_heard(self, place: int) -> None:
        """It is heard now."""
        (self.reference, *self.buttons)[place].setChecked(True)
        self._heard.add(place)
        self.changed.emit()

    def show_nothing(self) -> None:
        """A click has checked a button, and nothing is to be heard yet."""
        uncheck(self._group)

    def is_known(self, place: int) -> bool:
        """It was heard."""
        return place in self._heard

    def _button(self, place: int) -> QPushButton:
        letter = LETTERS[place]
        tip = localized(f"{letter} を再生します（{letter} キー）。", f"Plays {letter} ({letter} key).")
        return button(letter, tip, partial(self.listen_requested.emit, place + 1), name=play_words(letter), checkable=True)

    def _slider(self, place: int) -> RatingSlider:
        slider = RatingSlider()
        slider.setRange(0, HIGHEST)
        slider.setSingleStep(STEP)
        slider.setPageStep(PAGE)
        slider.setMinimumHeight(HEIGHT)
        slider.setAccessibleName(localized(f"{LETTERS[place]} の評価", f"Rating of {LETTERS[place]}"))
        slider.setToolTip(localized("参照との近さを 0〜100 点で付けます。", "How close it is to the reference, 0 to 100."))
        for moved in (slider.valueChanged, slider.sliderPressed, slider.actionTriggered):
            moved.connect(self._rater(place))
        return slider

    def _rater(self, place: int) -> Callable[..., None]:
        def rate(*_what: object) -> None:
            self._rated.add(place)
            self._values[place].setText(str(self.sliders[place].value()))
            self.changed.emit()

        return rate

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.addWidget(self.reference, 2, 0)
        words = QVBoxLayout()
        for word in scale_words():
            label = PlainLabel(word)
            label.setObjectName("muted")
            words.addWidget(label, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        grid.addLayout(words, 1, 0)
        for place, (value, slider, item) in enumerate(zip(self._values, self.sliders, self.buttons, strict=True), 1):
            item.setMinimumWidth(WIDTH)
            grid.addWidget(value, 0, place)
            grid.addWidget(slider, 1, place, Qt.AlignmentFlag.AlignHCenter)
            grid.addWidget(item, 2, place)


def scale_words() -> tuple[str, ...]:
    """The five parts of the scale, from the top."""
    ja, en = ("非常に良い", "良い", "普通", "悪い", "非常に悪い"), ("Excellent", "Good", "Fair", "Poor", "Bad")
    return tuple(localized(*pair) for pair in zip(ja, en, strict=True))
