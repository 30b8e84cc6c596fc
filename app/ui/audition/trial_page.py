"""The page of a trial, whatever its method, with its player: listen, answer, continue. It shows no names."""

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QVBoxLayout, QWidget

from app.audition.blind_test import BlindTest, BlindTestPlan, BlindTrial
from app.audition.blind_test_words import describe_test_kind, list_trial_details
from app.audition.comparable_sounds import ComparableSounds
from app.audition.parallel_sounds import ParallelSounds
from app.common.language import localize
from app.engine.synthesis_jobs import SpeechJob
from app.ui.audition.details_fold import DetailsFold
from app.ui.audition.listen_button import ListenButton, ListenSize
from app.ui.background_thread import BackgroundThread
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.controls import BoxPart, PlainLabel, create_button, describe_control, fill_box
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

REFERENCE_LETTER = "R"
POSITION_STEPS = 1_000
PLAY_WIDTH_PX = 76  # of the button that plays and stops, whose text changes


def add_shortcut(page: QWidget, key_name: str, on_pressed: Callable[[], object], *, is_repeating: bool = False) -> None:
    """Add a shortcut that works wherever the focus is on the page."""
    shortcut = QShortcut(QKeySequence(key_name), page)
    shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    shortcut.setAutoRepeat(is_repeating)
    shortcut.activated.connect(lambda: on_pressed())


def create_exclusive_group(parent: QWidget, buttons: Iterable[QAbstractButton]) -> QButtonGroup:
    """Return a group in which at most one button is checked."""
    group = QButtonGroup(parent)
    for item in buttons:
        group.addButton(item)
    return group


def uncheck_all(group: QButtonGroup) -> None:
    # An exclusive group does not let its last checked button be unchecked.
    group.setExclusive(False)
    for item in group.buttons():
        item.setChecked(False)
    group.setExclusive(True)


class TrialSounds(QWidget):
    """Round buttons that remember which sounds were heard; a method of tests gives them their names and lays them out.

    Signals:
        listen_requested(int): A sound is to be heard; playback continues with it.
        play_requested(): Playback is to begin or to stop.
    """

    listen_requested = Signal(int)
    play_requested = Signal()

    def __init__(self, letters: Sequence[str], size: ListenSize) -> None:
        super().__init__()
        self.letters, self.heard = tuple(letters), set[int]()
        self._is_playing = False
        # Those of the sounds, by index; there may be more of them than the trial has letters.
        self.buttons = [ListenButton(letter, size) for letter in letters]
        for index, button in enumerate(self.buttons):
            button.clicked.connect(partial(self.request_index, index))
        self.group = create_exclusive_group(self, self.buttons)
        tip = localize("再生・停止（Space）", "Plays or stops (Space).")
        self.play_button = create_button(localize("再生", "Play"), tip, self.play_requested.emit, style="small")
        self.play_button.setMinimumWidth(PLAY_WIDTH_PX)
        self.bar = DeferredProgressBar(maximum=POSITION_STEPS)
        describe_control(self.bar, localize("再生位置", "Position"), localize("再生中の位置です。", "Playback position of the sound."))
        self.player_row = fill_box(QHBoxLayout(), self.play_button, (self.bar, 1), spacing=12)

    @property
    def is_all_heard(self) -> bool:
        return len(self.heard) == len(self.letters)

    @property
    def current_index(self) -> int:
        """Return the index of the sound that plays or is about to; 0 before any choice."""
        return next((index for index, item in enumerate(self.buttons) if item.isChecked()), 0)

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

    def request_index(self, index: int, _is_checked: bool = False) -> None:
        """Request a sound by its index, if the trial has it."""
        if index < len(self.letters):
            self.listen_requested.emit(index)

    def show_heard(self, index: int) -> None:
        """Mark a sound as playing and as heard."""
        self.buttons[index].setChecked(True)
        self.heard.add(index)
        self._show_sounding()

    def show_playing(self, is_playing: bool) -> None:
        """Show which button's sound plays, and on the play button, also to screen readers, whether it plays or stops now."""
        self._is_playing = is_playing
        self._show_sounding()
        self.play_button.setText(localize("停止", "Stop") if is_playing else localize("再生", "Play"))
        self.play_button.setAccessibleName(self.play_button.text())

    def show_position(self, fraction: float) -> None:
        """Show how much of the sound was played, as a fraction from 0 to 1."""
        self.bar.setValue(round(POSITION_STEPS * fraction))

    def _show_sounding(self) -> None:
        for button in self.buttons:
            button.show_sounding(is_sounding=self._is_playing and button.isChecked())

    def name_button(self, index: int, tip: str) -> None:
        """Name a button after its letter, the reference by its word."""
        button, letter = self.buttons[index], self.letters[index]
        button.setText(letter)
        reference, other = localize("参照を再生", "Play the reference"), localize(f"{letter} を再生", f"Play {letter}")
        describe_control(button, reference if letter == REFERENCE_LETTER else other, tip)


def describe_letter(letter: str) -> str:
    """Return the word for a sound: its letter, or that it is the reference."""
    return localize("参照", "Reference") if letter == REFERENCE_LETTER else letter


class TrialPage(QWidget):
    """A page that accepts an answer once every sound was heard; a method of tests says how it is answered.

    Signals:
        answered(BlindTest): The test with the answer to this trial.
        back_requested(): The previous answer was a mistake.
    """

    answered = Signal(object)
    back_requested = Signal()

    def __init__(self, sounds: TrialSounds, *, letters: Iterable[str], confirm_tip: str, back_tip: str) -> None:
        super().__init__()
        self.sounds, self._began = sounds, 0.0
        self._test: BlindTest | None = None
        self.number, self.question, self.hint = PlainLabel("", "muted"), PlainLabel("", "heading"), PlainLabel("", "muted")
        self.details = DetailsFold()
        self.confirm = create_button(localize("決定", "Confirm"), confirm_tip, self.confirm_answer, style="primary")
        self.back = create_button(localize("戻る", "Back"), back_tip, self.back_requested.emit)
        for letter in letters:
            add_shortcut(self, letter, partial(sounds.request_letter, letter))
        pressed = {"Space": sounds.play_button, "Return": self.confirm, "Enter": self.confirm, "Backspace": self.back}
        for name, item in pressed.items():
            add_shortcut(self, name, item.click)

    @abstractmethod
    def begin_trial(self, plan: BlindTestPlan) -> None:
        """Show a new trial of this plan, with nothing heard and nothing answered."""

    @abstractmethod
    def describe_next_step(self) -> str:
        """Return what is left to do before the answer can be confirmed; empty where nothing is."""

    @abstractmethod
    def build_answered(self, test: BlindTest, ms: int) -> BlindTest:
        """Return the test with the answer that the page shows, and the milliseconds that it took."""

    def show_trial(self, test: BlindTest, trial: BlindTrial) -> None:
        """Show a new trial, with nothing heard and nothing answered."""
        number, count = trial.number + 1, test.plan.trial_count
        position = localize(f"{number} 回目", f"trial {number}") if count is None else f"{number} / {count}"
        kind = describe_test_kind(test.plan.kind, len(test.plan.names), by_reference=bool(test.plan.references))
        self.number.setText(f"{kind}  {position}")
        self.details.show_lines(list_trial_details(test))
        self.question.setText(describe_question(test.plan))
        self.begin_trial(test.plan)
        self.back.setEnabled(trial.number > 0)
        self._test, self._began = test, time.monotonic()
        self.update_hint()

    def show_letter(self, index: int) -> None:
        """Show which sound is playing."""
        self.sounds.show_heard(index)
        self.update_hint()

    @Slot()
    def update_hint(self) -> None:
        """Show what is to be done next, and enable the button where the answer is complete."""
        next_step = self.describe_next_step()
        self.confirm.setEnabled(not next_step)
        self.hint.setText(next_step or localize("Enter で決定します。", "Press Enter to confirm."))

    def confirm_answer(self) -> None:
        if self._test is not None and not self.describe_next_step():
            self.answered.emit(self.build_answered(self._test, round((time.monotonic() - self._began) * 1000)))

    def lay_out_page(self, *parts: BoxPart) -> None:
        """Put these parts below the number of the trial, and above the details."""
        fill_box(QVBoxLayout(self), self.number, *parts, self.details, spacing=12)

    def create_ends(self) -> QHBoxLayout:
        """Return the last row of the page: back at one end, the button that confirms at the other."""
        return fill_box(QHBoxLayout(), self.back, None, self.confirm)


def describe_question(plan: BlindTestPlan) -> str:
    """Return the question of every trial of a plan."""
    if plan.is_rated:
        return localize(
            "参照にどれだけ近いですか？ 参照と同じ音声が 1 つあります。",
            "How close is each sound to the reference? One of them is the reference itself.",
        )
    if plan.has_x and plan.references:
        return localize("X は参照です。参照と同じなのはどちらですか？", "X is the reference. Which one is the same?")
    if plan.has_x:
        return localize("X はどちらですか？", "Which one is X?")
    if plan.references:
        return localize("参照に近いのはどちらですか？", "Which is closer to the reference?")
    return localize("どちらが好きですか？", "Which do you like better?")


class TrialPlayer(QObject):
    """Plays the sounds of one trial at a time.

    Signals:
        sounds_loaded(): The sounds of the trial are loaded.
        sound_switched(int): The sound of this index is heard from now on.
        playing_changed(bool): Playback began or ended.
        position_changed(float): The fraction that was played, 0 to 1.
    """

    sounds_loaded = Signal()
    sound_switched = Signal(int)
    playing_changed = Signal(bool)
    position_changed = Signal(float)

    def __init__(self, parent: QObject, speech: SpeechController) -> None:
        super().__init__(parent)
        self._speech = speech
        self.background = BackgroundThread(self, "blind test")
        self._sound_loader: Callable[[], ComparableSounds] | None = None
        self._sounds: ComparableSounds | None = None
        # The job outlives its playback until its end has been shown.
        self._job: SpeechJob | None = None
        self._parallel_sounds: ParallelSounds | None = None
        speech.ticked.connect(self._update_position)

    def begin_trial(self, load_sounds: Callable[[], ComparableSounds]) -> None:
        """Stop playback and load the sounds of another trial in the background thread."""
        self.stop_sound()
        self._sound_loader, self._sounds = load_sounds, None
        self.background.run_work(load_sounds, partial(self._use_loaded, load_sounds))

    @Slot(int)
    def play_sound(self, index: int) -> None:
        """Switch to a sound in mid-playback, or begin with it; do nothing before the sounds are loaded."""
        sounds = self._playing_sounds
        if sounds is not None:
            sounds.wanted = index
        elif self._sounds is not None:
            self._parallel_sounds = ParallelSounds(*self._sounds, first_index=index, rounds=1)
            self._job = self._speech.play_sounds(self._parallel_sounds)
            self.playing_changed.emit(True)
        else:
            return
        self.sound_switched.emit(index)

    def toggle_playing(self, index: int) -> None:
        """Stop playback, or begin with a sound."""
        if self._playing_sounds is not None:
            self.stop_sound()
        else:
            self.play_sound(index)

    def stop_sound(self) -> None:
        """Stop playback at once."""
        if self._playing_sounds is not None:
            self._speech.stop_speaking()
        self._update_position()

    def close(self) -> None:
        """Stop playback and finish what the background thread is saving."""
        self.stop_sound()
        self.background.close(finish=True)

    @property
    def _playing_sounds(self) -> ParallelSounds | None:
        """Return the sounds that are playing or about to, or None."""
        return self._parallel_sounds if self._job is not None and self._job in self._speech.spoken_jobs else None

    def _use_loaded(self, load_sounds: Callable[[], ComparableSounds], sounds: ComparableSounds) -> None:
        # A slow load of an earlier trial may arrive after the next one began.
        if load_sounds is self._sound_loader:
            self._sounds = sounds
            self.sounds_loaded.emit()

    @Slot()
    def _update_position(self) -> None:
        sounds = self._playing_sounds
        if sounds is not None:
            self.position_changed.emit(min(1.0, self._speech.state.played_s / sounds.length_s))
        elif self._job is not None:
            self._job = None
            self.playing_changed.emit(False)
            self.position_changed.emit(0.0)
