"""The length of the whole script when it is spoken: heard lines count as they were, the rest is estimated from its text."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.script.script import ESTIMATED_SECONDS_PER_CHAR, Line
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_model import LineState, ScriptModel

DURATION_SETTLE_MS = 300


@dataclass(frozen=True, slots=True)
class ScriptDuration:
    """Seconds of sound of all lines; exact where each was heard as it is now."""

    seconds: float
    is_exact: bool


@dataclass(slots=True)
class _DurationSum:
    """The sums for some lines: seconds around and of sounds, letters that were heard, and letters that were not."""

    silence_s: float = 0.0
    heard_s: float = 0.0
    heard_letters: float = 0.0
    unheard_letters: float = 0.0

    def add_line(self, line: Line, find_state: Callable[[str], LineState]) -> None:
        """Add a line that has text."""
        take = find_state(line.id).last_rendering
        self.silence_s += line.settings.pre_silence_s + line.settings.post_silence_s
        letters = len(line.text) / line.settings.speed
        if take is not None and take.line.is_spoken_like(line):
            self.heard_s += take.length_s
            self.heard_letters += letters
        else:
            self.unheard_letters += letters


def measure_character_durations(lines: Iterable[Line], find_state: Callable[[str], LineState]) -> dict[str, ScriptDuration]:
    """Return how long the lines of each character take, by id; empty is that of lines without one.

    Each line counts with the silence before and after it, and what was not heard at the pace of all that was.
    """
    sums: defaultdict[str, _DurationSum] = defaultdict(_DurationSum)
    for line in lines:
        if line.text.strip():
            sums[line.character].add_line(line, find_state)
    letters = sum(item.heard_letters for item in sums.values())
    pace_s = sum(item.heard_s for item in sums.values()) / letters if letters else ESTIMATED_SECONDS_PER_CHAR
    return {
        name: ScriptDuration(item.silence_s + item.heard_s + item.unheard_letters * pace_s, not item.unheard_letters)
        for name, item in sums.items()
    }


def measure_script_duration(lines: Iterable[Line], find_state: Callable[[str], LineState]) -> ScriptDuration:
    """Return how long these lines take one after the other, with the silence before and after each."""
    return sum_durations(measure_character_durations(lines, find_state).values())


def sum_durations(durations: Collection[ScriptDuration]) -> ScriptDuration:
    """Return how long several parts take together."""
    return ScriptDuration(sum(part.seconds for part in durations), all(part.is_exact for part in durations))


class ScriptDurationMeter(QObject):
    """Measures the script again a moment after it, or what is known of its lines, has changed.

    Signals:
        measured(ScriptDuration): it may be another now.
    """

    measured = Signal(object)

    def __init__(self, document: ScriptDocument, model: ScriptModel) -> None:
        super().__init__(model)
        self._document, self._model = document, model
        self._timer = QTimer(self, singleShot=True, interval=DURATION_SETTLE_MS)
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
