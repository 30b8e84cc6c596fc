"""A MUSHRA test from its first trial to its result."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog, QStackedWidget, QVBoxLayout, QWidget

from app.audition.listening import Load
from app.audition.mushra import MushraTest, rated, taken_back, trial_of
from app.audition.mushra_listening import sounds_of_trial
from app.audition.mushra_result import result_of, verdict_of
from app.audition.mushra_sheets import mushra_csv, mushra_html, score_head, score_rows
from app.language import localized
from app.ui.audition.rating_page import RatingPage
from app.ui.audition.result_page import ResultPage
from app.ui.audition.save_sheet import save_sheet
from app.ui.audition.trial_sound import TrialSound
from app.ui.synthesis.controller import SpeechController
from app.ui.theme.measures import DIALOG_MARGINS
from app.ui.widgets.banner import Banner

SIZE = (640, 480)


class MushraDialog(QDialog):
    """Closing it leaves the test where it is; the next dialog with the same test continues.

    Attributes:
        test: as far as it is.
        page: of the current trial; None after the last one.

    Signals:
        changed(MushraTest): it has begun, or was rated: to be kept.
        ended(MushraTest): its result is shown.

    Args:
        load: reads a sound by name, in a thread of its own.
    """

    changed = Signal(object)
    ended = Signal(object)

    def __init__(self, parent: QWidget, test: MushraTest, speech: SpeechController, load: Load) -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("ブラインドテスト", "Blind test"))
        self.resize(*SIZE)
        self.test, self._load = test, load
        self.page: RatingPage | None = None
        self.notice, self.pages, self.outcome = Banner(), QStackedWidget(), ResultPage()
        self.pages.addWidget(self.outcome)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.addWidget(self.notice)
        column.addWidget(self.pages)
        self.sound = TrialSound(self, speech)
        self.sound.background.failed.connect(self.notice.show_error)
        self.sound.ready.connect(self._on_ready)
        self.sound.switched.connect(self._on_switched)
        self.sound.playing.connect(lambda playing: self.page.show_playing(playing) if self.page is not None else None)
        self.sound.moved.connect(lambda share: self.page.show_position(share) if self.page is not None else None)
        self.outcome.csv_requested.connect(partial(self._save, "csv", mushra_csv))
        self.outcome.html_requested.connect(partial(self._save, "html", mushra_html))
        self.finished.connect(self.sound.close)
        self._show()

    def _take(self, test: MushraTest) -> None:
        self.test = test
        self.changed.emit(test)
        self._show()

    def _show(self) -> None:
        trial, before = trial_of(self.test), self.page
        if trial is None:
            self.page = None
            self.sound.stop()
            self._show_result()
        else:
            page = self.page = RatingPage(self.test, trial)
            page.scale.listen_requested.connect(self._listen)
            page.play_requested.connect(lambda: self.sound.play_or_stop(page.scale.current))
            page.rated.connect(lambda values, ms: self._take(rated(self.test, values, ms)))
            page.back_requested.connect(lambda: self._take(taken_back(self.test)))
            self.sound.begin(partial(sounds_of_trial, self.test.plan, trial, self._load))
            self.pages.setCurrentIndex(self.pages.addWidget(page))
            page.scale.reference.setFocus()
        if before is not None:
            self.pages.removeWidget(before)
            before.deleteLater()

    def _show_result(self) -> None:
        result, plan = result_of(self.test), self.test.plan
        self.outcome.show_words(verdict_of(result, plan.names), self.test.seed, self.test.commitment)
        if result is not None:
            self.outcome.show_table(score_head(), score_rows(result, plan.column_names()))
        self.pages.setCurrentWidget(self.outcome)
        self.ended.emit(self.test)

    @Slot()
    def _on_ready(self) -> None:
        if self.page is not None:
            self.page.play.setEnabled(True)

    @Slot(int)
    def _on_switched(self, place: int) -> None:
        if self.page is not None:
            self.page.scale.show_heard(place)

    @Slot(int)
    def _listen(self, place: int) -> None:
        """A click has checked the button already; where nothing is there to be heard, nothing is checked."""
        self.sound.listen(place)
        if self.page is not None and not self.page.scale.is_known(place):
            self.page.scale.show_nothing()

    def _save(self, suffix: str, sheet: Callable[[MushraTest], str]) -> None:
        save_sheet(self, self.sound.background, suffix, sheet(self.test))
