"""The dialog of a blind test, from its plan, which cannot change once the test has begun, to its result."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFileDialog, QFormLayout, QStackedWidget, QVBoxLayout, QWidget

from app.adapters.files.part_file import build_write_error
from app.audition.blind_test import (
    FIXED_KINDS,
    MAX_RATED_SOUNDS,
    MOST_TRIALS,
    BlindTest,
    BlindTestKind,
    BlindTestPlan,
    begin_blind_test,
    choose_reference,
    find_blind_trial,
    generate_seed,
    take_back_answer,
)
from app.audition.blind_test_result import describe_test_kind
from app.audition.comparable_sounds import LoadSound, load_trial_sounds
from app.audition.listening_statistics import find_needed_hits
from app.audition.result_sheets import build_csv_sheet, build_html_sheet
from app.common.errors import AppError
from app.common.files.whole_files import write_file_atomically
from app.common.language import localize
from app.ui.audition.answer_pages import ChoicePage, RatingPage
from app.ui.audition.result_page import ResultPage
from app.ui.audition.trial_page import TrialPage, TrialPlayer, uncheck_all
from app.ui.background_thread import BackgroundThread
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.banner import Banner
from app.ui.widgets.controls import DIALOG_MARGINS, GuardedComboBox, GuardedSpinBox, PlainLabel, create_button, describe_control, fill_box
from app.ui.widgets.dialogs import ClosableDialog, append_suffix
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

PREPARATION_BAR_WIDTH_PX = 320

MIN_TRIALS = 5  # with fewer trials no result would prove anything
MUSHRA_KIND: BlindTestKind = "mushra"


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


BLIND_TEST_DIALOG_SIZE, RATING_DIALOG_SIZE = QSize(620, 420), QSize(640, 480)


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


class BlindTestSetupPage(QWidget):
    """A form that builds the plan of a blind test.

    Args:
        sounds: A row for each line; see `app.audition.blind_test.BlindTestPlan`.

    Signals:
        begin_requested(BlindTestPlan): The plan is settled; a MUSHRA test without references rates against sound files.
    """

    begin_requested = Signal(object)

    def __init__(self, names: Sequence[str], sounds: Sequence[Sequence[str]]) -> None:
        super().__init__()
        self._names, self._sounds = tuple(names), tuple(map(tuple, sounds))
        kinds: tuple[BlindTestKind, ...] = ("abx", "sequential", "pairs") if len(names) == 2 else ("ranking", "pairs")
        self.kind = describe_control(
            GuardedComboBox(), localize("方法", "Method"), localize("比べ方を選びます。", "How the sounds are compared.")
        )
        for kind in kinds:
            self.kind.addItem(describe_test_kind(kind), kind)
        if len(names) <= MAX_RATED_SOUNDS:
            self.kind.addItem(localize("MUSHRA（参照との比較）", "MUSHRA (against a reference)"), MUSHRA_KIND)
        tip = localize("比べる音声の 1 つを、ほかの音声の参照にします。", "Makes one of the sounds the reference for the others.")
        self.reference = describe_control(GuardedComboBox(), localize("参照", "Reference"), tip)
        tip = localize("始めると変更できません。", "Cannot be changed once the test has begun.")
        self.trials = describe_control(GuardedSpinBox(), localize("試行回数", "Trials"), tip)
        # All pairs are compared in "pairs", so the trials for each pair share the limit of the whole test.
        self.trials.setRange(MIN_TRIALS, MOST_TRIALS // (len(names) * (len(names) - 1) // 2))
        self.trials.setValue(16 if len(names) == 2 else MIN_TRIALS)
        self.trials.lineEdit().setTextMargins(6, 0, 0, 0)
        self.undecided = QCheckBox(localize("「どちらでもない」も回答できる", "Allow “no preference”"))
        self.undecided.setToolTip(localize("「どちらでもない」は集計から除かれます。", "Answers without a preference are not counted."))
        self.explanation = PlainLabel(wraps=True)
        # Three rows are reserved, or the page would jump with each method's explanation.
        self.explanation.setMinimumHeight(3 * self.explanation.fontMetrics().height())
        self.explanation.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.begin_button = create_button(
            localize("開始", "Start"),
            localize("テストを始めます。", "Begins the test."),
            lambda: self.begin_requested.emit(self.build_plan()),
            style="primary",
        )
        self.begin_button.setDefault(True)
        self._lay_out_widgets()
        self._offer_references()
        self.kind.currentIndexChanged.connect(self._offer_references)
        self.kind.currentIndexChanged.connect(self._update_explanation)
        self.reference.currentIndexChanged.connect(self._update_explanation)
        self.trials.valueChanged.connect(self._update_explanation)
        self._update_explanation()

    def _lay_out_widgets(self) -> None:
        form = QFormLayout(horizontalSpacing=14, verticalSpacing=10)
        self.trials.setMaximumWidth(120)
        lines = localize(f"（{len(self._sounds)} 行）", f" ({len(self._sounds)} lines)") if len(self._sounds) > 1 else ""
        form.addRow(PlainLabel(localize("音声", "Sounds")), PlainLabel(localize("、", ", ").join(self._names) + lines, wraps=True))
        for control in (self.kind, self.reference, self.trials):
            form.addRow(PlainLabel(control.accessibleName()), control)
        form.addRow(self.undecided)
        fill_box(QVBoxLayout(self), form, self.explanation, None, (self.begin_button, Qt.AlignmentFlag.AlignRight), spacing=14)

    def build_plan(self) -> BlindTestPlan:
        """Return the plan as the form states it."""
        kind: BlindTestKind = self.kind.currentData()
        plan = BlindTestPlan(kind, self._sounds, self._names, undecided=kind == "pairs" and self.undecided.isChecked())
        if not plan.is_rated:
            plan = replace(plan, trials=self.trials.value() if kind in FIXED_KINDS else 1)
        column = self.reference.currentData()
        return plan if column is None else choose_reference(plan, column)

    @Slot()
    def _offer_references(self, *_args: object) -> None:
        """Offer the sounds that can be the reference with this method; a choice that is still offered is kept."""
        kind, chosen_column = self.kind.currentData(), self.reference.currentData()
        self.reference.clear()
        self.reference.addItem(localize("音声ファイル", "Sound files") if kind == MUSHRA_KIND else localize("なし", "None"))
        # Preference tests need two sounds in addition to the reference, the others need one.
        if kind in ("abx", "sequential", MUSHRA_KIND) or len(self._names) > 2:
            for column, name in enumerate(self._names):
                self.reference.addItem(name, column)
        self.reference.setCurrentIndex(max(0, self.reference.findData(chosen_column) if chosen_column is not None else 0))
        self.reference.setEnabled(self.reference.count() > 1)

    @Slot()
    def _update_explanation(self, *_args: object) -> None:
        plan = self.build_plan()
        self.trials.setEnabled(plan.kind in FIXED_KINDS)
        self.undecided.setEnabled(plan.kind == "pairs")
        self.explanation.setText(_explain_rating(plan) if plan.is_rated else _describe_task(plan) + _explain_verdict(plan))


def _explain_verdict(plan: BlindTestPlan) -> str:
    if plan.kind == "abx":
        return localize(
            f"{plan.trials} 回中 {find_needed_hits(plan.trials)} 回以上の正解で、聞き分けられると判定します。",
            f"{find_needed_hits(plan.trials)} of {plan.trials} correct answers show that you hear a difference.",
        )
    if plan.kind == "sequential":
        return localize("判定できた時点で終了します（4〜60 回）。", "The test ends as soon as the answer is clear, after 4 to 60 trials.")
    if plan.kind == "ranking":
        return localize(
            "2 回負けた音声から順に外れ、最後に残ったものが一番です。", "A sound drops out after two losses; the last one left wins."
        )
    if len(plan.names) > 2:
        return localize("すべての組み合わせを、この回数ずつ比べます。", "Every pair is compared this many times.")
    return localize(
        f"{plan.trials} 回中 {find_needed_hits(plan.trials, 2)} 回以上で、好まれていると判定します。",
        f"{find_needed_hits(plan.trials, 2)} of {plan.trials} answers show a preference.",
    )


def _describe_task(plan: BlindTestPlan) -> str:
    if plan.has_x and plan.references:
        return localize("X は参照です。A と B のどちらが参照と同じかを答えます。", "X is the reference. Say whether it is A or B. ")
    if plan.has_x:
        return localize("X が A と B のどちらかを答えます。", "Say whether X is A or B. ")
    if plan.references:
        return localize("参照に近いほうを選びます。", "Choose the one that is closer to the reference. ")
    return localize("良いほうを選びます。", "Choose the better one. ")


def _explain_rating(plan: BlindTestPlan) -> str:
    line_count = len(plan.sounds)
    files = localize("参照の音声ファイルを選びます。", "Choose the audio file of the reference.")
    if line_count > 1:
        files = localize(
            f"参照の音声ファイルを、行ごとに 1 つ（合わせて {line_count} 個）選びます。ファイル名の順に行と対応します。",
            f"Choose {line_count} sound files as references, one for each line in the order of their names.",
        )
    task = localize(
        "参照との近さを、0〜100 点で評価します（ITU-R BS.1534）。",
        "Rate from 0 to 100 how close each sound is to a reference (ITU-R BS.1534). ",
    )
    return (task if plan.references else task + files).strip()


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

    def show_setup(self, names: Sequence[str], sounds: Sequence[Sequence[str]]) -> None:
        """Ask how to compare these sounds; see `BlindTestSetupPage`."""
        page = BlindTestSetupPage(names, sounds)
        page.begin_requested.connect(self._request_test)
        self.pages.setCurrentIndex(self.pages.addWidget(page))

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
            self.resize(self.size().expandedTo(RATING_DIALOG_SIZE))
        return self.rating

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
