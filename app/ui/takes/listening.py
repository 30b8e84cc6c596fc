"""Takes that are heard: one alone, or one beside the line as it is now, equally loud."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.core.script import Line
from app.core.takes import Take
from app.errors import AppError
from app.ui.playback.playback import Playback
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import RenderTake, Speak, TakeResult
from app.ui.synthesis.side_by_side import SideBySide
from app.ui.takes.shelf import TakeShelf
from app.ui.takes.sounds import Sound


class TakeListening(QObject):
    """What is asked for last is heard; what is spoken then stops.

    Signals:
        changed(): another take sounds, the line does instead, or it is silent.
    """

    changed = Signal()

    def __init__(self, shelf: TakeShelf, speech: SpeechController, playback: Playback) -> None:
        super().__init__(shelf)
        self._shelf, self._speech, self._playback = shelf, speech, playback
        self._wanted: tuple[Take, Line | None] | None = None  # asked for, and not there yet
        self._sought: RenderTake | None = None
        self._job: Speak | None = None
        self._take: Take | None = None
        self._shown: tuple[str, bool] = ("", False)
        speech.ticked.connect(self._look)
        speech.state_changed.connect(self._look)

    @property
    def heard(self) -> tuple[str, bool]:
        """Id of the take that plays, empty for none, and whether the line is heard beside it just now."""
        job = self._job
        if job is None or self._take is None or job not in self._speech.spoken:
            return "", False
        return self._take.id, job.kept is not None and job.kept.wanted == 1

    def play(self, take: Take) -> None:
        """Plays a take; where it plays already, it stops."""
        playing = self.heard[0] == take.id
        self._begin(take, None)
        if not playing:
            self._shelf.fetch(take, lambda sound: self._play(take, SideBySide((sound[0],), sound[1])))

    def compare(self, take: Take, line: Line) -> None:
        """Plays a take and then the line as it is, side by side; where they play already, the other one is heard at once."""
        job = self._job
        if self.heard[0] == take.id and job is not None and job.kept is not None and job.kept.is_pair:
            job.kept.switch()
            self._look()
            return
        self._begin(take, line)
        heard = self._shelf.heard.as_now(line)
        if heard is None:
            self._sought = self._speech.render(line, on_made=self._on_made, on_failed=self._on_failed)
        else:
            self._shelf.fetch(heard.take, self._pair)

    def _begin(self, take: Take, line: Line | None) -> None:
        self._playback.stop()
        if self._sought is not None:
            self._speech.stop_rendering([self._sought])
        self._sought, self._wanted = None, (take, line)
        self._look()

    def _pair(self, now: Sound) -> None:
        wanted = self._wanted
        if wanted is not None:
            take = wanted[0]
            self._shelf.fetch(take, lambda then: self._shelf.sounds.pair(then, now, lambda pair: self._play(take, pair, wanted)))

    def _play(self, take: Take, sounds: SideBySide, wanted: tuple[Take, Line | None] | None = None) -> None:
        if self._wanted is None or self._wanted[0] is not take or (wanted is not None and self._wanted is not wanted):
            return  # something else is wanted by now
        self._wanted = None
        self._playback.stop()
        self._take, self._job = take, self._speech.play_kept(sounds, take)
        self._look()

    def _on_made(self, taken: TakeResult) -> None:
        self._sought = None
        self._pair((taken.samples, taken.rate))

    def _on_failed(self, _error: AppError) -> None:
        self._sought = self._wanted = None

    @Slot()
    def _look(self, *_state: object) -> None:
        if self.heard != self._shown:
            self._shown = self.heard
            self.changed.emit()
