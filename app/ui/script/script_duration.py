"""The length of the whole script when it is spoken: heard lines count as they were, the rest is estimated from its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.script import Line
from app.ui.script.line_state import LineState
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_model import ScriptModel

ESTIMATED_SECONDS_PER_CHAR = 0.15  # of Japanese text as most voices speak it, until lines of this script were heard
DURATION_SETTLE_MS = 300


@dataclass(frozen=True, slots=True)
class ScriptDuration:
    """Seconds of sound of all lines; exact where each was heard as it is now."""

    seconds: float
    is_exact: bool


def measure_script_duration(lines: Iterable[Line], find_state: Callable[[str], LineState]) -> ScriptDuration:
    """Return how long these lines take one after the other, with the silence before and after each."""
    silence_s, heard_s, heard_letters, rest = 0.0, 0.0, 0.0, 0.0
    is_exact = True
    for line in lines:
        if not line.text.strip():
            continue
        take = find_state(line.id).last_rendering
        silence_s += line.settings.pre_silence_s + line.settings.post_silence_s
        letters = len(line.text) / line.settings.speed
        if take is not None and take.line == line:
            heard_s += take.length_s
            heard_letters += letters
        else:
            rest += letters
            is_exact = False
    pace_s = heard_s / heard_letters if heard_letters else ESTIMATED_SECONDS_PER_CHAR
    return ScriptDuration(silence_s + heard_s + rest * pace_s, is_exact)


class ScriptDurationMeter(QObject):
    """Measures the script again a moment after it, or what is known of its lines, has changed.

    Signals:
        measured(ScriptDuration): it may be another now.
    """

    measured = Signal(object)

    def __init__(self, document: ScriptDocument, model: ScriptModel) -> None:
        super().__init__(model)
        self._document, self._model = document, model
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DURATION_SETTLE_MS)
        self._timer.timeout.connect(self.measure_now)
        document.changed.connect(self._schedule_measurement)
        model.dataChanged.connect(self._schedule_measurement)

    @Slot()
    def _schedule_measurement(self, *_changed: object) -> None:
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def measure_now(self) -> None:
        """Measure the duration at once."""
        self.measured.emit(measure_script_duration(self._document.script.lines, self._model.find_state))
