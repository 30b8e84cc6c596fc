"""Which lines are spoken: one, or one after the other without a gap, and what their cards show meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.core.requests import cast_of, request_of
from app.core.script import Line, Script
from app.errors import AppError, InputError
from app.ui.script.document import ScriptDocument
from app.ui.script.line_state import Phase, Take
from app.ui.script.script_model import ScriptModel
from app.ui.script.take_seeds import TakeSeeds
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import LinePlace, Speak
from app.ui.synthesis.results import SpeakFailure
from app.ui.synthesis.state import SpeechState

AHEAD_S = 8.0  # sound that is made before it is needed; more would only be thrown away when the user changes something


class Playback(QObject):
    """Asks the controller for one line after the other, each while the one before is heard. What was asked for is known there.

    Attributes:
        waiting: lines were asked for before there was a voice, and will be spoken as soon as it is there.
        loop: starts again at the end.
        given_up: lines that were not spoken because one of them failed, that one first.

    Signals:
        line_began(str): this line sounds now.
        changed(): `waiting` has changed.
    """

    line_began = Signal(str)
    changed = Signal()

    def __init__(self, controller: SpeechController, document: ScriptDocument, model: ScriptModel, seeds: TakeSeeds) -> None:
        super().__init__(document)
        self._controller, self._document, self._model, self._seeds = controller, document, model, seeds
        self._chosen: list[str] = []
        self._left: list[str] = []  # lines not asked for yet
        self._failed: dict[str, Line] = {}
        self._start: float | LinePlace = 0.0  # of the line that is asked for next
        self._again = False  # a loop has come round
        self.waiting = False
        self.loop = False
        self.given_up: list[str] = []
        controller.state_changed.connect(self._on_state)
        controller.made.connect(self._on_made)
        controller.heard.connect(self._on_heard)
        controller.dropped.connect(self._on_dropped)
        controller.speaking_failed.connect(self._on_failed)
        controller.opening_failed.connect(self._on_opening_failed)
        controller.voice_opened.connect(self._on_voice)
        document.changed.connect(self._on_changed)

    @property
    def is_on(self) -> bool:
        """True while a line is spoken or will be."""
        return self.waiting or any(_line_of(job) for job in self._controller.spoken)

    def play(self, ids: Sequence[str], start: float | LinePlace = 0.0) -> bool:
        """Speaks these lines; what is spoken now stops. False when none has text.

        Args:
            start: where the first one is heard from: seconds of the sound it had, whose seed it keeps, or a place that has no sound yet.
        """
        self.stop()
        self._start, self._again = start, False
        script = self._document.script
        self._chosen = [line_id for line_id in ids if (line := script.find(line_id)) and line.text.strip()]
        self._left = list(self._chosen)
        self._wait(bool(self._left) and self._controller.voice is None and self._controller.state.loading)
        for line_id in self._left[:1] if self.waiting else ():
            self._show(line_id, Phase.PREPARING)
        if not self.waiting:
            self._advance()
        return bool(self._chosen)

    @Slot(bool)
    def set_loop(self, loop: bool) -> None:
        """Starts again at the end, or not."""
        self.loop = loop

    def is_speaking(self, line_id: str) -> bool:
        """True while this line sounds or is about to."""
        return self._model.state(line_id).phase in (Phase.SPEAKING, Phase.PREPARING)

    @Slot()
    def stop(self) -> None:
        """Stops what is spoken and forgets what would follow."""
        for line_id in self._chosen[:1] if self.waiting else ():
            self._show(line_id, Phase.IDLE)
        self._chosen, self._left, self.given_up = [], [], []  # a loop must not begin again when it learns what was made meanwhile
        self._wait(False)
        self._controller.stop()

    def _advance(self) -> None:
        """Asks for the next line when the one before is made and not too much waits to be heard."""
        ahead_s = self._controller.ahead_s
        if self._controller.spoken and (ahead_s is None or ahead_s > AHEAD_S):
            return
        if not self._left and self.loop:
            self._left, self._again = list(self._chosen), True
        while self._left:
            start, self._start = self._start, 0.0
            line = self._document.script.find(self._left.pop(0))
            if line is not None and line.text.strip():
                if self._model.state(line.id).phase is not Phase.SPEAKING:
                    self._show(line.id, Phase.PREPARING)
                rendered = self._seeds.applied(line) if start else self._seeds.roll(line)
                self._controller.speak_next(request_of(rendered), cast_of(line), start, source=line, again=self._again)
                return

    def _show(self, line_id: str, phase: Phase, share: float = 0.0, error: str = "") -> None:
        state = self._model.state(line_id)
        self._model.set_state(line_id, replace(state, phase=phase, share=share, error=error))

    def _wait(self, waiting: bool) -> None:
        if waiting != self.waiting:
            self.waiting = waiting
            self.changed.emit()

    @Slot(object)
    def _on_state(self, state: SpeechState) -> None:
        job = self._controller.find(state.request_id)
        line = _line_of(job) if job is not None else None
        if line is not None and state.played_s > 0:
            began = self._model.state(line.id).phase is not Phase.SPEAKING
            self._show(line.id, Phase.SPEAKING, min(1.0, state.played_s / state.made_s) if state.made_s else 0.0)
            if began:
                self.line_began.emit(line.id)
            self._advance()

    @Slot(object)
    def _on_made(self, job: Speak) -> None:
        line = _line_of(job)
        if line is not None:
            take = Take(job.request.id, line, self._controller.made_s(job))
            self._model.set_state(line.id, replace(self._model.state(line.id), take=take))
            self._advance()

    @Slot(object)
    def _on_heard(self, job: Speak) -> None:
        line = _line_of(job)
        if line is not None:
            if self._model.state(line.id).phase is not Phase.SPEAKING:  # so short that nobody looked meanwhile
                self.line_began.emit(line.id)
            again = any(other.id == line.id for other in map(_line_of, self._controller.spoken) if other is not None)
            self._show(line.id, Phase.PREPARING if again else Phase.IDLE)
            self._advance()

    @Slot(object)
    def _on_dropped(self, jobs: Sequence[Speak]) -> None:
        """Stopped, or lost with the device."""
        self._chosen, self._left = [], []
        for line in filter(None, map(_line_of, jobs)):
            self._show(line.id, Phase.IDLE)

    @Slot(object)
    def _on_opening_failed(self, _error: AppError) -> None:
        if self.waiting:
            self.stop()

    @Slot(object)
    def _on_failed(self, failed: SpeakFailure) -> None:
        if (line := _line_of(failed.job)) is not None:
            self._failed[line.id] = line
            self._show(line.id, Phase.FAILED, error=failed.error.message)
            self._chosen = [line_id for line_id in self._chosen if line_id != line.id]  # a loop must not try it for ever
            if not isinstance(failed.error, InputError):  # not for the line's own sake: the others would fail as well
                self.given_up = [line.id, *self._left]
                self._chosen, self._left = [], []
            self._advance()

    @Slot(object)
    def _on_voice(self, _voice: object) -> None:
        if self.waiting:
            self._wait(False)
            self._advance()

    @Slot(object, object)
    def _on_changed(self, _before: Script, after: Script) -> None:
        """A line that failed is as good as new once it was changed."""
        for line_id, line in list(self._failed.items()):
            if after.find(line_id) != line:
                del self._failed[line_id]
                if self._model.state(line_id).phase is Phase.FAILED:
                    self._show(line_id, Phase.IDLE)


def _line_of(job: Speak) -> Line | None:
    """The line that a job speaks; None for words and samples that belong to none."""
    return job.source if isinstance(job.source, Line) else None
