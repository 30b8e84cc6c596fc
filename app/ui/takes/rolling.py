"""Several takes of a line at once, with other seeds; typing and listening continue."""

from __future__ import annotations

import random
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.core.script import Line
from app.core.takes import new_seeds, of_line
from app.errors import AppError
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import RenderTake, TakeResult
from app.ui.takes.shelf import TakeShelf

COUNT = 5


class Rolling(QObject):
    """Has takes made and keeps each as soon as it is there.

    Signals:
        changed(): more or fewer are still to come.
        made(Take): one of them is kept, and stays whatever happens.
    """

    changed = Signal()
    made = Signal(object)

    def __init__(self, shelf: TakeShelf, speech: SpeechController) -> None:
        super().__init__(shelf)
        self._shelf, self._speech = shelf, speech
        self._jobs: list[RenderTake] = []
        self._wanted = 0

    @property
    def progress(self) -> tuple[int, int] | None:
        """How many of how many are made; None while none is wanted."""
        return (self._wanted - len(self._jobs), self._wanted) if self._jobs else None

    def roll(self, line: Line) -> None:
        """Some takes more of a line as it is, whether its seed is locked or not."""
        waiting = [job.line.settings.seed for job in self._jobs if job.line.id == line.id]
        known = [take.settings.seed for take in of_line(self._shelf.book.takes, line.id)]
        seeds = new_seeds(COUNT, [line.settings.seed, *known, *waiting], random.randint)
        self._wanted = (self._wanted if self._jobs else 0) + COUNT
        rolled = [replace(line, settings=replace(line.settings, seed=seed)) for seed in seeds]
        self._jobs += [self._speech.render(item, on_made=self._on_made, on_failed=self._on_failed) for item in rolled]
        self.changed.emit()

    @Slot()
    def stop(self) -> None:
        """Gives up those that are not made yet."""
        jobs, self._jobs = self._jobs, []
        self._speech.stop_rendering(jobs)
        self.changed.emit()

    def _on_made(self, taken: TakeResult) -> None:
        self._shelf.keep_rendered(taken.job.line, taken.samples, taken.rate, safe=self.made.emit)
        self._jobs.remove(taken.job)
        self.changed.emit()

    def _on_failed(self, _error: AppError) -> None:
        """The others would fail as well."""
        self.stop()
