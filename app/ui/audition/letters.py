"""What can be heard in a trial: a button for each letter, playing, and where the sound is."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.language import localized
from app.ui.audition.parts import BUTTON, button, exclusive, name_play, play_words, uncheck
from app.ui.plain_text import PlainLabel

LETTERS = ("A", "B", "X")
REFERENCE = "R"
CHOICES, WITH_X, WITH_REFERENCE = LETTERS[:2], LETTERS, (*LETTERS[:2], REFERENCE)
STEPS = 1_000  # of the bar


class Letters(QWidget):
    """Knows what was listened to.

    Attributes:
        heard: letters that were heard in this trial, counted from 0.
        group: of the buttons.

    Signals:
        listen_requested(int): the letter that is to be heard; what plays continues with it.
        play_requested(): begins, or stops.
    """

    listen_requested = Signal(int)
    play_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.heard: set[int] = set()
        self.letters: tuple[str, ...] = LETTERS
        self.buttons = [button(letter, "", partial(self.listen, place), checkable=True) for place, letter in enumerate(LETTERS)]
        self._name_buttons()
        self.group = exclusive(self, self.buttons)
        self.play = button(localized("再生", "Play"), localized("再生・停止（Space）", "Plays or stops (Space)."), self.play_requested.emit)
        self.play.setMinimumHeight(BUTTON[1])
        self.bar = position_bar()
        row = QHBoxLayout()
        row.addStretch()
        for item in self.buttons:
            item.setMinimumSize(*BUTTON)
        for item in (*self.buttons, self.play):
            row.addWidget(item)
        row.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addLayout(row)
        column.addWidget(self.bar)

    @property
    def count(self) -> int:
        """How many letters the trial has."""
        return len(self.letters)

    def begin(self, letters: tuple[str, ...]) -> None:
        """A new trial with these letters: nothing was heard."""
        self.letters, self.heard = letters, set()
        for place, item in enumerate(self.buttons):
            item.setVisible(place < len(letters))
        self._name_buttons()
        uncheck(self.group)
        self.show_position(0.0)

    @property
    def names(self) -> str:
        """The letters of this trial, for people."""
        return localized("・", ", ").join(self.letters)

    @property
    def current(self) -> int:
        """The letter that plays, or will; the first one before any was chosen."""
        return next((place for place, item in enumerate(self.buttons) if item.isChecked()), 0)

    def listen_to(self, letter: str) -> None:
        """The same by its letter, if the trial has it."""
        if letter in self.letters:
            self.listen(self.letters.index(letter))

    def listen(self, place: int) -> None:
        """Asks for a letter, if the trial has it."""
        if place < self.count:
            self.listen_requested.emit(place)

    def show_letter(self, place: int) -> None:
        """It is heard now."""
        self.buttons[place].setChecked(True)
        self.heard.add(place)

    def show_playing(self, playing: bool) -> None:
        """Says what the play button does now."""
        name_play(self.play, playing=playing)

    def _name_buttons(self) -> None:
        for item, letter in zip(self.buttons, self.letters, strict=False):
            is_reference = letter == REFERENCE
            item.setText(localized("参照", "Reference") if is_reference else letter)
            item.setAccessibleName(localized("参照を再生", "Play the reference") if is_reference else play_words(letter))
            item.setToolTip(localized(f"{item.text()} に切り替えます（{letter} キー）。", f"Switches to {item.text()} ({letter} key)."))

    def show_position(self, share: float) -> None:
        """How much was heard, 0 to 1."""
        self.bar.setValue(round(STEPS * share))


def position_bar() -> QProgressBar:
    """A thin bar that shows how far playback is."""
    bar = QProgressBar()
    bar.setRange(0, STEPS)
    bar.setTextVisible(False)
    bar.setFixedHeight(6)
    bar.setAccessibleName(localized("再生位置", "Position"))
    bar.setToolTip(localized("再生中の位置です。", "Playback position of the sound."))
    return bar


class Head(QWidget):
    """Which trial it is, and the hash that was sealed before the first."""

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
        """The beginning of it; all of it when the pointer rests there."""
        self.sealed.setText(localized(f"ハッシュ {commitment[:12]}…", f"Hash {commitment[:12]}…"))
        words = localized(
            "並び順を決めるシードの SHA-256 です。シードは最後に表示されます。",
            "SHA-256 of the seed that decides the order; the seed is shown at the end.",
        )
        self.sealed.setToolTip(f"{words}\n{commitment}")
