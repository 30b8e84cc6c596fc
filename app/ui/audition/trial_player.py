"""The player of a trial: loads its sounds in the background and plays them side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from app.audition.comparable_sounds import ComparableSounds
from app.audition.parallel_sounds import ParallelSounds
from app.engine.synthesis_jobs import SpeechJob
from app.ui.background_thread import BackgroundThread
from app.ui.synthesis.speech_controller import SpeechController


class TrialPlayer(QObject):
    """Plays the sounds of one trial at a time.

    Attributes:
        background: The thread that loads sounds; it may do other work of the dialog.

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
        self._wanted: Callable[[], ComparableSounds] | None = None
        self._sounds: ComparableSounds | None = None
        # The job outlives its playback until its end has been shown.
        self._job: SpeechJob | None = None
        self._playing: ParallelSounds | None = None
        speech.ticked.connect(self._update_position)

    def begin_trial(self, load_sounds: Callable[[], ComparableSounds]) -> None:
        """Stop playback and load the sounds of another trial in the background thread."""
        self.stop_sound()
        self._wanted, self._sounds = load_sounds, None
        self.background.run_work(load_sounds, partial(self._use_loaded, load_sounds))

    @Slot(int)
    def play_sound(self, index: int) -> None:
        """Switch to a sound in mid-playback, or begin with it; do nothing before the sounds are loaded."""
        heard = self._playing_sounds
        if heard is not None:
            heard.wanted = index
        elif self._sounds is not None:
            self._playing = ParallelSounds(*self._sounds, first_index=index, rounds=1)
            self._job = self._speech.play_sounds(self._playing)
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
        return self._playing if self._job is not None and self._job in self._speech.spoken_jobs else None

    def _use_loaded(self, load_sounds: Callable[[], ComparableSounds], sounds: ComparableSounds) -> None:
        # A slow load of an earlier trial may arrive after the next one began.
        if load_sounds is self._wanted:
            self._sounds = sounds
            self.sounds_loaded.emit()

    @Slot()
    def _update_position(self) -> None:
        heard = self._playing_sounds
        if heard is not None:
            self.position_changed.emit(min(1.0, self._speech.state.played_s / heard.length_s))
        elif self._job is not None:
            self._job = None
            self.playing_changed.emit(False)
            self.position_changed.emit(0.0)
