"""Plays takes: one alone, or one to compare with the line as it is now, equally loud."""

from PySide6.QtCore import QObject, Signal, Slot

from app.audition.line_rendering import TakeResult
from app.audition.parallel_sounds import ParallelSounds
from app.common.errors import AppError
from app.core.script.project import LineTake
from app.core.script.script import Line
from app.engine.synthesis_jobs import ComputeJob, SpeechJob
from app.ui.playback.line_playback import LinePlayback
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes.take_repository import TakeRepository
from app.ui.takes.take_sounds import TakeSound


class TakePlayback(QObject):
    """Plays the take chosen last; any other playback stops.

    Signals:
        changed(): another take plays, the comparison switched to the line, or playback ended.
    """

    changed = Signal()

    def __init__(self, shelf: TakeRepository, speech: SpeechController, playback: LinePlayback) -> None:
        super().__init__(shelf)
        self._shelf, self._speech, self._playback = shelf, speech, playback
        # The take and line to play once their sounds are read or rendered.
        self._request: tuple[LineTake, Line | None] | None = None
        self._sought: ComputeJob[TakeResult] | None = None
        self._job: SpeechJob | None = None
        self._sounds: ParallelSounds | None = None
        self._take: LineTake | None = None
        self._shown_take: tuple[str, bool] = ("", False)
        speech.ticked.connect(self._follow_playback)
        speech.state_changed.connect(self._follow_playback)

    @property
    def playing_take(self) -> tuple[str, bool]:
        """Return the id of the take that plays, empty for none, and True while the line it is compared with is heard."""
        job, sounds = self._job, self._sounds
        if job is None or sounds is None or self._take is None or job not in self._speech.spoken_jobs:
            return "", False
        return self._take.id, sounds.wanted == 1

    def play_take(self, take: LineTake) -> None:
        """Play a take; stop it if it plays already."""
        playing = self.playing_take[0] == take.id
        self._begin_playing(take, None)
        if not playing:
            self._shelf.fetch_sound(take, lambda sound: self._play_sounds(take, ParallelSounds((sound[0],), sound[1])))

    def compare_with_line(self, take: LineTake, line: Line) -> None:
        """Play a take and then the line as it is, side by side; if they play already, switch to the other one at once."""
        if self.playing_take[0] == take.id and self._sounds is not None and self._sounds.has_several:
            self._sounds.switch_sound()
            self._follow_playback()
            return
        self._begin_playing(take, line)
        rendering = self._shelf.heard.find_current_rendering(line)
        if rendering is None:
            self._sought = self._speech.render_take(line, on_made=self._play_rendered, on_failed=self._stop_after_failure)
        else:
            self._shelf.fetch_sound(rendering.take, self._pair_sounds)

    def _begin_playing(self, take: LineTake, line: Line | None) -> None:
        self._playback.stop_playing()
        if self._sought is not None:
            self._speech.stop_computing([self._sought])
        self._sought, self._request = None, (take, line)
        self._follow_playback()

    def _pair_sounds(self, now: TakeSound) -> None:
        request = self._request
        if request is not None:
            take = request[0]
            self._shelf.fetch_sound(
                take, lambda then: self._shelf.sounds.pair_sounds(then, now, lambda pair: self._play_sounds(take, pair, request))
            )

    def _play_sounds(self, take: LineTake, sounds: ParallelSounds, request: tuple[LineTake, Line | None] | None = None) -> None:
        if self._request is None or self._request[0] is not take or (request is not None and self._request is not request):
            # The user chose something else while the sounds were read or rendered.
            return
        self._request = None
        self._playback.stop_playing()
        self._take, self._sounds, self._job = take, sounds, self._speech.play_sounds(sounds, take)
        self._follow_playback()

    def _play_rendered(self, result: TakeResult) -> None:
        self._sought = None
        self._pair_sounds((result.samples, result.rate))

    def _stop_after_failure(self, _error: AppError) -> None:
        self._sought = self._request = None

    @Slot()
    def _follow_playback(self, *_state: object) -> None:
        if self.playing_take != self._shown_take:
            self._shown_take = self.playing_take
            self.changed.emit()
