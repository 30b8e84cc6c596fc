"""Warnings about a script: voices that are missing, lines without text, and readings that a second analyser doubts."""

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.common.errors import AppError
from app.common.gil_yield import REST_S, iterate_yielding_gil
from app.common.language import localize
from app.core.script.script import Line, Script
from app.core.sound.line_edits import move_readings
from app.core.sound.line_reading import read_line
from app.ui.background_thread import BackgroundThread

if TYPE_CHECKING:
    from app.core.sound.ports import G2P
    from app.core.synthesis_types import ReadingOverride

MAX_WARNINGS, MAX_NAMED_WORDS = 1_000, 4

SLICE_S, MAX_CHECKED_CHARACTERS = 0.4, 600  # seconds after which what was found is shown, and letters of a line that are read

ReadKey = tuple[str, "tuple[ReadingOverride, ...]", bool]
"""What the reading of a line depends on: its text, the readings given by hand, and whether it has memos."""


@dataclass(frozen=True, slots=True)
class ScriptWarning:
    """Something to look at."""

    text: str  # what is the matter, for people
    line_id: str = ""  # the line to go to; empty where there is none
    character_id: str = ""  # the character to go to; empty for a matter of the line itself


def list_script_warnings(script: Script, is_missing: Callable[[str], bool], find_voice_name: Callable[[str], str]) -> list[ScriptWarning]:
    """Return the warnings of a script, those of characters first; at most MAX_WARNINGS.

    A line that shares its character's missing voice has no warning of its own.
    """
    used = {line.settings.voice for line in script.lines} | {character.settings.voice for character in script.cast}
    missing = {voice: find_voice_name(voice) or localize("不明な声", "unknown voice") for voice in used if is_missing(voice)}
    first = {line.character: line.id for line in reversed(script.lines)}
    cast = {character.id: character for character in script.cast}
    warnings = [
        ScriptWarning(_describe_missing(character.name, missing[character.settings.voice]), first.get(character.id, ""), character.id)
        for character in script.cast
        if character.settings.voice in missing
    ]
    for number, line in enumerate(script.lines, 1):
        if len(warnings) >= MAX_WARNINGS:
            break
        voice, character = line.settings.voice, cast.get(line.character)
        if voice in missing and (character is None or character.settings.voice != voice):
            warnings.append(ScriptWarning(_describe_missing(_name_line(number), missing[voice]), line.id))
        elif not line.text.strip():
            title = _name_line(number)
            warnings.append(ScriptWarning(localize(f"{title}: テキストが空です。", f"{title}: the text is empty."), line.id))
    return warnings[:MAX_WARNINGS]


def list_reading_warnings(script: Script, find_doubts: Callable[[Line], Sequence[tuple[str, str]]]) -> list[ScriptWarning]:
    """Return a warning for each line with a word whose reading is in doubt; at most MAX_WARNINGS."""
    doubted = ((number, line, words) for number, line in enumerate(script.lines, 1) if (words := find_doubts(line)))
    warnings = []
    for number, line, words in itertools.islice(doubted, MAX_WARNINGS):
        named = localize("、", ", ").join(f"{surface} → {reading}" for surface, reading in words[:MAX_NAMED_WORDS])
        named += " …" if len(words) > MAX_NAMED_WORDS else ""
        title = _name_line(number)
        text = localize(f"{title}: 別の読みかもしれない単語があります。{named}", f"{title}: other readings are possible: {named}")
        warnings.append(ScriptWarning(text, line.id))
    return warnings


def _name_line(number: int) -> str:
    return localize(f"{number} 行目", f"Line {number}")


def _describe_missing(title: str, voice_name: str) -> str:
    return localize(f"{title}: 声「{voice_name}」が見つかりません。", f"{title}: the voice “{voice_name}” is missing.")


@dataclass(frozen=True, slots=True)
class LineDoubts:
    """The words of a line whose reading is in doubt."""

    key: ReadKey  # what was read
    words: tuple[tuple[str, str], ...]  # each word as it is written, with the reading that it could have instead


class ReadingChecks(QObject):
    """Reads lines with a front end of its own, a slice at a time; what was read once is not read again.

    Signals:
        advanced(): more lines are done.
    """

    advanced = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._background = BackgroundThread(self, "checks")
        self._g2p: G2P | None = None  # belongs to the background, like what it has read
        self._read: dict[ReadKey, tuple[tuple[str, str], ...]] = {}
        self._doubts: dict[str, LineDoubts] = {}
        self._lines: Sequence[Line] = ()
        self._is_running = self._is_closed = False
        self._run = 0  # of a check; what belongs to another one is late
        self.checked_count = self.total = 0  # how many lines of the script are done, and how many it has

    def check_lines(self, lines: Sequence[Line]) -> None:
        """Check these lines, and no longer those of before."""
        if lines is self._lines:
            return
        self._lines, self.checked_count, self.total = lines, 0, len(lines)
        self._run += 1
        if not self._is_running:
            self._begin_slice()

    def stop_checking(self) -> None:
        """Check no further lines; what was found is kept."""
        self._lines, self.checked_count, self.total = (), 0, 0
        self._run += 1

    def forget_readings(self) -> None:
        """Forget what was read, as after the dictionary has changed, and read the same lines again."""
        if self._is_closed:
            return
        lines, self._lines, self._doubts = self._lines, (), {}
        # By the thread that fills it.
        self._background.run_work(self._read.clear)
        if lines:
            self.check_lines(lines)

    def find_doubts(self, line: Line) -> tuple[tuple[str, str], ...]:
        """Return the words in doubt of a line that is still as it was read, each with its other reading."""
        doubts = self._doubts.get(line.id)
        return doubts.words if doubts is not None and doubts.key == _build_key(line) else ()

    def wait_until_idle(self) -> None:
        while self._is_running:
            self._background.wait_until_idle()

    def close(self) -> None:
        """Wait for the running slice; nothing is found any longer."""
        self.stop_checking()
        self._is_closed = True
        self._background.close()

    def _begin_slice(self) -> None:
        self._is_running = self.checked_count < len(self._lines)
        if self._is_running:
            work = partial(self._check_slice, self._lines, self.checked_count)
            self._background.run_work(work, partial(self._keep_doubts, self._run), self._end_check)

    def _check_slice(self, lines: Sequence[Line], start: int) -> tuple[int, dict[str, LineDoubts]]:
        """Return how many lines are done after this slice, and the doubts of those that have any."""
        start_s, doubts, checked_count = time.monotonic(), dict[str, LineDoubts](), start
        for line in iterate_yielding_gil(lines[start:]):
            checked_count += 1
            key = _build_key(line)
            if key not in self._read:
                self._read[key] = self._read_doubts(key)
                # Reading a line takes longer than the window may wait for its turn.
                time.sleep(REST_S)
            if pairs := self._read[key]:
                doubts[line.id] = LineDoubts(key, pairs)
            if time.monotonic() - start_s > SLICE_S:
                break
        return checked_count, doubts

    def _read_doubts(self, key: ReadKey) -> tuple[tuple[str, str], ...]:
        if self._g2p is None:
            from app.compose.text_front_end import open_g2p  # few sessions need it

            self._g2p = open_g2p()
        text, readings, memos = key
        reading = read_line(text, readings, self._g2p, None, MAX_CHECKED_CHARACTERS, doubts=True, memos=memos)
        pairs = ((reading.extract_text(word.start, word.end).strip(), word.other_reading) for word in reading.words if word.other_reading)
        return tuple(dict.fromkeys(pair for pair in pairs if pair[0]))

    def _keep_doubts(self, run: int, result: tuple[int, dict[str, LineDoubts]]) -> None:
        if run == self._run:
            self.checked_count, doubts = result
            self._doubts |= doubts
        self._begin_slice()
        self.advanced.emit()

    def _end_check(self, _error: AppError) -> None:
        """End after an error, such as an unreadable dictionary; speaking a line shows it with its hint."""
        self._is_running, self.checked_count = False, self.total
        self.advanced.emit()


def _build_key(line: Line) -> ReadKey:
    edits = line.overrides
    readings = move_readings(edits.readings, edits.text or line.text, line.text) if edits.readings else ()
    return line.text, readings, line.settings.memos
