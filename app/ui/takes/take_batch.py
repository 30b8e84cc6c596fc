"""Renders several takes of a line with other seeds while the user types or listens."""

from __future__ import annotations

import random
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.audition.line_rendering import TakeResult
from app.common.errors import AppError
from app.core.script.script import Line
from app.core.script.takes import draw_seeds, select_line_takes
from app.engine.synthesis_jobs import ComputeJob
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes.take_repository import TakeRepository

TAKES_PER_BATCH = 5


class TakeBatch(QObject):
    """Renders takes and keeps each of them as soon as it is computed.

    Signals:
        changed(): more or fewer takes are pending.
        made(LineTake): a take is kept, and a crash can no longer lose it.
    """

    changed = Signal()
    made = Signal(object)

    def __init__(self, shelf: TakeRepository, speech: SpeechController) -> None:
        super().__init__(shelf)
        self._shelf, self._speech = shelf, speech
        self._jobs: dict[Line, ComputeJob[TakeResult]] = {}
        self._wanted = 0

    @property
    def progress(self) -> tuple[int, int] | None:
        """Return (finished, total) takes of the batch, or None if no batch runs."""
        return (self._wanted - len(self._jobs), self._wanted) if self._jobs else None

    def render_takes(self, line: Line) -> None:
        """Render more takes of a line as it is, whether or not its seed is locked."""
        # Seeds that wait, are kept or belong to the line are excluded, so that no two takes are equal.
        waiting = [asked.settings.seed for asked in self._jobs if asked.id == line.id]
        known = [take.settings.seed for take in select_line_takes(self._shelf.book.takes, line.id)]
        seeds = draw_seeds(TAKES_PER_BATCH, [line.settings.seed, *known, *waiting], random.randint)
        self._wanted = (self._wanted if self._jobs else 0) + TAKES_PER_BATCH
        rolled = [replace(line, settings=replace(line.settings, seed=seed)) for seed in seeds]
        for item in rolled:
            self._jobs[item] = self._speech.render_take(item, on_made=self._keep_rendered, on_failed=self._stop_after_failure)
        self.changed.emit()

    @Slot()
    def stop_rendering(self) -> None:
        """Cancel the takes that are not rendered yet."""
        jobs, self._jobs = self._jobs, {}
        self._speech.stop_computing(jobs.values())
        self.changed.emit()

    def _keep_rendered(self, taken: TakeResult) -> None:
        self._shelf.keep_rendered(taken.line, taken.samples, taken.rate, on_secured=self.made.emit)
        del self._jobs[taken.line]
        self.changed.emit()

    def _stop_after_failure(self, _error: AppError) -> None:
        """Cancel the other takes, which would fail as well."""
        self.stop_rendering()
