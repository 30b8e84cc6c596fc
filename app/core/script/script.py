"""The script that a user writes, line by line. Values are frozen and edits pure, so undoing is a return to an older value.

Every line carries all of its settings: it sounds the same wherever it is moved, and whatever happens to the other lines. A line that belongs to
a character has the character's settings but for its own deviations; see `app.core.script.characters`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from app.core.delivery import Delivery, dump_delivery
from app.core.sound.voice_traits import SpeakerBlend, VoiceTraits
from app.core.synthesis_types import Overrides, SynthesisRequest
from app.core.text.text_lines import cut_line

CAST_FIELDS = ("voice", "speaker", "style")  # settings that say who speaks a line; all others say how

ESTIMATED_SECONDS_PER_CHAR = 0.15  # of Japanese text as most voices speak it


@dataclass(frozen=True, slots=True)
class LineSettings(Delivery):
    """The voice and the manner in which a line is spoken."""

    voice: str = ""  # id of the voice; empty is the first one there is
    speaker: str = ""  # speaker, style: by name, so that they fit another voice too; empty is its first one
    style: str = ""
    # (punctuation phone, seconds at speed 1), sorted; marks that are not in it keep the voice's own length.
    pauses: tuple[tuple[str, float], ...] = ()
    seed: int = 0
    seed_locked: bool = True  # false takes another seed each time the line is spoken
    memos: bool = False  # text in square brackets is not spoken, as in lines of VOICEVOX and AivisSpeech


_NO_OVERRIDES = Overrides()
_ids = random.Random()  # a generator of its own stays unseeded; ten thousand ids from the system's randomness would hold up a paste


def create_line_id() -> str:
    """Return an id that no other line has."""
    return f"{_ids.getrandbits(48):012x}"


@dataclass(frozen=True, slots=True)
class Character:
    """Somebody who speaks lines of the script."""

    name: str
    # The voice and the manner that lines take over; what is a line's own, such as its seed, has its default here.
    settings: LineSettings = LineSettings()
    aliases: tuple[str, ...] = ()  # other names of the same character
    colour: int = 0  # number of a colour of the theme, from 0
    note: str = ""
    portrait: str = ""  # a small square PNG as base64; empty where there is none
    id: str = field(default_factory=create_line_id)  # stays the same through every edit and is never shown
    unknown: str = ""  # fields of a later version as JSON, kept unchanged; empty where there are none

    @property
    def names(self) -> tuple[str, ...]:
        """Return all names that scripts have for the character."""
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the script."""

    text: str = ""
    settings: LineSettings = LineSettings()
    overrides: Overrides = _NO_OVERRIDES
    id: str = field(default_factory=create_line_id)  # stays the same through every edit and is never shown
    character: str = ""  # id of the character who speaks it; empty is nobody
    unknown: str = ""  # fields of a later version as JSON, kept unchanged; empty where there are none
    # Seconds of silence before the line that is heard next, in place of those around both; None keeps those. No part of its own sound.
    pause_after_s: float | None = None

    def is_spoken_like(self, other: Line) -> bool:
        """Return whether another line has the same text, settings and edits; who speaks it by name shapes no sound."""
        return (self.text, self.settings, self.overrides) == (other.text, other.settings, other.overrides)


class _LineIndexCache:
    """The indices of lines by id, for the latest script only: after each edit the window looks up some ten lines of it."""

    def __init__(self) -> None:
        self._indexes: tuple[tuple[Line, ...], dict[str, int]] = ((), {})

    def find_indexes(self, lines: tuple[Line, ...]) -> dict[str, int]:
        """Return the index of each line by id; the first of lines with equal ids."""
        # Read once, because another thread may replace the value in between.
        known = self._indexes
        if known[0] is not lines:
            known = self._indexes = (lines, {lines[index].id: index for index in range(len(lines) - 1, -1, -1)})
        return known[1]


_line_indexes = _LineIndexCache()
MANY_CHANGED_LINES = 300  # up to this many lines, comparing one by one is used instead of the index


@dataclass(frozen=True, slots=True)
class Script:
    """All lines of the script in order, its title, and its cast in the order of the user."""

    lines: tuple[Line, ...] = ()
    title: str = ""
    cast: tuple[Character, ...] = ()
    unknown: str = ""  # fields of a later version as JSON, kept unchanged; empty where there are none

    def find_index(self, line_id: str) -> int | None:
        """Return the index of a line; None when there is no such line."""
        if len(self.lines) > MANY_CHANGED_LINES:
            return _line_indexes.find_indexes(self.lines).get(line_id)
        return next((index for index, line in enumerate(self.lines) if line.id == line_id), None)

    def find_line(self, line_id: str) -> Line | None:
        index = self.find_index(line_id)
        return None if index is None else self.lines[index]

    def find_character(self, character_id: str) -> Character | None:
        return next((character for character in self.cast if character.id == character_id), None) if character_id else None


def cut_long_line(line: Line) -> list[Line]:
    """Return the line, or several with the same settings if its text is too long for one; those have no edits of their reading."""
    first, *other_texts = cut_line(line.text, memos=line.settings.memos)
    if not other_texts:
        return [line]
    return [
        replace(line, text=first, overrides=Overrides(), pause_after_s=None),
        *(Line(text, line.settings, character=line.character) for text in other_texts[:-1]),
        Line(other_texts[-1], line.settings, character=line.character, pause_after_s=line.pause_after_s),
    ]


def insert_lines(script: Script, index: int, lines: Iterable[Line]) -> Script:
    """Return the script with lines inserted before the one at `index`."""
    return replace(script, lines=(*script.lines[:index], *lines, *script.lines[index:]))


def remove_lines(script: Script, ids: Collection[str]) -> Script:
    """Return the script without these lines."""
    gone = frozenset(ids)
    return replace(script, lines=tuple(line for line in script.lines if line.id not in gone))


def copy_lines(script: Script, ids: Collection[str]) -> tuple[Script, tuple[Line, ...]]:
    """Insert copies of lines behind the last of them; the second value is the copies."""
    copied_ids = frozenset(ids)
    indexes = [index for index, line in enumerate(script.lines) if line.id in copied_ids]
    copies = tuple(replace(script.lines[index], id=create_line_id()) for index in indexes)
    return (insert_lines(script, indexes[-1] + 1, copies) if indexes else script), copies


def move_lines(script: Script, ids: Collection[str], index: int) -> Script:
    """Gather lines, in their order, before the one that is at `index` now."""
    moved_ids = frozenset(ids)
    moved = [line for line in script.lines if line.id in moved_ids]
    lines_before = [line for line in script.lines[:index] if line.id not in moved_ids]
    lines_after = [line for line in script.lines[index:] if line.id not in moved_ids]
    return replace(script, lines=(*lines_before, *moved, *lines_after))


def shift_lines(script: Script, ids: Collection[str], step: int) -> Script:
    """Move each of the lines one place up (-1) or down (1); a block at the edge stays there."""
    lines, moved_ids = list(script.lines), frozenset(ids)
    places = range(len(lines)) if step < 0 else range(len(lines) - 1, -1, -1)
    for index in places:
        neighbour = index + step
        if lines[index].id in moved_ids and 0 <= neighbour < len(lines) and lines[neighbour].id not in moved_ids:
            lines[index], lines[neighbour] = lines[neighbour], lines[index]
    return replace(script, lines=tuple(lines))


def replace_text(script: Script, line_id: str, text: str) -> Script:
    """Give a line another text; its overrides still count over the text they were made for."""
    return replace_texts(script, {line_id: text})


def replace_texts(script: Script, texts: Mapping[str, str]) -> Script:
    """Give lines, by id, other texts; their overrides still count over the texts they were made for."""

    def replace_line_text(line: Line) -> Line:
        text = texts[line.id]
        if line.text == text:
            return line
        overrides = line.overrides
        # The identity test comes first: most lines share the very same empty value.
        is_counted = overrides is _NO_OVERRIDES or overrides.text or overrides == _NO_OVERRIDES
        counted = overrides if is_counted else replace(overrides, text=line.text)
        return Line(text, line.settings, counted, line.id, line.character, line.unknown, line.pause_after_s)

    return edit_lines(script, texts.keys(), replace_line_text)


def replace_overrides(script: Script, line_id: str, overrides: Overrides) -> Script:
    """Give a line other edits of its reading, accent and lengths."""
    return edit_lines(script, (line_id,), lambda line: replace(line, overrides=overrides) if line.overrides != overrides else line)


def change_settings(script: Script, ids: Collection[str], **values: Any) -> Script:
    """Change these settings of lines and leave their other settings alone."""
    # Keyed by the old settings: lines that share a value keep sharing one, and are then compared by identity.
    changed: dict[int, LineSettings] = {}

    def change_line(line: Line) -> Line:
        old = line.settings
        new = changed.get(id(old))
        if new is None:
            new = replace(old, **values)
            new = changed[id(old)] = old if new == old else new
        if new is old:
            return line
        return Line(line.text, new, line.overrides, line.id, line.character, line.unknown, line.pause_after_s)

    return edit_lines(script, ids, change_line)


def change_pauses(script: Script, ids: Collection[str], pause_s: float | None) -> Script:
    """Give lines another pause before the next line, in seconds; None for the silences around them."""
    return edit_lines(script, ids, lambda line: line if line.pause_after_s == pause_s else replace(line, pause_after_s=pause_s))


def place_pauses(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return lines that are heard one after the other with the silences between them: a line's own pause is all that is between it and the next."""
    if all(line.pause_after_s is None for line in lines[:-1]):
        return tuple(lines)
    placed, pauses_s = list[Line](), [None, *(line.pause_after_s for line in lines[:-1]), None]
    for line, before_s, after_s in zip(lines, pauses_s, pauses_s[1:], strict=False):
        pre_s = line.settings.pre_silence_s if before_s is None else 0.0
        settings = replace(line.settings, pre_silence_s=pre_s, post_silence_s=line.settings.post_silence_s if after_s is None else after_s)
        placed.append(line if settings == line.settings else replace(line, settings=settings))
    return tuple(placed)


def edit_lines(script: Script, ids: Collection[str], edit: Callable[[Line], Line]) -> Script:
    """Edit lines; the same script comes back when nothing has changed, so that there is nothing to undo."""
    edited_ids = frozenset(ids)
    lines = tuple(edit(line) if line.id in edited_ids else line for line in script.lines)
    return script if all(new is old for new, old in zip(lines, script.lines, strict=True)) else replace(script, lines=lines)


def estimate_line_duration(line: Line) -> float:
    """Return the seconds that a line takes with the silence before and after it; 0 for one without text."""
    settings = line.settings
    if not line.text.strip():
        return 0.0
    return settings.pre_silence_s + settings.post_silence_s + ESTIMATED_SECONDS_PER_CHAR * len(line.text) / settings.speed


@dataclass(frozen=True, slots=True)
class LineCast:
    """The voice of a request by id, its speaker and style by name; an empty or unknown name means the voice's first one."""

    voice: str = ""
    speaker: str = ""
    style: str = ""
    blend: SpeakerBlend | None = None  # one that the voice has for this request alone; `style` is its name


def build_request(line: Line) -> SynthesisRequest:
    """Return the request for a line, without the ids of speaker and style."""
    # Only an open voice knows its ids, so `find_cast` and `apply_cast` add them later.
    settings = line.settings
    return SynthesisRequest(
        line.text,
        pauses=MappingProxyType(dict(settings.pauses)),
        seed=settings.seed,
        memos=settings.memos,
        overrides=line.overrides,
        **dump_delivery(settings),
    )


def find_cast(line: Line) -> LineCast:
    """Return the voice, speaker and style of a line."""
    return LineCast(line.settings.voice, line.settings.speaker, line.settings.style)


def apply_cast(request: SynthesisRequest, cast: LineCast, voice: VoiceTraits) -> SynthesisRequest:
    """Return the request with the ids of the voice that speaks it."""
    return replace(request, speaker=_find_id(cast.speaker, voice.speakers), style=_find_id(cast.style, voice.styles))


def find_cast_ids(line: Line, voice: VoiceTraits) -> tuple[int, int]:
    """Return the ids of a line's speaker and style in this voice."""
    return _find_id(line.settings.speaker, voice.speakers), _find_id(line.settings.style, voice.styles)


def choose_known_name(name: str, voice_names: Sequence[str]) -> str:
    """Return the speaker or style that is heard for a name: the first one where the voice has none of it; the name itself where none is known."""
    return name if not voice_names or name in voice_names else voice_names[0]


def _find_id(name: str, items: Mapping[int, str]) -> int:
    # An unknown name falls back to the first one: a line must stay playable with another voice.
    return next((number for number, item_name in items.items() if item_name == name), next(iter(items), 0))
