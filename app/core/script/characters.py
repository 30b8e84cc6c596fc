"""The cast of a script: who speaks, and how lines follow a character who changes.

A line that has a character shares the character's settings; where it does not, that is its own deviation, and it stays when the character
changes. All edits are pure and give another script, so that each is one step of undo.
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from app.core.script.script import CAST_FIELDS, Character, Line, LineSettings, Script, change_settings, create_line_id, edit_lines
from app.core.synthesis_types import BOUNDS

CHARACTER_COLOURS = 8  # how many colours there are for characters; there were twelve once, and a higher number counts round

MOST_CHARACTERS = 10_000  # how many characters a project holds

MOST_PORTRAIT_CHARS = 100_000  # of base64; what the window makes of a picture has at most half of that

MOST_ALIASES = 1_000  # how many other names a character answers to; more are forgotten when characters are merged

CHARACTER_FIELDS = (*CAST_FIELDS, *BOUNDS, "pauses", "latin")
"""Settings that lines take over from their character; seed, assist text and memos are the line's own."""

_DEFAULT_SETTINGS = LineSettings()


class CastBuilder:
    """Collects characters whose names differ, in order; ten thousand in no noticeable time."""

    def __init__(self, cast: Iterable[Character] = ()) -> None:
        self._cast: list[Character] = []
        self._characters_by_name: dict[str, Character] = {}
        self._colours = Counter(dict.fromkeys(range(CHARACTER_COLOURS), 0))
        for character in cast:
            self._append_character(character)

    @property
    def cast(self) -> tuple[Character, ...]:
        """Return the characters so far."""
        return tuple(self._cast)

    @property
    def is_full(self) -> bool:
        """Return whether a project holds no more characters."""
        return len(self._cast) >= MOST_CHARACTERS

    def find_character(self, name: str) -> Character | None:
        """Return the first character with this name or alias, or None."""
        return self._characters_by_name.get(fold_character_name(name))

    def add_character(self, name: str, settings: LineSettings) -> Character:
        """Return the character of this name: a new one with these settings where there is none yet."""
        return self.find_character(name) or self.adopt_character(Character(name, extract_character_settings(settings)))

    def adopt_character(self, character: Character) -> Character:
        """Add a character, in the first of the colours that the fewest have, and return it."""
        colour = min(self._colours, key=lambda number: (self._colours[number], number))
        adopted = character if character.colour == colour else replace(character, colour=colour)
        self._append_character(adopted)
        return adopted

    def _append_character(self, character: Character) -> None:
        self._cast.append(character)
        self._colours[character.colour] += 1
        for name in character.names:
            self._characters_by_name.setdefault(fold_character_name(name), character)


def extract_character_settings(settings: LineSettings) -> LineSettings:
    """Return the settings without those that are a line's own."""
    return replace(_DEFAULT_SETTINGS, **{name: getattr(settings, name) for name in CHARACTER_FIELDS})


def fold_character_name(name: str) -> str:
    """Return a name as it is compared with others: width and case of letters do not count."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def list_deviations(line: Line, character: Character) -> tuple[str, ...]:
    """Return the names of the settings that a line does not share with its character."""
    return tuple(name for name in CHARACTER_FIELDS if getattr(line.settings, name) != getattr(character.settings, name))


def inherit_settings(settings: LineSettings, old_settings: LineSettings, new_settings: LineSettings) -> LineSettings:
    """Return the settings of a line whose character had the former settings and has the present ones; deviations stay."""
    changed = {
        name: value
        for name in CHARACTER_FIELDS
        if (value := getattr(new_settings, name)) != getattr(old_settings, name) and getattr(settings, name) == getattr(old_settings, name)
    }
    return replace(settings, **changed) if changed else settings


def add_character(script: Script, character: Character) -> Script:
    """Return the script with another character at the end of its cast."""
    return replace(script, cast=(*script.cast, character))


def change_character(script: Script, character_id: str, **values: Any) -> Script:
    """Change fields of a character; its lines follow the settings, but for their deviations."""
    old = script.find_character(character_id)
    if old is None or (new := replace(old, **values)) == old:
        return script
    new = replace(new, settings=extract_character_settings(new.settings))
    script = replace(script, cast=tuple(new if character.id == character_id else character for character in script.cast))
    inherited = _SettingsInheritance()
    return edit_lines(
        script,
        {line.id for line in script.lines if line.character == character_id},
        lambda line: replace(line, settings=inherited.convert_settings(line.settings, old.settings, new.settings)),
    )


def change_all_settings(script: Script, **values: Any) -> Script:
    """Change these settings of every line and every character."""
    cast = tuple(
        character if (new := replace(character.settings, **values)) == character.settings else replace(character, settings=new)
        for character in script.cast
    )
    script = change_settings(script, {line.id for line in script.lines}, **values)
    return script if cast == script.cast else replace(script, cast=cast)


def recast_character(script: Script, character_id: str, settings: Mapping[str, Any]) -> Script:
    """Give a character another voice, or other settings, by name."""
    character = script.find_character(character_id)
    return script if character is None else change_character(script, character_id, settings=replace(character.settings, **settings))


def remove_characters(script: Script, ids: Collection[str]) -> Script:
    """Remove characters; their lines keep how they are spoken, and have no character."""
    cast = tuple(character for character in script.cast if character.id not in ids)
    return replace(
        edit_lines(script, {line.id for line in script.lines if line.character in ids}, lambda line: replace(line, character="")), cast=cast
    )


def merge_characters(script: Script, ids: Collection[str], kept: str) -> Script:
    """Make one character of several: their lines become those of the kept one, who answers to all of their names."""
    target = script.find_character(kept)
    merged = [character for character in script.cast if character.id in ids and character.id != kept]
    if target is None or not merged:
        return script
    names = dict.fromkeys((*target.aliases, *(name for character in merged for name in character.names if name not in target.names)))
    gone = {character.id for character in merged}
    script = assign_character(script, {line.id for line in script.lines if line.character in gone}, kept)
    merged_target = replace(target, aliases=tuple(names)[:MOST_ALIASES])
    return replace(
        script, cast=tuple(merged_target if character.id == kept else character for character in script.cast if character.id not in gone)
    )


def assign_character(script: Script, ids: Collection[str], character_id: str) -> Script:
    """Give lines a character, or none for an empty id.

    They take the character's voice, speaker and style, and everything else in which they did not deviate from their former character, or from
    the defaults where they had none.
    """
    new_character, cast, inherited = (
        script.find_character(character_id),
        {character.id: character for character in script.cast},
        _SettingsInheritance(),
    )

    def assign_to_line(line: Line) -> Line:
        old_character = cast.get(line.character)
        if line.character == character_id or (new_character is None and character_id):
            return line
        if new_character is None:
            return replace(line, character="")
        settings = inherited.convert_settings(
            line.settings, old_character.settings if old_character else _DEFAULT_SETTINGS, new_character.settings, takes_voice=True
        )
        return replace(line, settings=settings, character=character_id)

    return edit_lines(script, ids, assign_to_line)


def reset_deviations(script: Script, ids: Collection[str]) -> Script:
    """Give lines all settings of their characters again."""
    cast = {one.id: one for one in script.cast}

    def reset_line(line: Line) -> Line:
        character = cast.get(line.character)
        if character is None or not list_deviations(line, character):
            return line
        return replace(line, settings=replace(line.settings, **{name: getattr(character.settings, name) for name in CHARACTER_FIELDS}))

    return edit_lines(script, ids, reset_line)


def apply_cast(script: Script, cast: Iterable[Character]) -> Script:
    """Give the characters of a script the settings that another cast has for their names; lines follow, but for their deviations."""
    other_cast = CastBuilder(cast)
    old_cast = {character.id: character for character in script.cast}
    new_cast = {
        character.id: replace(character, settings=namesake.settings)
        for character in script.cast
        if (namesake := next(filter(None, map(other_cast.find_character, character.names)), None)) is not None
    }
    inherited = _SettingsInheritance()

    def follow_character(line: Line) -> Line:
        settings = inherited.convert_settings(line.settings, old_cast[line.character].settings, new_cast[line.character].settings)
        return line if settings is line.settings else replace(line, settings=settings)

    lines = {line.id for line in script.lines if line.character in new_cast}
    return edit_lines(
        replace(script, cast=tuple(new_cast.get(character.id, character) for character in script.cast)), lines, follow_character
    )


def replace_voices(script: Script, voices: Mapping[str, str]) -> Script:
    """Put other voices in place of some, ids by id, in lines and characters."""
    inherited: dict[int, tuple[LineSettings, LineSettings]] = {}

    def replace_voice(settings: LineSettings) -> LineSettings:
        if settings.voice not in voices:
            return settings
        # The former value is kept with the new one: as long as it is known, no other value can get its number.
        replaced = inherited.get(id(settings)) or (settings, replace(settings, voice=voices[settings.voice]))
        inherited[id(settings)] = replaced
        return replaced[1]

    cast = tuple(
        character if (settings := replace_voice(character.settings)) is character.settings else replace(character, settings=settings)
        for character in script.cast
    )
    script = edit_lines(
        script,
        {line.id for line in script.lines if line.settings.voice in voices},
        lambda line: replace(line, settings=replace_voice(line.settings)),
    )
    return script if cast == script.cast else replace(script, cast=cast)


def merge_cast(script: Script, lines: Iterable[Line], cast: Iterable[Character]) -> tuple[Script, tuple[Line, ...]]:
    """Bring the characters of another script in; the second value is its lines, as lines of this script.

    A character of the same name is the one here, and its lines take over the settings it has here. Where the cast is full, lines of further
    ones have no character.
    """
    joined, pairs = CastBuilder(script.cast), dict[str, tuple[Character, Character]]()
    own_ids = {character.id for character in script.cast}
    for character in cast:
        # Renamed since it came from the same project, a character has the id of another here.
        coming = replace(character, id=create_line_id()) if character.id in own_ids else character
        if (own := joined.find_character(character.name) or (None if joined.is_full else joined.adopt_character(coming))) is not None:
            pairs[character.id] = (character, own)
    inherited = _SettingsInheritance()

    def adopt_line(line: Line) -> Line:
        if (pair := pairs.get(line.character)) is None:
            return line if not line.character else replace(line, character="")
        there, own = pair
        return replace(line, character=own.id, settings=inherited.convert_settings(line.settings, there.settings, own.settings))

    adopted = tuple(adopt_line(line) for line in lines)
    return (script if len(joined.cast) == len(script.cast) else replace(script, cast=joined.cast)), adopted


class _SettingsInheritance:
    """Inherits settings once for all lines that share a value, so that they share the new one as well and are compared by identity."""

    def __init__(self) -> None:
        # The values are kept with the new one: as long as they are known, no other value can get their numbers.
        self._inherited: dict[tuple[int, int, int, bool], tuple[tuple[LineSettings, ...], LineSettings]] = {}

    def convert_settings(
        self, settings: LineSettings, former: LineSettings, present: LineSettings, *, takes_voice: bool = False
    ) -> LineSettings:
        """Return the settings of a line after its character changed; with `takes_voice` its voice is no deviation."""
        key = (id(settings), id(former), id(present), takes_voice)
        if key not in self._inherited:
            inherited = inherit_settings(settings, former, present)
            if takes_voice:
                voice = {name: getattr(present, name) for name in CAST_FIELDS}
                inherited = (
                    replace(inherited, **voice) if any(getattr(inherited, name) != value for name, value in voice.items()) else inherited
                )
            self._inherited[key] = ((settings, former, present), inherited)
        return self._inherited[key][1]
