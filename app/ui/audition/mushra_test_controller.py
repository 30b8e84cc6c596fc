"""The controller of MUSHRA tests of takes: reads and keeps the user's references, and keeps the ratings in the project."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QDialog, QStackedWidget, QVBoxLayout, QWidget

from app.adapters.sound.recording_reader import read_recording
from app.audition.blind_test import BlindTest, BlindTestPlan, check_blind_test_plan
from app.audition.blind_test_data import dump_blind_test
from app.audition.blind_test_trials import add_ratings, begin_blind_test, find_blind_trial, take_back_answer
from app.audition.comparable_sounds import LoadSound, load_trial_sounds
from app.audition.csv_sheet import build_csv_sheet
from app.audition.html_sheet import build_html_sheet
from app.audition.sealed_order import generate_seed
from app.audition.winner_settings import find_winner
from app.common.errors import AppError
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.audition.blind_test_store import BlindTestStore
from app.ui.audition.rating_page import RatingPage
from app.ui.audition.result_page import ResultPage
from app.ui.audition.sheet_saving import save_sheet
from app.ui.audition.trial_player import TrialPlayer
from app.ui.audition.winner_offer import offer_winner
from app.ui.script.script_document import ScriptDocument
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes.take_repository import TakeRepository
from app.ui.theme.dialog_margins import DIALOG_MARGINS
from app.ui.widgets.banner import Banner
from app.ui.widgets.open_file_dialogs import ask_for_files

MUSHRA_DIALOG_SIZE = (640, 480)


class MushraDialog(QDialog):
    """A dialog that runs one MUSHRA test; closing it leaves the test where it is, and a later dialog can resume it.

    Attributes:
        test: The test with its ratings so far.
        page: The page of the current trial; None after the last one.

    Signals:
        changed(BlindTest): The test has begun or has more ratings, and is to be kept.
        ended(BlindTest): The test's result is shown.

    Args:
        load_sound: Reads a sound by name, in a thread of its own.
    """

    changed = Signal(object)
    ended = Signal(object)

    def __init__(self, parent: QWidget, test: BlindTest, speech: SpeechController, load_sound: LoadSound) -> None:
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
        self.outcome.csv_requested.connect(partial(self._save_sheet, "csv", build_csv_sheet))
        self.outcome.html_requested.connect(partial(self._save_sheet, "html", build_html_sheet))
        self.finished.connect(self.sound.close)
        self._show_test()

    def _update_test(self, test: BlindTest) -> None:
        self.test = test
        self.changed.emit(test)
        self._show_test()

    def _show_test(self) -> None:
        trial, before = find_blind_trial(self.test), self.page
        if trial is None:
            self.page = None
            self.sound.stop_sound()
            self._show_result()
        else:
            page = self.page = RatingPage(self.test, trial)
            page.scale.listen_requested.connect(self._play_letter)
            page.play_requested.connect(lambda: self.sound.toggle_playing(page.scale.current_index))
            page.rated.connect(lambda values, ms: self._update_test(add_ratings(self.test, values, ms)))
            page.back_requested.connect(lambda: self._update_test(take_back_answer(self.test)))
            self.sound.begin_trial(partial(load_trial_sounds, self.test.plan, trial, self._load))
            self.pages.setCurrentIndex(self.pages.addWidget(page))
            # Without this the focus stays on the page before, which is about to be deleted.
            page.scale.reference.setFocus()
        if before is not None:
            self.pages.removeWidget(before)
            before.deleteLater()

    def _show_result(self) -> None:
        self.outcome.show_test(self.test)
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

    def _save_sheet(self, suffix: str, build_sheet: Callable[[BlindTest], str]) -> None:
        save_sheet(self, self.sound.background, suffix, build_sheet(self.test))


REFERENCE_FILE_PATTERNS = ("*.wav", "*.flac", "*.ogg", "*.opus", "*.mp3")


class MushraTestController(QObject):
    """Opens MUSHRA tests and keeps their ratings; it is made with the controller of the other blind tests.

    Attributes:
        dialog: The open dialog, or None.
    """

    def __init__(
        self,
        owner: QObject,
        parent: QWidget,
        test_store: BlindTestStore,
        take_repository: TakeRepository,
        speech: SpeechController,
        load_sound: LoadSound,
        document: ScriptDocument,
    ) -> None:
        super().__init__(owner)
        self._document = document
        self._parent, self._test_store, self._take_repository, self._speech, self._load = (
            parent,
            test_store,
            take_repository,
            speech,
            load_sound,
        )
        self.dialog: MushraDialog | None = None

    def begin_test(
        self, setup_dialog: BlindTestDialog, names: Sequence[str], sounds: Sequence[Sequence[str]], references: Sequence[str] = ()
    ) -> None:
        """Begin a test with kept references, or ask for sound files. `setup_dialog` stays open where the test cannot begin."""
        if not references:
            self._ask_for_references(setup_dialog, names, sounds)
            return
        plan = BlindTestPlan("mushra", tuple(map(tuple, sounds)), tuple(names), references=tuple(references))
        try:
            test = begin_blind_test(plan, generate_seed())
        except AppError as error:
            setup_dialog.notice.show_error(error)
            return
        setup_dialog.accept()
        self.show_test(test)

    def _ask_for_references(self, setup_dialog: BlindTestDialog, names: Sequence[str], sounds: Sequence[Sequence[str]]) -> None:
        """Ask for sound files as references, keep them, and begin the test."""
        title = localize("参照の音声ファイルを選択", "Choose the references")
        files = ask_for_files(setup_dialog, title, localize("音声", "Sound") + f" ({' '.join(REFERENCE_FILE_PATTERNS)})")
        if not files:
            return
        plan = BlindTestPlan("mushra", tuple(map(tuple, sounds)), tuple(names), references=tuple(map(str, files)))
        try:
            check_blind_test_plan(plan)
        except AppError as error:
            setup_dialog.notice.show_error(error)
            return
        kept: dict[int, str] = {}

        def add_reference(index: int, name: str) -> None:
            kept[index] = name
            # The files are read in any order; the last one begins the test, unless the user closed the dialog meanwhile.
            if len(kept) == len(files) and setup_dialog.isVisible():
                setup_dialog.accept()
                self.show_test(
                    begin_blind_test(replace(plan, references=tuple(kept[number] for number in range(len(files)))), generate_seed())
                )

        for place, file in enumerate(sorted(files, key=lambda file: _split_natural_key(file.name))):
            setup_dialog.sound.background.run_work(
                partial(read_recording, file), partial(self._keep_reference, partial(add_reference, place))
            )

    def _keep_reference(self, on_kept: Callable[[str], object], sound: tuple[Float32, int]) -> None:
        self._take_repository.keep_unnamed(*sound, on_kept)

    def show_test(self, test: BlindTest) -> None:
        """Begin or continue a test in a dialog of its own."""
        self.close()
        dialog = self.dialog = MushraDialog(self._parent, test, self._speech, self._load)
        dialog.changed.connect(self._keep_test)
        dialog.ended.connect(partial(self._offer_winner, dialog))
        dialog.finished.connect(self._forget_dialog)
        self._keep_test(test)
        dialog.show()

    def close(self) -> None:
        """Close the dialog; the ratings so far are kept."""
        if self.dialog is not None:
            self.dialog.reject()

    def _offer_winner(self, dialog: MushraDialog, test: BlindTest) -> None:
        plan = test.plan
        offer_winner(dialog.outcome, self._document, self._take_repository.book.takes, plan.names, plan.sounds, find_winner(test))

    def _keep_test(self, test: BlindTest) -> None:
        self._test_store.keep_test(test.id, dump_blind_test(test))

    def _forget_dialog(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = None


def _split_natural_key(name: str) -> list[tuple[int, str]]:
    """Return a sort key that puts "10" after "9"."""
    return [(int(part), "") if part.isdigit() else (-1, part.lower()) for part in re.split(r"(\d+)", name)]
