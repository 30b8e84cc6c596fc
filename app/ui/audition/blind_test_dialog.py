"""The dialog of a blind test, from its plan, which cannot change once the test has begun, to its result."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QStackedWidget, QVBoxLayout, QWidget

from app.adapters.files.part_file import build_write_error
from app.audition.blind_test import (
    BlindTest,
    BlindTestKind,
    BlindTestPlan,
    SoundSource,
    begin_blind_test,
    find_blind_trial,
    generate_seed,
    take_back_answer,
)
from app.audition.comparable_sounds import LoadSound, load_trial_sounds
from app.audition.result_sheets import build_csv_sheet, build_html_sheet
from app.common.errors import AppError
from app.common.files.whole_files import write_file_atomically
from app.common.language import localize
from app.ui.audition.answer_pages import ChoicePage, RatingPage
from app.ui.audition.result_page import ResultPage
from app.ui.audition.setup_page import BlindTestSetupPage
from app.ui.audition.trial_page import TrialPage, TrialPlayer, uncheck_all
from app.ui.background_thread import BackgroundThread
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.banner import Banner
from app.ui.widgets.controls import DIALOG_MARGINS, PlainLabel, fill_box
from app.ui.widgets.dialogs import SCREEN_MARGINS, ClosableDialog, append_suffix
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

PREPARATION_BAR_WIDTH_PX = 320


class PreparationPage(QWidget):
    """A progress bar of the sounds that are made."""

    def __init__(self, sound_count: int) -> None:
        super().__init__()
        label = PlainLabel(localize("比べる音声を合成しています…", "Synthesising the sounds to compare…"))
        self.bar = DeferredProgressBar(label.text(), sound_count)
        self.bar.setFixedWidth(PREPARATION_BAR_WIDTH_PX)
        self.bar.setValue(0)
        middle = Qt.AlignmentFlag.AlignHCenter
        fill_box(QVBoxLayout(self), None, (label, middle), (self.bar, middle), None, spacing=12)


BLIND_TEST_DIALOG_SIZE, METHODS_DIALOG_SIZE, RATING_DIALOG_SIZE = QSize(620, 440), QSize(660, 560), QSize(680, 560)


def save_sheet(parent: QWidget, background: BackgroundThread, suffix: str, text: str) -> None:
    """Ask for a file name and write the sheet in `background`, which reports errors."""
    start = Path.home() / f"koebako-test.{suffix}"
    name, _ = QFileDialog.getSaveFileName(parent, parent.windowTitle(), str(start), f"{suffix.upper()} (*.{suffix})")
    if name:
        file = Path(name) if Path(name).suffix else append_suffix(Path(name), f".{suffix}")
        background.run_work(partial(_write_sheet, file, text))


def _write_sheet(file: Path, text: str) -> None:
    try:
        write_file_atomically(file, text.encode("utf-8"))
    except OSError as exc:
        raise build_write_error(file, exc) from exc


class BlindTestDialog(ClosableDialog):
    """A dialog that runs one blind test; closing it leaves the test where it is, and a later dialog can resume it.

    Signals:
        changed(BlindTest): The test has begun or has another answer, and is to be kept.
        ended(BlindTest): The test's result is shown.
        references_requested(BlindTestPlan): The sounds are to be rated against sound files; `begin_test` follows.

    Args:
        load_sound: Reads a sound by name, in a thread of its own.
    """

    changed = Signal(object)
    ended = Signal(object)
    references_requested = Signal(object)

    def __init__(self, parent: QWidget, speech: SpeechController, load_sound: LoadSound) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("ブラインドテスト", "Blind test"))
        self.resize(BLIND_TEST_DIALOG_SIZE)
        self.test: BlindTest | None = None  # The test with its answers so far; None before it has begun
        self.preparing: PreparationPage | None = None
        self.notice, self.pages = Banner(), QStackedWidget()
        self.trial, self.outcome = ChoicePage(), ResultPage()
        self.rating: RatingPage | None = None
        self._page: TrialPage = self.trial
        self.pages.addWidget(self.outcome)
        fill_box(QVBoxLayout(self), self.notice, self.pages, margins=DIALOG_MARGINS)
        self._load = load_sound
        self.sound = TrialPlayer(self, speech)
        self._connect_signals()

    def _connect_signals(self) -> None:
        sound = self.sound
        sound.background.failed.connect(self.notice.show_error)
        sound.sounds_loaded.connect(lambda: self._page.sounds.play_button.setEnabled(True))
        sound.sound_switched.connect(lambda index: self._page.show_letter(index))
        sound.playing_changed.connect(lambda is_playing: self._page.sounds.show_playing(is_playing))
        sound.position_changed.connect(lambda fraction: self._page.sounds.show_position(fraction))
        self.outcome.csv_requested.connect(partial(self._save_sheet, "csv", build_csv_sheet))
        self.outcome.html_requested.connect(partial(self._save_sheet, "html", build_html_sheet))
        self.finished.connect(sound.close)
        self._add_page(self.trial)

    def _add_page(self, page: TrialPage) -> None:
        self.pages.addWidget(page)
        page.sounds.listen_requested.connect(self._play_letter)
        page.sounds.play_requested.connect(lambda: self.sound.toggle_playing(page.sounds.current_index))
        page.answered.connect(self._update_test)
        page.back_requested.connect(self._take_back_answer)

    def show_preparation(self, sound_count: int) -> None:
        """Show that `sound_count` sounds are being made; `show_setup` follows."""
        self.preparing = PreparationPage(sound_count)
        self.pages.setCurrentIndex(self.pages.addWidget(self.preparing))

    def show_prepared(self, prepared_count: int) -> None:
        """Show how many of the sounds are made."""
        if self.preparing is not None:
            self.preparing.bar.setValue(prepared_count)

    def show_setup(
        self,
        names: Sequence[str],
        sounds: Sequence[Sequence[str]],
        *,
        texts: Sequence[str] = (),
        sources: Sequence[Sequence[SoundSource]] = (),
        kind: BlindTestKind | None = None,
    ) -> None:
        """Ask how to compare these sounds; see `BlindTestSetupPage`.

        Args:
            kind: What is chosen at first; by default, which sound is liked better.
        """
        page = BlindTestSetupPage(names, sounds, texts=texts, sources=sources)
        page.begin_requested.connect(self._request_test)
        page.methods.more.toggled.connect(lambda is_open: self._expand_dialog(METHODS_DIALOG_SIZE if is_open else BLIND_TEST_DIALOG_SIZE))
        self.pages.setCurrentIndex(self.pages.addWidget(page))
        if kind is not None:
            page.methods.choose_kind(kind)
            page.methods.more.set_open(kind != page.methods.favourite)

    def resume_test(self, test: BlindTest) -> None:
        """Continue a test, or show the result of one that has ended."""
        self.test = test
        self._show_test()

    @Slot(object)
    def _request_test(self, plan: BlindTestPlan) -> None:
        if plan.is_rated and not plan.references:
            self.references_requested.emit(plan)
        else:
            self.begin_test(plan)

    def begin_test(self, plan: BlindTestPlan) -> None:
        """Begin the test of a plan; say so where it is not valid."""
        try:
            test = begin_blind_test(plan, generate_seed())
        except AppError as error:
            self.notice.show_error(error)
            return
        self._update_test(test)

    @Slot(object)
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
        page = self._page = self._prepare_page(self.test.plan)
        page.show_trial(self.test, trial)
        self.pages.setCurrentWidget(page)
        # Without this the focus stays on the hidden page before, and this page gets no keys.
        page.sounds.buttons[0].setFocus()

    def _prepare_page(self, plan: BlindTestPlan) -> TrialPage:
        if not plan.is_rated:
            return self.trial
        if self.rating is None:
            self.rating = RatingPage(plan.column_count)
            self._add_page(self.rating)
            self._expand_dialog(RATING_DIALOG_SIZE)
        return self.rating

    def _expand_dialog(self, size: QSize) -> None:
        """Make the dialog at least so large, as far as the screen has room."""
        self.resize(self.size().expandedTo(size.boundedTo(self.screen().availableSize() - SCREEN_MARGINS)))

    @Slot(int)
    def _play_letter(self, index: int) -> None:
        self.sound.play_sound(index)
        sounds = self._page.sounds
        # The click has checked the button already; a letter whose sound is not loaded yet must not look chosen.
        if index not in sounds.heard:
            uncheck_all(sounds.group)

    @Slot()
    def _take_back_answer(self) -> None:
        if self.test is not None and self.test.answers:
            self._update_test(take_back_answer(self.test))

    def _save_sheet(self, suffix: str, build_sheet: Callable[[BlindTest], str]) -> None:
        if self.test is not None:
            save_sheet(self, self.sound.background, suffix, build_sheet(self.test))
