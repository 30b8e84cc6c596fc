"""Seeds of lines whose seed is not locked: each request rolls another one, and the last stays until the next."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.core.request_limits import SEED_BOUNDS
from app.core.script.script import Line, Script
from app.ui.script.script_document import ScriptDocument


class LineSeeds(QObject):
    """Remembers which seed each line was rendered with last. A rolled seed is no edit of the script: there is nothing to undo.

    Signals:
        changed(): a line has another seed.
    """

    changed = Signal()

    def __init__(self, document: ScriptDocument) -> None:
        super().__init__(document)
        self._seeds: dict[str, int] = {}
        document.replaced.connect(lambda: self._seeds.clear())

    def roll_seed(self, line: Line) -> Line:
        """Return the line with another seed, unless its own is locked."""
        if line.settings.seed_locked:
            return line
        self._seeds[line.id] = random.randint(0, int(SEED_BOUNDS.high))
        self.changed.emit()
        return self.apply_last_seed(line)

    def apply_last_seed(self, line: Line) -> Line:
        """Return the line with the seed of its last rendering; with its own if that is locked, or if it was never rendered."""
        seed = self._seeds.get(line.id)
        if seed is None or line.settings.seed_locked or seed == line.settings.seed:
            return line
        return replace(line, settings=replace(line.settings, seed=seed))

    def apply_last_seeds(self, script: Script) -> Script:
        """Return the script with `apply_last_seed` applied to all lines."""
        return replace(script, lines=tuple(map(self.apply_last_seed, script.lines))) if self._seeds else script

    def forget_seeds(self, ids: Iterable[str]) -> None:
        """Forget the seeds of lines that the user has given seeds of their own."""
        for line_id in ids:
            self._seeds.pop(line_id, None)
