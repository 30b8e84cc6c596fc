"""The dialog of a MUSHRA test, from its first trial to its result."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog, QStackedWidget, QVBoxLayout, QWidget

from app.audition.comparable_sounds import LoadSound
from app.audition.mushra import MushraTest, add_ratings, find_mushra_trial, take_back_ratings
from app.audition.mushra_result import compute_mushra_result, describe_mushra_verdict
from app.audition.mushra_sheets import build_mushra_csv, build_mushra_html, build_score_rows, list_score_titles
from app.audition.mushra_sounds import load_mushra_sounds
from app.common.language import localize
from app.ui.audition.rating_page import RatingPage
from app.ui.audition.result_page import ResultPage
from app.ui.audition.sheet_saving import save_sheet
from app.ui.audition.trial_player import TrialPlayer
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.theme.dialog_margins import DIALOG_MARGINS
from app.ui.widgets.banner import Banner

MUSHRA_DIALOG_SIZE = (640, 480)


class MushraDialog(QDialog):
    """A dialog that runs one MUSHRA test; closing it leaves the test where it is, and a later dialog can resume it.

    Attributes:
        test: The test with its ratings so far.
        page: The page of the current trial; None after the last one.

    Signals:
        changed(MushraTest): The test has begun or has more ratings, and is to be kept.
        ended(MushraTest): The test's result is shown.

    Args:
        load_sound: Reads a sound by name, in a thread of its own.
    """

    changed = Signal(object)
    ended = Signal(object)

    def __init__(self, parent: QWidget, test: MushraTest, speech: SpeechController, load_sound: LoadSound) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("ブラインドテスト", "Blind test"))
        self.resize(*MUSHRA_DIALOG_SIZE)
        self.test, self._load = test, load_sound
        self.page: RatingPage | None = None
        self.notice, self.pages, self.outcome = Banner(), QStackedWidget(), ResultPage()
        self.pages.addWidget(self.outcome)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.addWidget(self.notice)
        column.addWidget(self.pages)
        self.sound = TrialPlayer(self, speech)
        self.sound.background.failed.connect(self.notice.show_error)
        self.sound.sounds_loaded.connect(self._enable_rating)
        self.sound.sound_switched.connect(self._show_letter)
        self.sound.playing_changed.connect(lambda playing: self.page.show_playing(playing) if self.page is not None else None)
        self.sound.position_changed.connect(lambda share: self.page.show_position(share) if self.page is not None else None)
        self.outcome.csv_requested.connect(partial(self._save_sheet, "csv", build_mushra_csv))
        self.outcome.html_requested.connect(partial(self._save_sheet, "html", build_mushra_html))
        self.finished.connect(self.sound.close)
        self._show_test()

    def _update_test(self, test: MushraTest) -> None:
        self.test = test
        self.changed.emit(test)
        self._show_test()

    def _show_test(self) -> None:
        trial, before = find_mushra_trial(self.test), self.page
        if trial is None:
            self.page = None
            self.sound.stop_sound()
            self._show_result()
        else:
            page = self.page = RatingPage(self.test, trial)
            page.scale.listen_requested.connect(self._play_letter)
            page.play_requested.connect(lambda: self.sound.toggle_playing(page.scale.current_index))
            page.rated.connect(lambda values, ms: self._update_test(add_ratings(self.test, values, ms)))
            page.back_requested.connect(lambda: self._update_test(take_back_ratings(self.test)))
            self.sound.begin_trial(partial(load_mushra_sounds, self.test.plan, trial, self._load))
            self.pages.setCurrentIndex(self.pages.addWidget(page))
            # Without this the focus stays on the page before, which is about to be deleted.
            page.scale.reference.setFocus()
        if before is not None:
            self.pages.removeWidget(before)
            before.deleteLater()

    def _show_result(self) -> None:
        result, plan = compute_mushra_result(self.test), self.test.plan
        self.outcome.show_verdict(describe_mushra_verdict(result, plan.names), self.test.seed, self.test.commitment)
        if result is not None:
            self.outcome.show_table(list_score_titles(), build_score_rows(result, plan.list_column_names()))
        self.pages.setCurrentWidget(self.outcome)
        self.ended.emit(self.test)

    @Slot()
    def _enable_rating(self) -> None:
        if self.page is not None:
            self.page.play_button.setEnabled(True)

    @Slot(int)
    def _show_letter(self, index: int) -> None:
        if self.page is not None:
            self.page.scale.mark_heard(index)

    @Slot(int)
    def _play_letter(self, index: int) -> None:
        self.sound.play_sound(index)
        # The click has checked the button already; a letter whose sound is not loaded yet must not look chosen.
        if self.page is not None and not self.page.scale.has_heard(index):
            self.page.scale.uncheck_buttons()

    def _save_sheet(self, suffix: str, build_sheet: Callable[[MushraTest], str]) -> None:
        save_sheet(self, self.sound.background, suffix, build_sheet(self.test))
