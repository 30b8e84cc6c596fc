"""How long the whole script is when it is spoken: what was heard counts as it was, the rest is estimated from its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.script import Line
from app.ui.script.document import ScriptDocument
from app.ui.script.line_state import LineState
from app.ui.script.script_model import ScriptModel

SECONDS_A_LETTER = 0.15  # of Japanese text as most voices speak it, until lines of this script were heard
SETTLES_MS = 300


@dataclass(frozen=True, slots=True)
class ScriptDuration:
    """Seconds of sound of all lines; exact where each was heard as it is now."""

    seconds: float
    is_exact: bool


def measure_duration(lines: Iterable[Line], state_of: Callable[[str], LineState]) -> ScriptDuration:
    """Return how long these lines take one after the other, with the silence before and after each."""
    silence_s, heard_s, heard_letters, rest = 0.0, 0.0, 0.0, 0.0
    is_exact = True
    for line in lines:
        if not line.text.strip():
            continue
        take = state_of(line.id).take
        silence_s += line.settings.pre_silence_s + line.settings.post_silence_s
        letters = len(line.text) / line.settings.speed
        if take is not None and take.line == line:
            heard_s += take.length_s
            heard_letters += letters
        else:
            rest += letters
            is_exact = False
    pace_s = heard_s / heard_letters if heard_letters else SECONDS_A_LETTER
    return ScriptDuration(silence_s + heard_s + rest * pace_s, is_exact)


class DurationMeter(QObject):
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
        self._timer.setInterval(SETTLES_MS)
        self._timer.timeout.connect(self.measure)
        document.changed.connect(self._wait)
        model.dataChanged.connect(self._wait)

    @Slot()
    def _wait(self, *_changed: object) -> None:
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def measure(self) -> None:
        """Measures at once."""
        self.measured.emit(measure_duration(self._document.script.lines, self._model.state))
