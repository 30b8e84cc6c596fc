"""Candidate casts: who else might speak the characters of a scene, side by side on a board, and the script recast with one of them."""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from string import ascii_uppercase
from types import MappingProxyType
from typing import Any

from app.audition.board import Board, BoardColumn, Role
from app.core.script.characters import CHARACTER_FIELDS, recast_character
from app.core.script.script import CAST_FIELDS, Character, Line, Script

ORIGINAL_CAST = "A"  # the letter of the cast that the script has; candidates have the others

VoiceKey = tuple[str, str]  # a voice by id and one of its speakers by name


@dataclass(frozen=True, slots=True)
class CandidateCast:
    letter: str  # distinguishes it from the others
    settings: Mapping[str, Mapping[str, Any]]  # by id of the character, the settings that it gets, by name; all others stay


def choose_free_letter(taken: Collection[str]) -> str:
    """Return the first letter that no cast has; after Z come A2, B2 …"""
    letters = chain(ascii_uppercase[1:], (f"{letter}{lap}" for lap in count(2) for letter in ascii_uppercase))
    return next(letter for letter in letters if letter not in taken)


def list_scene_characters(script: Script, lines: Iterable[Line]) -> tuple[Character, ...]:
    """Return the characters who speak these lines, in the order of the cast."""
    speaking = {line.character for line in lines}
    return tuple(character for character in script.cast if character.id in speaking)


def build_cast_board(lines: Iterable[Line], characters: Iterable[Character], candidates: Iterable[CandidateCast]) -> Board:
    """Build a board with the script's own cast first; raise ValueError for more cells than anybody listens to."""
    casts = (CandidateCast(ORIGINAL_CAST, {}), *candidates)
    changed = [(one, _list_changed_fields(one.id, casts)) for one in characters]
    columns = (BoardColumn((), cast=cast.letter, roles=tuple(_create_role(one, fields, cast) for one, fields in changed)) for cast in casts)
    return Board(tuple(lines), tuple(columns))


def recast_script(script: Script, column: BoardColumn) -> Script:
    """Give all characters the settings of a cast on the board; their lines follow, but for their deviations."""
    for role in column.roles:
        script = recast_character(script, role.character, dict(role.values))
    return script


def suggest_voices(
    characters: Sequence[Character],
    voices: Sequence[VoiceKey],
    generator: random.Random,
    taken: Mapping[str, Collection[VoiceKey]] = MappingProxyType({}),
) -> dict[str, VoiceKey]:
    """Return a voice and speaker for each character by id: all different as long as there are enough.

    A character gets its own voice, or one that a candidate gives it, only if no other is left; what a candidate gives to anybody comes late.

    Args:
        taken: voices of the candidates so far, by id of the character.
    """
    everywhere = {voice for keys in taken.values() for voice in keys}
    free: list[VoiceKey] = []
    suggestions: dict[str, VoiceKey] = {}
    for character in characters if voices else ():
        tried_voices = {(character.settings.voice, character.settings.speaker), *taken.get(character.id, ())}
        free = free or generator.sample(voices, len(voices))
        suggestions[character.id] = min(free, key=lambda voice: (voice in tried_voices, voice in everywhere))
        free.remove(suggestions[character.id])
    return suggestions


def _list_changed_fields(character_id: str, casts: Iterable[CandidateCast]) -> tuple[str, ...]:
    """Return the names of the settings that some cast changes; the voice, its speaker and its style belong together."""
    fields = {name for cast in casts for name in cast.settings.get(character_id, {})}
    fields |= set(CAST_FIELDS) if fields & set(CAST_FIELDS) else set()
    return tuple(name for name in CHARACTER_FIELDS if name in fields)


def _create_role(character: Character, fields: Sequence[str], cast: CandidateCast) -> Role:
    settings = cast.settings.get(character.id, {})
    # Also where this cast leaves them as they are: the script's own cast can be applied again.
    values = tuple((name, settings.get(name, getattr(character.settings, name))) for name in fields)
    return Role(character.id, character.name, character.settings, values)
