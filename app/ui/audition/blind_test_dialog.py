"""The dialog of a blind test, from its plan to its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog, QStackedWidget, QVBoxLayout, QWidget

from app.audition.blind_test import BlindTest, BlindTestPlan
from app.audition.blind_test_trials import add_answer, begin_blind_test, find_blind_trial, take_back_answer
from app.audition.comparable_sounds import LoadSound, load_trial_sounds
from app.audition.csv_sheet import build_csv_sheet
from app.audition.html_sheet import build_html_sheet
from app.audition.sealed_order import generate_seed
from app.common.errors import AppError
from app.common.language import localize
from app.ui.audition.blind_test_setup_page import BlindTestSetupPage
from app.ui.audition.preparation_page import PreparationPage
from app.ui.audition.result_page import ResultPage
from app.ui.audition.sheet_saving import save_sheet
from app.ui.audition.trial_buttons import uncheck_all
from app.ui.audition.trial_page import TrialPage
from app.ui.audition.trial_player import TrialPlayer
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.theme.dialog_margins import DIALOG_MARGINS
from app.ui.widgets.banner import Banner

BLIND_TEST_DIALOG_SIZE = (620, 420)


class BlindTestDialog(QDialog):
    """A dialog that runs one blind test; closing it leaves the test where it is, and a later dialog can resume it.

    Attributes:
        test: The test with its answers so far; None before it has begun.

    Signals:
        changed(BlindTest): The test has begun or has another answer, and is to be kept.
        ended(BlindTest): The test's result is shown.
        mushra_requested(ReferenceSplit): The sounds are to be rated against a reference, see `BlindTestSetupPage`.

    Args:
        load_sound: Reads a sound by name, in a thread of its own.
    """

    changed = Signal(object)
    ended = Signal(object)
    mushra_requested = Signal(object)

    def __init__(self, parent: QWidget, speech: SpeechController, load_sound: LoadSound) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("ブラインドテスト", "Blind test"))
        self.resize(*BLIND_TEST_DIALOG_SIZE)
        self.test: BlindTest | None = None
        self.preparing: PreparationPage | None = None
        self.notice, self.pages = Banner(), QStackedWidget()
        self.trial, self.outcome = TrialPage(), ResultPage()
        for page in (self.trial, self.outcome):
            self.pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.addWidget(self.notice)
        column.addWidget(self.pages)
        self._load = load_sound
        self.sound = TrialPlayer(self, speech)
        self._connect_signals()

    def _connect_signals(self) -> None:
        letters, sound = self.trial.letters, self.sound
        sound.background.failed.connect(self.notice.show_error)
        sound.sounds_loaded.connect(lambda: letters.play_button.setEnabled(True))
        sound.sound_switched.connect(self.trial.show_letter)
        sound.playing_changed.connect(letters.show_playing)
        sound.position_changed.connect(letters.show_position)
        letters.listen_requested.connect(self._play_letter)
        letters.play_requested.connect(lambda: sound.toggle_playing(letters.current_index))
        self.trial.answered.connect(self._add_answer)
        self.trial.back_requested.connect(self._take_back_answer)
        self.outcome.csv_requested.connect(partial(self._save_sheet, "csv", build_csv_sheet))
        self.outcome.html_requested.connect(partial(self._save_sheet, "html", build_html_sheet))
        self.finished.connect(sound.close)

    def show_preparation(self, sound_count: int) -> None:
        """Show that `sound_count` sounds are being made; `show_setup` follows."""
        self.preparing = PreparationPage(sound_count)
        self.pages.setCurrentIndex(self.pages.addWidget(self.preparing))

    def show_prepared(self, prepared_count: int) -> None:
        """Show how many of the sounds are made."""
        if self.preparing is not None:
            self.preparing.bar.setValue(prepared_count)

    def show_setup(self, names: Sequence[str], sounds: Sequence[Sequence[str]]) -> None:
        """Ask how to compare these sounds; see `BlindTestSetupPage`."""
        page = BlindTestSetupPage(names, sounds)
        page.begin_requested.connect(self._begin_test)
        page.mushra_requested.connect(self.mushra_requested)
        self.pages.setCurrentIndex(self.pages.addWidget(page))

    def resume_test(self, test: BlindTest) -> None:
        """Continue a test, or show the result of one that has ended."""
        self.test = test
        self._show_test()

    @Slot(object)
    def _begin_test(self, plan: BlindTestPlan) -> None:
        try:
            test = begin_blind_test(plan, generate_seed())
        except AppError as error:
            self.notice.show_error(error)
            return
        self._update_test(test)

    def _update_test(self, test: BlindTest) -> None:
        self.test = test
        self.changed.emit(test)
        self._show_test()

    def _show_test(self) -> None:
        assert self.test is not None
        trial = find_blind_trial(self.test)
        if trial is None:
            self.sound.stop_sound()
            self.outcome.show_test(self.test)
            self.pages.setCurrentWidget(self.outcome)
            self.ended.emit(self.test)
            return
        self.sound.begin_trial(partial(load_trial_sounds, self.test.plan, trial, self._load))
        self.trial.show_trial(self.test, trial)
        self.trial.letters.play_button.setEnabled(False)
        self.pages.setCurrentWidget(self.trial)
        # Without this the focus stays on the hidden page before, and this page gets no keys.
        self.trial.letters.buttons[0].setFocus()

    @Slot(int)
    def _play_letter(self, index: int) -> None:
        self.sound.play_sound(index)
        letters = self.trial.letters
        # The click has checked the button already; a letter whose sound is not loaded yet must not look chosen.
        if index not in letters.heard:
            uncheck_all(letters.group)

    @Slot(str, int)
    def _add_answer(self, choice: str, ms: int) -> None:
        if self.test is not None and choice in ("a", "b", "none"):
            self._update_test(add_answer(self.test, choice, ms))  # type: ignore[arg-type]

    @Slot()
    def _take_back_answer(self) -> None:
        if self.test is not None and self.test.answers:
            self._update_test(take_back_answer(self.test))

    def _save_sheet(self, suffix: str, build_sheet: Callable[[BlindTest], str]) -> None:
        if self.test is not None:
            save_sheet(self, self.sound.background, suffix, build_sheet(self.test))
