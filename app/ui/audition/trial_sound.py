"""The sounds of a trial: loaded in the background, played side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from app.audition.listening import Comparable
from app.ui.background import BackgroundThread
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import Speak
from app.ui.synthesis.side_by_side import SideBySide


class TrialSound(QObject):
    """Plays one trial at a time.

    Attributes:
        background: loads, and may do other work of the dialog.

    Signals:
        ready(): the sounds of the trial are there.
        switched(int): this letter is heard from now on.
        playing(bool): it began, or ended.
        moved(float): how much was heard, 0 to 1.
    """

    ready = Signal()
    switched = Signal(int)
    playing = Signal(bool)
    moved = Signal(float)

    def __init__(self, parent: QObject, speech: SpeechController) -> None:
        super().__init__(parent)
        self._speech = speech
        self.background = BackgroundThread(self, "blind test")
        self._wanted: Callable[[], Comparable] | None = None
        self._sounds: Comparable | None = None
        self._job: Speak | None = None  # until its end is shown
        speech.ticked.connect(self._look)

    def begin(self, load: Callable[[], Comparable]) -> None:
        """Another trial: silence, and its sounds are loaded, in a thread of their own."""
        self.stop()
        self._wanted, self._sounds = load, None
        self.background.run(load, partial(self._on_loaded, load))

    @Slot(int)
    def listen(self, place: int) -> None:
        """Switches where it is; or begins with this letter. Nothing happens before the sounds are there."""
        heard = self._heard
        if heard is not None:
            heard.wanted = place
        elif self._sounds is not None:
            self._job = self._speech.play_kept(SideBySide(*self._sounds, first=place, rounds=1))
            self.playing.emit(True)
        else:
            return
        self.switched.emit(place)

    def play_or_stop(self, place: int) -> None:
        """Begins with a letter; or stops."""
        if self._heard is not None:
            self.stop()
        else:
            self.listen(place)

    def stop(self) -> None:
        """Silence at once."""
        if self._heard is not None:
            self._speech.stop()
        self._look()

    def close(self) -> None:
        """Silence; what is being saved is finished."""
        self.stop()
        self.background.close(finish=True)

    @property
    def _heard(self) -> SideBySide | None:
        """What plays, or will in a moment."""
        return self._job.kept if self._job is not None and self._job in self._speech.spoken else None

    def _on_loaded(self, load: Callable[[], Comparable], sounds: Comparable) -> None:
        if load is self._wanted:
            self._sounds = sounds
            self.ready.emit()

    @Slot()
    def _look(self) -> None:
        heard = self._heard
        if heard is not None:
            self.moved.emit(min(1.0, self._speech.state.played_s / heard.length_s))
        elif self._job is not None:
            self._job = None
            self.playing.emit(False)
            self.moved.emit(0.0)
