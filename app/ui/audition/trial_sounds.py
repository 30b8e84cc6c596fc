"""The playback controls of a trial: a button for each sound, a play button, and the position."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from app.common.language import localize
from app.ui.audition.trial_buttons import create_button, create_exclusive_group, uncheck_all

REFERENCE_LETTER = "R"
POSITION_STEPS = 1_000


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
