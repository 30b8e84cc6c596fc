"""A blind test from its plan to its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog, QStackedWidget, QVBoxLayout, QWidget

from app.audition.blind_test import BlindTest, Plan
from app.audition.html_sheet import html_sheet
from app.audition.listening import Load, sounds_of_trial
from app.audition.positions import new_seed
from app.audition.sheets import csv_sheet
from app.audition.trials import answered, begin, taken_back, trial_of
from app.errors import AppError
from app.language import localized
from app.ui.audition.parts import uncheck
from app.ui.audition.preparing_page import PreparingPage
from app.ui.audition.result_page import ResultPage
from app.ui.audition.save_sheet import save_sheet
from app.ui.audition.setup_page import SetupPage
from app.ui.audition.trial_page import TrialPage
from app.ui.audition.trial_sound import TrialSound
from app.ui.synthesis.controller import SpeechController
from app.ui.theme.measures import DIALOG_MARGINS
from app.ui.widgets.banner import Banner

SIZE = (620, 420)


class BlindTestDialog(QDialog):
    """Closing it leaves the test where it is; the next dialog with the same test continues.

    Attributes:
        test: as far as it is; None before it has begun.

    Signals:
        changed(BlindTest): it has begun, or was answered: to be kept.
        ended(BlindTest): its result is shown.
        mushra_requested(SetApart): sounds are to be rated against a reference, see `SetupPage`.

    Args:
        load: reads a sound by name, in a thread of its own.
    """

    changed = Signal(object)
    ended = Signal(object)
    mushra_requested = Signal(object)

    def __init__(self, parent: QWidget, speech: SpeechController, load: Load) -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("ブラインドテスト", "Blind test"))
        self.resize(*SIZE)
        self.test: BlindTest | None = None
        self.preparing: PreparingPage | None = None
        self.notice, self.pages = Banner(), QStackedWidget()
        self.trial, self.outcome = TrialPage(), ResultPage()
        for page in (self.trial, self.outcome):
            self.pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.addWidget(self.notice)
        column.addWidget(self.pages)
        self._load = load
        self.sound = TrialSound(self, speech)
        self._connect()

    def _connect(self) -> None:
        letters, sound = self.trial.letters, self.sound
        sound.background.failed.connect(self.notice.show_error)
        sound.ready.connect(lambda: letters.play.setEnabled(True))
        sound.switched.connect(self.trial.show_letter)
        sound.playing.connect(letters.show_playing)
        sound.moved.connect(letters.show_position)
        letters.listen_requested.connect(self._listen)
        letters.play_requested.connect(lambda: sound.play_or_stop(letters.current))
        self.trial.answered.connect(self._on_answered)
        self.trial.back_requested.connect(self._on_back)
        self.outcome.csv_requested.connect(partial(self._save, "csv", csv_sheet))
        self.outcome.html_requested.connect(partial(self._save, "html", html_sheet))
        self.finished.connect(sound.close)

    def prepare(self, count: int) -> None:
        """Shows that so many sounds are being made; `plan` follows."""
        self.preparing = PreparingPage(count)
        self.pages.setCurrentIndex(self.pages.addWidget(self.preparing))

    def show_prepared(self, made: int) -> None:
        """So many of them are there."""
        if self.preparing is not None:
            self.preparing.bar.setValue(made)

    def plan(self, names: Sequence[str], sounds: Sequence[Sequence[str]]) -> None:
        """Asks how these are to be compared; see `SetupPage`."""
        page = SetupPage(names, sounds)
        page.begin_requested.connect(self._on_begin)
        page.mushra_requested.connect(self.mushra_requested)
        self.pages.setCurrentIndex(self.pages.addWidget(page))

    def resume(self, test: BlindTest) -> None:
        """Continues a test, or shows the result of one that has ended."""
        self.test = test
        self._show()

    @Slot(object)
    def _on_begin(self, plan: Plan) -> None:
        try:
            test = begin(plan, new_seed())
        except AppError as error:
            self.notice.show_error(error)
            return
        self._take(test)

    def _take(self, test: BlindTest) -> None:
        self.test = test
        self.changed.emit(test)
        self._show()

    def _show(self) -> None:
        assert self.test is not None
        trial = trial_of(self.test)
        if trial is None:
            self.sound.stop()
            self.outcome.show_test(self.test)
            self.pages.setCurrentWidget(self.outcome)
            self.ended.emit(self.test)
            return
        self.sound.begin(partial(sounds_of_trial, self.test.plan, trial, self._load))
        self.trial.show_trial(self.test, trial)
        self.trial.letters.play.setEnabled(False)
        self.pages.setCurrentWidget(self.trial)
        self.trial.letters.buttons[0].setFocus()  # or keys would go to the page before

    @Slot(int)
    def _listen(self, place: int) -> None:
        """A click has checked the button already; where nothing is there to be heard, nothing is checked."""
        self.sound.listen(place)
        letters = self.trial.letters
        if place not in letters.heard:
            uncheck(letters.group)

    @Slot(str, int)
    def _on_answered(self, choice: str, ms: int) -> None:
        if self.test is not None and choice in ("a", "b", "none"):
            self._take(answered(self.test, choice, ms))  # type: ignore[arg-type]

    @Slot()
    def _on_back(self) -> None:
        if self.test is not None and self.test.answers:
            self._take(taken_back(self.test))

    def _save(self, suffix: str, sheet: Callable[[BlindTest], str]) -> None:
        if self.test is not None:
            save_sheet(self, self.sound.background, suffix, sheet(self.test))
