"""The page of one MUSHRA trial: listen, rate, continue. It shows no names."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.audition.mushra import MushraTest, MushraTrial
from app.common.language import localize
from app.ui.audition.rating_scale import RATING_LETTERS, RatingScale
from app.ui.audition.trial_buttons import add_shortcut, create_button, update_play_button
from app.ui.audition.trial_letters import POSITION_STEPS, TrialHeader, create_position_bar
from app.ui.plain_text import PlainLabel


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

    def __init__(self, test: MushraTest, trial: MushraTrial) -> None:
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
