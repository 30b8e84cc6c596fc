"""The script as Qt's lists want it, with the state of each line, and its length when it is spoken; a change touches only rows that differ."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QMimeData, QModelIndex, QObject, QPersistentModelIndex, QStringListModel, Qt, QTimer, Signal, Slot

from app.common.language import localize
from app.core.script.script import ESTIMATED_SECONDS_PER_CHAR, Character, Line, Script, place_pauses
from app.ui.script.script_document import ScriptDocument
from app.voices.voice_labels import format_style

Index = QModelIndex | QPersistentModelIndex
LINE_ROLE = Qt.ItemDataRole.UserRole
STATE_ROLE = Qt.ItemDataRole.UserRole + 1
CHARACTER_ROLE = Qt.ItemDataRole.UserRole + 2
DURATION_SETTLE_MS = 300
LINES_MIME = "application/x-koebako-lines"
_LINE_FLAGS = (  # put together once: Qt asks for each of ten thousand lines
    Qt.ItemFlag.ItemIsSelectable
    | Qt.ItemFlag.ItemIsEnabled
    | Qt.ItemFlag.ItemIsEditable
    | Qt.ItemFlag.ItemIsDragEnabled
    | Qt.ItemFlag.ItemNeverHasChildren
)


class LinePhase(Enum):
    """The state of a line."""

    IDLE = "idle"
    PREPARING = "preparing"
    SPEAKING = "speaking"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LastRendering:
    """One rendering of a line as it was then: `id` is that of the request, `length_s` leaves out the silences around the sound."""

    id: str
    line: Line
    length_s: float


@dataclass(frozen=True, slots=True)
class LineState:
    """Shown on the line's card."""

    phase: LinePhase = LinePhase.IDLE
    share: float = 0.0  # how much of it was heard, 0 to 1, while it is spoken
    last_rendering: LastRendering | None = None
    error: str = ""  # why it failed

    def is_done(self, line: Line) -> bool:
        """Return whether the line was spoken exactly as it is now."""
        return self.phase is LinePhase.IDLE and self.last_rendering is not None and self.last_rendering.line.is_spoken_like(line)


def describe_line_state(line: Line, state: LineState) -> str:
    """Describe the state of a line, or of its sound, in words."""
    if state.phase is LinePhase.FAILED:
        return state.error
    if state.phase is LinePhase.PREPARING:
        return localize("次に再生します。", "Plays next.")
    if state.last_rendering is None:
        return ""
    length = localize(f"{state.last_rendering.length_s:.1f} 秒。", f"{state.last_rendering.length_s:.1f} s. ")
    if state.last_rendering.line.is_spoken_like(line):
        return length + localize("現在のテキストと設定での長さです。", "Length with the current text and settings.")
    return length + localize("合成した後に、行が変更されています。", "The line has changed since it was synthesised.")


_UNKNOWN_STATE = LineState()  # made once: the lengths of ten thousand lines ask for it


class ScriptModel(QStringListModel):
    """A row for every shown line of a document, with the line's state and character.

    All lines are shown, or those of one character; what is not shown has no row, and so nothing can select it.

    Qt's list of texts only counts the rows, and its texts stay empty: whenever a list is laid out Qt asks twice a row how many rows
    there are, and to ask Python for that took half of the time.

    Signals:
        filtered(): the lines of somebody else are shown, or all again.
    """

    filtered = Signal()

    def __init__(self, document: ScriptDocument) -> None:
        super().__init__([""] * len(document.script.lines), document)
        self._document = document
        self._lines = self._next_lines = document.script.lines
        self.shown_character: str | None = None  # id of the character whose lines are shown, empty for lines without one; None shows all
        self._told_character: str | None = None
        self._script_rows: list[int] | None = None  # of the shown lines; None while all are shown
        self._shown_rows: dict[str, int] = {}  # by line, while not all are shown
        self._cast = document.script.cast
        self._characters = {character.id: character for character in self._cast}
        for changed in (self.rowsInserted, self.rowsRemoved):  # before any view: it asks for lines by their new rows
            changed.connect(self._update_lines)
        self.describe_voice: Callable[[Line], str] = lambda line: format_style(line.settings.style)  # who speaks a line, for screen readers
        self._states: dict[str, LineState] = {}
        document.changed.connect(self._apply_changes)
        document.replaced.connect(self._forget_script)

    @property
    def is_filtered(self) -> bool:
        """Return whether only the lines of one character are shown."""
        return self.shown_character is not None

    def show_character(self, character_id: str | None) -> None:
        """Show the lines of a character only, those without one for an empty id, or all for None."""
        if character_id != self.shown_character:
            self.shown_character = character_id
            self._apply_changes(self._document.script, self._document.script)

    def show_filtered_lines(self, ids: Sequence[str]) -> None:
        """Show all lines again if one of these is not shown."""
        if self.is_filtered and any(line_id not in self._shown_rows and self._document.script.find_line(line_id) for line_id in ids):
            self.show_character(None)

    def find_character(self, line: Line) -> Character | None:
        return self._characters.get(line.character)

    def find_script_row(self, row: int) -> int:
        """Return where in the script the line of a row is; for the row behind the last, where a line below that one is."""
        if self._script_rows is None:
            return row
        if row < len(self._script_rows):
            return self._script_rows[row]
        return self._script_rows[-1] + 1 if self._script_rows else len(self._document.script.lines)

    def find_line(self, row: int) -> Line | None:
        return self._lines[row] if 0 <= row < len(self._lines) else None

    def list_ids(self, first: int, last: int) -> list[str]:
        """Return the ids of the lines in these rows, both ends included."""
        return [line.id for line in self._lines[first : last + 1]]

    def find_row(self, line_id: str) -> int:
        """Return the row of a line, -1 if there is none."""
        if self._script_rows is not None:
            return self._shown_rows.get(line_id, -1)
        row = Script(self._lines).find_index(line_id)
        return -1 if row is None else row

    def find_state(self, line_id: str) -> LineState:
        return self._states.get(line_id, _UNKNOWN_STATE)

    def set_state(self, line_id: str, state: LineState) -> None:
        if state != self.find_state(line_id):
            self._states[line_id] = state
            index = self.index(self.find_row(line_id))
            if index.isValid():
                self.dataChanged.emit(index, index, [STATE_ROLE])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, line, state, or words for users who do not see the card."""
        line = self.find_line(index.row())
        if line is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return line.text
        if role == LINE_ROLE:
            return line
        if role == STATE_ROLE:
            return self.find_state(line.id)
        if role == CHARACTER_ROLE:
            return self._characters.get(line.character)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return describe_line_card(
                self.find_script_row(index.row()), line, self.find_state(line.id), self.describe_voice(line), self.find_character(line)
            )
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return the flags of a line, which can be edited and dragged, or those of a gap, where lines can be dropped."""
        return _LINE_FLAGS if index.isValid() else Qt.ItemFlag.ItemIsDropEnabled

    def mimeTypes(self) -> list[str]:
        """Return the formats of dragged lines: our own, and text for other programs."""
        return [LINES_MIME, "text/plain"]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return ids and texts of lines."""
        lines = [line for index in sorted(indexes, key=lambda item: item.row()) if (line := self.find_line(index.row()))]
        data = QMimeData()
        data.setData(LINES_MIME, "\n".join(line.id for line in lines).encode())
        data.setText("\n".join(line.text for line in lines))
        return data

    @Slot(object, object)
    def _apply_changes(self, _former: Script, script: Script) -> None:
        is_recast, rows = self._cast is not script.cast, self._script_rows
        if is_recast:
            self._cast, self._characters = script.cast, {character.id: character for character in script.cast}
            if self.shown_character and self.shown_character not in self._characters:
                self.shown_character = None
        self._replace_lines(self._choose_lines(script))
        if self._lines and (is_recast or rows != self._script_rows):  # names, colours or numbers on cards that are the same otherwise
            self.dataChanged.emit(self.index(0), self.index(len(self._lines) - 1), [CHARACTER_ROLE])
        if self._told_character != self.shown_character:
            self._told_character = self.shown_character
            self.filtered.emit()

    def _choose_lines(self, script: Script) -> tuple[Line, ...]:
        """Return the lines to show, and remember where in the script they are."""
        if self.shown_character is None:
            self._script_rows, self._shown_rows = None, {}
            return script.lines
        self._script_rows = [row for row, line in enumerate(script.lines) if line.character == self.shown_character]
        lines = tuple(script.lines[row] for row in self._script_rows)
        self._shown_rows = {line.id: row for row, line in enumerate(lines)}
        return lines

    def _replace_lines(self, new: tuple[Line, ...]) -> None:
        old = self._lines
        shorter = min(len(old), len(new))
        start = next((row for row in range(shorter) if old[row] is not new[row]), shorter)
        end = next((row for row in range(shorter - start) if old[-1 - row] is not new[-1 - row]), shorter - start)
        gone, come = old[start : len(old) - end], new[start : len(new) - end]
        if [line.id for line in gone] == [line.id for line in come]:
            self._lines = new
            if come:
                retexted = any(former.text != line.text for former, line in zip(gone, come, strict=True))
                roles = [LINE_ROLE, *([Qt.ItemDataRole.DisplayRole] if retexted else [])]
                self.dataChanged.emit(self.index(start), self.index(start + len(come) - 1), roles)
            return
        if gone:
            self._next_lines = old[:start] + old[len(old) - end :]
            self.removeRows(start, len(gone))
        if come:
            self._next_lines = new
            self.insertRows(start, len(come))

    @Slot()
    def _update_lines(self) -> None:
        self._lines = self._next_lines

    @Slot()
    def _forget_script(self) -> None:
        """Forget the states of lines, and show all lines of the script that comes."""
        self._states.clear()
        self.shown_character = None


def describe_line_card(row: int, line: Line, state: LineState, voice: str, character: Character | None = None) -> str:
    """Describe a card in words, for screen readers; `voice` says who speaks it, and in which style."""
    phases = {
        LinePhase.PREPARING: localize("準備中", "preparing"),
        LinePhase.SPEAKING: localize("再生中", "playing"),
        LinePhase.FAILED: state.error,
    }
    facts = (
        localize(f"{row + 1} 行目", f"Line {row + 1}"),
        character.name if character is not None else "",
        line.text or localize("空の行", "empty line"),
        voice,
        phases.get(state.phase, ""),
    )
    return localize("、", ", ").join(filter(None, facts))


@dataclass(frozen=True, slots=True)
class ScriptDuration:
    """Seconds of sound of all lines, exact where each was heard as it is now; the rest is estimated from its text."""

    seconds: float
    is_exact: bool


# As many letters count at the usual pace with those that were heard of a voice, or one short line would double the length of a script.
STEADYING_LETTERS = 40


@dataclass(slots=True)
class _DurationSum:
    """The sums for lines of one voice: seconds around and of sounds, letters that were heard, and letters that were not."""

    silence_s: float = 0.0
    heard_s: float = 0.0
    heard_letters: float = 0.0
    unheard_letters: float = 0.0

    def add_line(self, line: Line, silence_s: float, find_state: Callable[[str], LineState]) -> None:
        take = find_state(line.id).last_rendering
        self.silence_s += silence_s
        letters = len(line.text) / line.settings.speed
        if take is not None and take.line.is_spoken_like(line):
            self.heard_s += take.length_s
            self.heard_letters += letters
        else:
            self.unheard_letters += letters


def measure_character_durations(lines: Iterable[Line], find_state: Callable[[str], LineState]) -> dict[str, ScriptDuration]:
    """Return how long the lines of each character take, by id; empty is that of lines without one.

    Each line counts with the silence before and after it, its own pause in place of those between it and the next, and what was not heard at the pace of what was heard of its voice.
    """
    sums: defaultdict[tuple[str, str], _DurationSum] = defaultdict(_DurationSum)
    spoken = [line for line in lines if line.text.strip()]
    for line, placed in zip(spoken, place_pauses(spoken), strict=True):
        silence_s = placed.settings.pre_silence_s + placed.settings.post_silence_s
        sums[line.character, line.settings.voice].add_line(line, silence_s, find_state)
    parts: defaultdict[str, list[ScriptDuration]] = defaultdict(list)
    for (character, voice), item in sums.items():
        pace_s = _compute_pace([other for (_, name), other in sums.items() if name == voice])
        seconds = item.silence_s + item.heard_s + item.unheard_letters * pace_s
        parts[character].append(ScriptDuration(seconds, not item.unheard_letters))
    return {character: sum_durations(durations) for character, durations in parts.items()}


def _compute_pace(sums: Iterable[_DurationSum]) -> float:
    """Return the seconds that a letter takes in the sums of one voice."""
    heard_s, letters = ESTIMATED_SECONDS_PER_CHAR * STEADYING_LETTERS, float(STEADYING_LETTERS)
    for item in sums:
        heard_s += item.heard_s
        letters += item.heard_letters
    return heard_s / letters


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
        self.measured.emit(measure_script_duration(self._document.script.lines, self._model.find_state))
