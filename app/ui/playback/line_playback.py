"""Plays lines without a gap and shows their state on the cards; the commands behind the play and save buttons, their keys and their menu."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.common.errors import AppError, InputError
from app.core.script.script import Line, Script, build_request, find_cast
from app.engine.synthesis_jobs import LinePosition, SpeakFailure, SpeechJob
from app.ui.playback.sound_saving import SavingController
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.script.script_model import LastRendering, LinePhase, ScriptModel
from app.ui.synthesis.pending_jobs import SpeechState
from app.ui.synthesis.speech_controller import SpeechController

MAX_QUEUED_PLAYBACK_S = 8.0  # sound that is made before it is needed; more would only be thrown away when the user changes something

LIVE_SETTLE_MS = 200  # a hand on a slider rests this long when it means it


class LinePlayback(QObject):
    """Asks the controller for one line after the other, each while the one before is heard. What was asked for is known there.

    Signals:
        line_began(str): this line sounds now.
        changed(): `waiting` has changed.
    """

    line_began = Signal(str)
    changed = Signal()

    def __init__(self, controller: SpeechController, document: ScriptDocument, model: ScriptModel, seeds: LineSeeds) -> None:
        super().__init__(document)
        self._controller, self._document, self._model, self._seeds = controller, document, model, seeds
        self._chosen_ids: list[str] = []
        self._remaining_ids: list[str] = []  # lines not asked for yet
        self._failed_lines: dict[str, Line] = {}
        self._start: float | LinePosition = 0.0  # of the line that is asked for next
        self._cut_silence_s = 0.0  # of the silence before the line that is asked for next, which the pause before it leaves no room for
        self._again = False  # a loop has come round
        self.waiting = False  # lines were asked for before there was a voice, and will be spoken as soon as it is there
        self.loop = False
        self.given_up: list[str] = []  # lines that were not spoken because one of them failed, that one first
        controller.state_changed.connect(self._show_speech_state)
        controller.speech_computed.connect(self._store_rendering)
        controller.speech_played.connect(self._finish_line)
        controller.speech_dropped.connect(self._drop_lines)
        controller.speaking_failed.connect(self._show_failure)
        controller.opening_failed.connect(self._cancel_waiting)
        controller.voice_opened.connect(self._play_waiting)
        document.changed.connect(self._clear_changed_failures)

    @property
    def is_on(self) -> bool:
        """Return whether a line is spoken or will be."""
        return self.waiting or any(_find_line_of_job(job) for job in self._controller.spoken_jobs)

    def play_lines(self, ids: Sequence[str], start: float | LinePosition = 0.0) -> bool:
        """Speak these lines and stop the present sound; return False if none has text.

        Args:
            start: where the first one is heard from: seconds of the sound it had, whose seed it keeps, or a place that has no sound yet.
        """
        self.stop_playing()
        self._start, self._cut_silence_s, self._again = start, 0.0, False
        script = self._document.script
        self._chosen_ids = [line_id for line_id in ids if (line := script.find_line(line_id)) and line.text.strip()]
        self._remaining_ids = list(self._chosen_ids)
        self._set_waiting(bool(self._remaining_ids) and self._controller.voice is None and self._controller.state.is_loading)
        for line_id in self._remaining_ids[:1] if self.waiting else ():
            self._show_line_state(line_id, LinePhase.PREPARING)
        if not self.waiting:
            self._request_next_line()
        return bool(self._chosen_ids)

    @Slot(bool)
    def set_loop(self, loop: bool) -> None:
        """Set whether playing starts again at the end."""
        self.loop = loop

    def is_speaking(self, line_id: str) -> bool:
        """Return whether this line sounds or is about to."""
        return self._model.find_state(line_id).phase in (LinePhase.SPEAKING, LinePhase.PREPARING)

    @Slot()
    def stop_playing(self) -> None:
        """Stop the present sound and forget the lines that would follow."""
        for line_id in self._chosen_ids[:1] if self.waiting else ():
            self._show_line_state(line_id, LinePhase.IDLE)
        self._chosen_ids, self._remaining_ids, self.given_up = (
            [],
            [],
            [],
        )  # a loop must not begin again when it learns what was made meanwhile
        self._set_waiting(False)
        self._controller.stop_speaking()

    def _request_next_line(self) -> None:
        """Request the next line when the one before is computed and little sound waits to be heard."""
        ahead_s = self._controller.queued_s
        if self._controller.spoken_jobs and (ahead_s is None or ahead_s > MAX_QUEUED_PLAYBACK_S):
            return
        if not self._remaining_ids and self.loop:
            self._remaining_ids, self._again = list(self._chosen_ids), True
        while self._remaining_ids:
            start, self._start = self._start, 0.0
            line = self._document.script.find_line(self._remaining_ids.pop(0))
            if line is not None and line.text.strip():
                if self._model.find_state(line.id).phase is not LinePhase.SPEAKING:
                    self._show_line_state(line.id, LinePhase.PREPARING)
                rendered = self._seeds.apply_last_seed(line) if start else self._seeds.roll_seed(line)
                start, pause_s = start or self._cut_silence_s, self._find_pause(line)
                # A line that a loop has come round to is no measurement.
                self._controller.speak_request_next(
                    build_request(rendered), find_cast(line), start, source=line, pause_s=pause_s, is_measured=not self._again
                )
                return

    def _find_pause(self, line: Line) -> float | None:
        """Return the seconds of silence behind a line that leave its pause before the next one, and note what that one is too silent for."""
        self._cut_silence_s = 0.0
        following = self._remaining_ids or (self._chosen_ids if self.loop else [])
        lines = map(self._document.script.find_line, following)
        next_line = next((found for found in lines if found is not None and found.text.strip()), None)
        if next_line is None or line.pause_after_s is None:
            return None
        silence_s = line.pause_after_s - next_line.settings.pre_silence_s
        self._cut_silence_s = max(0.0, -silence_s)
        return max(0.0, silence_s)

    def _show_line_state(self, line_id: str, phase: LinePhase, share: float = 0.0, error: str = "") -> None:
        state = self._model.find_state(line_id)
        self._model.set_state(line_id, replace(state, phase=phase, share=share, error=error))

    def _set_waiting(self, is_waiting: bool) -> None:
        if is_waiting != self.waiting:
            self.waiting = is_waiting
            self.changed.emit()

    @Slot(object)
    def _show_speech_state(self, state: SpeechState) -> None:
        job = self._controller.find_job(state.request_id)
        line = _find_line_of_job(job) if job is not None else None
        if line is not None and state.played_s > 0:
            began = self._model.find_state(line.id).phase is not LinePhase.SPEAKING
            self._show_line_state(line.id, LinePhase.SPEAKING, min(1.0, state.played_s / state.computed_s) if state.computed_s else 0.0)
            if began:
                self.line_began.emit(line.id)
            # With every state, as no signal comes when little sound is left.
            self._request_next_line()

    @Slot(object)
    def _store_rendering(self, job: SpeechJob) -> None:
        line = _find_line_of_job(job)
        if line is not None:
            take = LastRendering(job.request.id, line, self._controller.count_computed_s(job))
            self._model.set_state(line.id, replace(self._model.find_state(line.id), last_rendering=take))
            self._request_next_line()

    @Slot(object)
    def _finish_line(self, job: SpeechJob) -> None:
        line = _find_line_of_job(job)
        if line is not None:
            if self._model.find_state(line.id).phase is not LinePhase.SPEAKING:  # so short that nobody looked meanwhile
                self.line_began.emit(line.id)
            # A loop may have asked for the line again, whose card must not look idle then.
            again = any(
                spoken_line.id == line.id for spoken_line in map(_find_line_of_job, self._controller.spoken_jobs) if spoken_line is not None
            )
            self._show_line_state(line.id, LinePhase.PREPARING if again else LinePhase.IDLE)
            self._request_next_line()

    @Slot(object)
    def _drop_lines(self, jobs: Sequence[SpeechJob]) -> None:
        """Drop lines that were stopped, or lost with the device."""
        self._chosen_ids, self._remaining_ids = [], []
        for line in filter(None, map(_find_line_of_job, jobs)):
            self._show_line_state(line.id, LinePhase.IDLE)

    @Slot(object)
    def _cancel_waiting(self, _error: AppError) -> None:
        if self.waiting:
            self.stop_playing()

    @Slot(object)
    def _show_failure(self, failure: SpeakFailure) -> None:
        if (line := _find_line_of_job(failure.job)) is not None:
            self._failed_lines[line.id] = line
            self._show_line_state(line.id, LinePhase.FAILED, error=failure.error.message)
            self._chosen_ids = [line_id for line_id in self._chosen_ids if line_id != line.id]  # a loop must not try it for ever
            if not isinstance(failure.error, InputError):  # not for the line's own sake: the others would fail as well
                self.given_up = [line.id, *self._remaining_ids]
                self._chosen_ids, self._remaining_ids = [], []
            self._request_next_line()

    @Slot(object)
    def _play_waiting(self, _voice: object) -> None:
        if self.waiting:
            self._set_waiting(False)
            self._request_next_line()

    @Slot(object, object)
    def _clear_changed_failures(self, _before: Script, after: Script) -> None:
        for line_id, line in list(self._failed_lines.items()):
            if (present := after.find_line(line_id)) is None or not present.is_spoken_like(line):
                del self._failed_lines[line_id]
                if self._model.find_state(line_id).phase is LinePhase.FAILED:
                    self._show_line_state(line_id, LinePhase.IDLE)


def _find_line_of_job(job: SpeechJob) -> Line | None:
    """Return the line that a job speaks; None for text and samples that belong to no line."""
    return job.source if isinstance(job.source, Line) else None


class PlayCommands(QObject):
    """Speaks and saves lines of the script.

    Signals:
        began(): something else is asked for now, so messages about what was asked before may go.
        nothing_to_speak(): none of the lines has text.
        stopping(): the user wants silence; the present sound is about to end.
    """

    began = Signal()
    nothing_to_speak = Signal()
    stopping = Signal()

    def __init__(
        self, document: ScriptDocument, selection: LineSelection, speech: SpeechController, playback: LinePlayback, saving: SavingController
    ) -> None:
        super().__init__(playback)
        self._document, self._selection, self._speech = document, selection, speech
        self._playback, self._sound_saving = playback, saving

    @property
    def is_playing(self) -> bool:
        """Return whether anything that the user asked for sounds, or is about to."""
        # A kept take may sound as well, and playback knows only the lines that it asked for.
        return self._playback.is_on or self._speech.state.is_playing

    @Slot()
    def play_or_stop(self) -> None:
        """Speak the selected lines, or stop if a line is spoken. Before the voice is open, wait for it."""
        if self.is_playing:
            self.stop_playing()
        else:
            self.play_lines(self._selection.ids)

    @Slot(str)
    def play_or_stop_line(self, line_id: str) -> None:
        """Speak one line, or stop if it is spoken."""
        if self._playback.is_speaking(line_id):
            self.stop_playing()
        else:
            self.play_lines([line_id])

    @Slot(str)
    def play_again(self, line_id: str) -> None:
        """Speak a line that was changed."""
        self.began.emit()
        # Not through our own `play_lines`: in live mode a line that was emptied needs no message.
        self._playback.play_lines([line_id])

    @Slot()
    def play_through(self) -> None:
        """Speak from the current line to the end; of a list that shows one character's lines, those."""
        ids = self._selection.shown_ids
        current = self._selection.current_id
        self.play_lines(ids[ids.index(current) if current in ids else 0 :])

    def play_lines(self, ids: Sequence[str]) -> None:
        """Speak these lines one after the other."""
        self.began.emit()
        if not self._playback.play_lines(ids):
            self.nothing_to_speak.emit()

    @Slot(object)
    def play_if_silent(self, ids: Sequence[str]) -> None:
        """Speak the first of these lines that still exists, unless a line is spoken."""
        existing_ids = [line_id for line_id in ids if self._document.script.find_line(line_id)]
        if existing_ids and not self.is_playing:
            self.play_lines(existing_ids[:1])

    @Slot()
    def stop_playing(self) -> None:
        """Stop the present sound."""
        self.stopping.emit()
        self._playback.stop_playing()

    @Slot()
    def save_or_stop(self) -> None:
        """Ask for a place and write the sound of the selected lines, or cancel the present writing."""
        if self._speech.state.is_saving:
            self._sound_saving.stop_saving()
        else:
            self.began.emit()
            self._sound_saving.save_lines(self._selection.ids)

    @Slot()
    def save_all_lines(self) -> None:
        """Write each line into a file of its own."""
        self._sound_saving.save_lines(self._list_all_ids())

    @Slot()
    def save_joined_lines(self) -> None:
        """Write all lines into one file."""
        self._sound_saving.save_joined_lines(self._list_all_ids())

    def _list_all_ids(self) -> list[str]:
        return [line.id for line in self._document.script.lines]


class LiveModeController(QObject):
    """Has a changed line spoken again by itself while live mode is on.

    Signals:
        speak_requested(str): this line was changed, and is at rest now.
    """

    speak_requested = Signal(str)

    def __init__(self, document: ScriptDocument) -> None:
        super().__init__(document)
        self._is_on = False
        self._line_id = ""
        self._timer = QTimer(self, singleShot=True, interval=LIVE_SETTLE_MS)
        self._timer.timeout.connect(self._request_speech)
        document.changed.connect(self._schedule_line)

    @Slot(bool)
    def set_enabled(self, is_on: bool) -> None:
        """Switch live mode on or off."""
        self._is_on = is_on
        if not is_on:
            self._timer.stop()

    @Slot(object, object)
    def _schedule_line(self, before: Script, after: Script) -> None:
        if not self._is_on:
            return
        pairs = zip(before.lines, after.lines, strict=False)
        changed = next((new for old, new in pairs if old is not new and old.id == new.id and not new.is_spoken_like(old)), None)
        if changed is not None:
            self._line_id = changed.id
            # Qt restarts a running timer, so of a slider in motion only the last value is spoken.
            self._timer.start()

    @Slot()
    def _request_speech(self) -> None:
        self.speak_requested.emit(self._line_id)
