"""The script: what a user writes, line by line. Frozen values and pure edits, so that undoing is going back to an older value.

Every line carries all of its settings: it sounds the same wherever it is moved, and whatever is done to the others.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.core.delivery import Delivery
from app.core.text_lines import cut_line
from app.core.types import Overrides

CAST_FIELDS = ("voice", "speaker", "style")
"""Settings that say who speaks a line; all others say how."""


@dataclass(frozen=True, slots=True)
class LineSettings(Delivery):
    """Who speaks a line, and how.

    Attributes:
        voice: id of the voice; empty is the first one there is.
        speaker, style: by name, so that they fit another voice too; empty is its first one.
        pauses: (punctuation phone, seconds at speed 1), sorted; marks that are not in it keep the voice's own length.
        seed_locked: False takes another seed each time the line is spoken.
        memos: what stands in square brackets is not spoken; so it is in lines of VOICEVOX and AivisSpeech.
    """

    voice: str = ""
    speaker: str = ""
    style: str = ""
    pauses: tuple[tuple[str, float], ...] = ()
    seed: int = 0
    seed_locked: bool = True
    memos: bool = False


_NO_OVERRIDES = Overrides()
_ids = random.Random()  # of its own: nobody seeds it; asking the system ten thousand times holds up a paste


def new_id() -> str:
    """An id no other line has."""
    return f"{_ids.getrandbits(48):012x}"


@dataclass(frozen=True, slots=True)
class Line:
    """One line.

    Attributes:
        id: stays the same through every edit; nobody sees it.
        overrides: accents, lengths and readings that were edited by hand.
    """

    text: str = ""
    settings: LineSettings = LineSettings()
    overrides: Overrides = _NO_OVERRIDES
    id: str = field(default_factory=new_id)


class _Places:
    """Where lines stand, of the script that was asked last: after each edit the window asks some ten times."""

    def __init__(self) -> None:
        self._known: tuple[tuple[Line, ...], dict[str, int]] = ((), {})

    def of(self, lines: tuple[Line, ...]) -> dict[str, int]:
        """By id; the first of equal ones."""
        known = self._known  # once: another thread may ask, too
        if known[0] is not lines:
            known = self._known = (lines, {lines[index].id: index for index in range(len(lines) - 1, -1, -1)})
        return known[1]


_places = _Places()
MANY = 300  # lines among which one is no longer looked for one by one


@dataclass(frozen=True, slots=True)
class Script:
    """All lines in order."""

    lines: tuple[Line, ...] = ()
    title: str = ""

    def index(self, line_id: str) -> int | None:
        """Where a line stands; None when there is no such line."""
        if len(self.lines) > MANY:
            return _places.of(self.lines).get(line_id)
        return next((index for index, line in enumerate(self.lines) if line.id == line_id), None)

    def find(self, line_id: str) -> Line | None:
        """The line with this id."""
        index = self.index(line_id)
        return None if index is None else self.lines[index]


def cut(line: Line) -> list[Line]:
    """The line; or several with the same settings if its text is too long for one, without edits of its reading."""
    first, *others = cut_line(line.text, memos=line.settings.memos)
    if not others:
        return [line]
    return [replace(line, text=first, overrides=Overrides()), *(Line(text, line.settings) for text in others)]


def insert(script: Script, index: int, lines: Iterable[Line]) -> Script:
    """Puts lines before the one at `index`."""
    return replace(script, lines=(*script.lines[:index], *lines, *script.lines[index:]))


def remove(script: Script, ids: Collection[str]) -> Script:
    """Takes lines out."""
    gone = frozenset(ids)
    return replace(script, lines=tuple(line for line in script.lines if line.id not in gone))


def duplicate(script: Script, ids: Collection[str]) -> tuple[Script, tuple[Line, ...]]:
    """Puts copies of lines behind the last of them; the second value is the copies."""
    wanted = frozenset(ids)
    found = [index for index, line in enumerate(script.lines) if line.id in wanted]
    copies = tuple(replace(script.lines[index], id=new_id()) for index in found)
    return (insert(script, found[-1] + 1, copies) if found else script), copies


def move(script: Script, ids: Collection[str], index: int) -> Script:
    """Gathers lines, in their order, before the one that stands at `index` now."""
    wanted = frozenset(ids)
    moved = [line for line in script.lines if line.id in wanted]
    before = [line for line in script.lines[:index] if line.id not in wanted]
    after = [line for line in script.lines[index:] if line.id not in wanted]
    return replace(script, lines=(*before, *moved, *after))


def shift(script: Script, ids: Collection[str], step: int) -> Script:
    """Moves each of the lines one place up (-1) or down (1); a block at the edge stays there."""
    lines, wanted = list(script.lines), frozenset(ids)
    places = range(len(lines)) if step < 0 else range(len(lines) - 1, -1, -1)
    for place in places:
        other = place + step
        if lines[place].id in wanted and 0 <= other < len(lines) and lines[other].id not in wanted:
            lines[place], lines[other] = lines[other], lines[place]
    return replace(script, lines=tuple(lines))


def retext(script: Script, line_id: str, text: str) -> Script:
    """Gives a line another text; its overrides still count over the text they were made for."""
    return retext_lines(script, {line_id: text})


def retext_lines(script: Script, texts: Mapping[str, str]) -> Script:
    """Gives lines, by id, other texts; their overrides still count over the texts they were made for."""

    def retexted(line: Line) -> Line:
        text = texts[line.id]
        if line.text == text:
            return line
        overrides = line.overrides
        is_counted = overrides is _NO_OVERRIDES or overrides.text or overrides == _NO_OVERRIDES  # mostly the very same value
        counted = overrides if is_counted else replace(overrides, text=line.text)
        return Line(text, line.settings, counted, line.id)

    return _each(script, texts.keys(), retexted)


def reshape(script: Script, line_id: str, overrides: Overrides) -> Script:
    """Gives a line other edits of its reading, accent and lengths."""
    return _each(script, (line_id,), lambda line: replace(line, overrides=overrides) if line.overrides != overrides else line)


def change(script: Script, ids: Collection[str], **values: Any) -> Script:
    """Changes these settings of lines, and leaves their other settings alone."""
    made: dict[int, LineSettings] = {}  # by what they were: lines that share settings share the new ones, and are compared by identity

    def changed(line: Line) -> Line:
        old = line.settings
        new = made.get(id(old))
        if new is None:
            new = replace(old, **values)
            new = made[id(old)] = old if new == old else new
        return line if new is old else Line(line.text, new, line.overrides, line.id)

    return _each(script, ids, changed)


def _each(script: Script, ids: Collection[str], edit: Callable[[Line], Line]) -> Script:
    """The same value when nothing has changed, so that nothing is there to undo."""
    wanted = frozenset(ids)
    lines = tuple(edit(line) if line.id in wanted else line for line in script.lines)
    return script if all(new is old for new, old in zip(lines, script.lines, strict=True)) else replace(script, lines=lines)
