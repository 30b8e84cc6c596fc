"""The playback controls of a trial: a button for each letter, a play button, and the position."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.audition.trial_buttons import (
    BUTTON_SIZE_PX,
    create_button,
    create_exclusive_group,
    describe_play_button,
    uncheck_all,
    update_play_button,
)
from app.ui.plain_text import PlainLabel

TRIAL_LETTERS = ("A", "B", "X")
REFERENCE_LETTER = "R"
CHOICES, WITH_X, WITH_REFERENCE = TRIAL_LETTERS[:2], TRIAL_LETTERS, (*TRIAL_LETTERS[:2], REFERENCE_LETTER)
POSITION_STEPS = 1_000


class TrialLetters(QWidget):
    """Letter buttons that remember which sounds were heard.

    Attributes:
        heard: The indices of the letters heard in this trial.
        group: The group of the buttons.

    Signals:
        listen_requested(int): A letter is to be heard; playback continues with its sound.
        play_requested(): Playback is to begin or to stop.
    """

    listen_requested = Signal(int)
    play_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.heard: set[int] = set()
        self.letters: tuple[str, ...] = TRIAL_LETTERS
        self.buttons = [
            create_button(letter, "", partial(self.request_index, place), is_checkable=True) for place, letter in enumerate(TRIAL_LETTERS)
        ]
        self._update_button_names()
        self.group = create_exclusive_group(self, self.buttons)
        self.play_button = create_button(
            localize("再生", "Play"), localize("再生・停止（Space）", "Plays or stops (Space)."), self.play_requested.emit
        )
        self.play_button.setMinimumHeight(BUTTON_SIZE_PX[1])
        self.bar = create_position_bar()
        row = QHBoxLayout()
        row.addStretch()
        for item in self.buttons:
            item.setMinimumSize(*BUTTON_SIZE_PX)
        for item in (*self.buttons, self.play_button):
            row.addWidget(item)
        row.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addLayout(row)
        column.addWidget(self.bar)

    @property
    def count(self) -> int:
        """Return the number of letters in the trial."""
        return len(self.letters)

    def begin_trial(self, letters: tuple[str, ...]) -> None:
        """Show the letters of a new trial, with none of them heard."""
        self.letters, self.heard = letters, set()
        for place, item in enumerate(self.buttons):
            item.setVisible(place < len(letters))
        self._update_button_names()
        uncheck_all(self.group)
        self.show_position(0.0)

    @property
    def letter_names(self) -> str:
        """Return the letters of this trial, as they are shown."""
        return localize("・", ", ").join(self.letters)

    @property
    def current_index(self) -> int:
        """Return the index of the letter that plays or is about to; 0 before any choice."""
        return next((place for place, item in enumerate(self.buttons) if item.isChecked()), 0)

    def request_letter(self, letter: str) -> None:
        """Request a sound by its letter, if the trial has it."""
        if letter in self.letters:
            self.request_index(self.letters.index(letter))

    def request_index(self, index: int) -> None:
        """Request a sound by its index, if the trial has it."""
        if index < self.count:
            self.listen_requested.emit(index)

    def show_letter(self, index: int) -> None:
        """Mark a letter as playing and as heard."""
        self.buttons[index].setChecked(True)
        self.heard.add(index)

    def show_playing(self, is_playing: bool) -> None:
        """Show on the button whether it plays or stops now."""
        update_play_button(self.play_button, is_playing=is_playing)

    def _update_button_names(self) -> None:
        for item, letter in zip(self.buttons, self.letters, strict=False):
            is_reference = letter == REFERENCE_LETTER
            item.setText(localize("参照", "Reference") if is_reference else letter)
            item.setAccessibleName(localize("参照を再生", "Play the reference") if is_reference else describe_play_button(letter))
            item.setToolTip(localize(f"{item.text()} に切り替えます（{letter} キー）。", f"Switches to {item.text()} ({letter} key)."))

    def show_position(self, fraction: float) -> None:
        """Show how much of the sound was played, as a fraction from 0 to 1."""
        self.bar.setValue(round(POSITION_STEPS * fraction))


def create_position_bar() -> QProgressBar:
    """Return a thin bar that shows the playback position."""
    bar = QProgressBar()
    bar.setRange(0, POSITION_STEPS)
    bar.setTextVisible(False)
    bar.setFixedHeight(6)
    bar.setAccessibleName(localize("再生位置", "Position"))
    bar.setToolTip(localize("再生中の位置です。", "Playback position of the sound."))
    return bar


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
