"""One trial of a MUSHRA test: listen, rate, continue. No names are here to be seen."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.audition.mushra import MushraTest, MushraTrial
from app.language import localized
from app.ui.audition.letters import STEPS, Head, position_bar
from app.ui.audition.parts import button, key, name_play
from app.ui.audition.rating_scale import LETTERS, RatingScale
from app.ui.plain_text import PlainLabel


class RatingPage(QWidget):
    """Made for one trial.

    Signals:
        rated(list[int], int): 0 to 100 for each sound from left to right, and milliseconds since the trial was shown.
        back_requested(): the last ratings were a mistake.
        play_requested(): begins, or stops.
    """

    rated = Signal(object, int)
    back_requested = Signal()
    play_requested = Signal()

    def __init__(self, test: MushraTest, trial: MushraTrial) -> None:
        super().__init__()
        self._began = time.monotonic()
        self.head, self.scale, self.bar = Head(), RatingScale(len(trial.order)), position_bar()
        self.head.number.setText(f"MUSHRA  {trial.number + 1} / {len(test.plan.sounds)}")
        self.head.show_seal(test.commitment)
        question = localized(
            "参照にどれだけ近いですか？ 参照と同じ音声が 1 つあります。",
            "How close is each sound to the reference? One of them is the reference itself.",
        )
        self.question, self.hint = PlainLabel(question), PlainLabel()
        self.hint.setObjectName("muted")
        self.play = button(localized("再生", "Play"), localized("再生・停止（Space）", "Plays or stops (Space)."), self.play_requested.emit)
        self.play.setEnabled(False)
        tip = localized("この評価で次へ進みます（Enter）。", "Takes these ratings and continues (Enter).")
        self.confirm = button(localized("決定", "Confirm"), tip, self._confirm, primary=True)
        tip = localized("前の行の評価をやり直します（Backspace）。", "Takes back the ratings of the line before (Backspace).")
        self.back = button(localized("戻る", "Back"), tip, self.back_requested.emit)
        self.back.setEnabled(trial.number > 0)
        self.scale.changed.connect(self._show)
        self._lay_out()
        self._bind_keys()
        self._show()

    def show_playing(self, playing: bool) -> None:
        """Says what the play button does now."""
        name_play(self.play, playing=playing)

    def show_position(self, share: float) -> None:
        """How much was heard, 0 to 1."""
        self.bar.setValue(round(STEPS * share))

    @Slot()
    def _show(self) -> None:
        self.confirm.setEnabled(self.scale.is_complete)
        if not self.scale.is_heard:
            last = LETTERS[len(self.scale.buttons) - 1]
            words = localized(f"すべて聞いてください（R、A〜{last} キー）。", f"Listen to all of them (keys R, A–{last}).")
        elif not self.scale.is_complete:
            words = localized("すべてに点を付けてください。", "Rate all of them.")
        else:
            words = localized("Enter で決定します。", "Press Enter to confirm.")
        self.hint.setText(words)

    def _confirm(self) -> None:
        self.rated.emit(self.scale.values, round((time.monotonic() - self._began) * 1000))

    def _bind_keys(self) -> None:
        key(self, "R", partial(self.scale.listen_requested.emit, 0))
        for place, letter in enumerate(LETTERS[: len(self.scale.buttons)], 1):
            key(self, letter, partial(self.scale.listen_requested.emit, place))
        pressed = {"Space": self.play, "Return": self.confirm, "Enter": self.confirm, "Backspace": self.back}
        for name, item in pressed.items():
            key(self, name, item.click)

    def _lay_out(self) -> None:
        ends = QHBoxLayout()
        ends.addWidget(self.back)
        ends.addWidget(self.play)
        ends.addStretch()
        ends.addWidget(self.confirm)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self.head)
        column.addWidget(self.question, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.scale, 1, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.bar)
        column.addWidget(self.hint, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addLayout(ends)
