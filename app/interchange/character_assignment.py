"""Assigns installed voices to the names in an imported script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from app.core.project import Character, Project
from app.core.script import Line, Script
from app.interchange.style_ids import compute_style_id

_Item = TypeVar("_Item")
_NAME_WITH_STYLE = re.compile(r"(.+?)\s*[（(](.+)[）)]")
_STYLE_NUMBER_NAME = re.compile(r"[0-9a-z]{1,16}:([0-9]{1,10})")
# SBV2 writes this style in English, AIVM in Japanese.
_CANONICAL_STYLE_NAMES = {"ノーマル": "neutral"}


@dataclass(frozen=True, slots=True)
class AssignableSpeaker:
    """A speaker of a voice; `styles` as (id within the speaker, name); without a `uuid` its styles have no numbers elsewhere."""

    name: str
    uuid: str = ""
    styles: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AssignableVoice:
    """A voice that is here; `id` is what lines call it, `uuid` the model's, empty where it has none."""

    id: str
    name: str
    speakers: tuple[AssignableSpeaker, ...] = ()
    uuid: str = ""

    @property
    def styles(self) -> tuple[str, ...]:
        """Return the names of the styles of all speakers."""
        return tuple(dict.fromkeys(name for speaker in self.speakers for _, name in speaker.styles))


def match_characters(
    project: Project, known: Sequence[AssignableVoice], remembered: Iterable[Character] = (), default: str = ""
) -> Project:
    """Give every line whose voice is a name of its source the voice of that name.

    Names without a voice here stay as they are, and are missing.

    Args:
        remembered: choices made for names before; those of the project count first.
        default: id of the voice whose speakers count before others; empty is the first one.
    """
    finder = _CharacterFinder(known, default)
    names = {voice.id: voice for voice in project.voices}
    chosen = {character.name: character for character in (*remembered, *project.characters) if character.voice}
    found: dict[str, Character] = {}
    for character in project.characters:
        choice = chosen.get(character.name) or finder.find_character(character)
        if choice is not None and finder.has_voice(choice.voice):
            found[character.name] = choice
    for wanted in {line.settings.voice for line in project.script.lines} - {character.name for character in project.characters}:
        if (
            not finder.has_voice(wanted)
            and (reference := names.get(wanted)) is not None
            and (voice := finder.find_by_model(reference.uuid))
        ):
            found[wanted] = Character(wanted, voice.id)
    lines = tuple(_replace_voice(line, found) for line in project.script.lines)
    return replace(
        project,
        script=replace(project.script, lines=lines),
        characters=tuple(found.get(character.name, character) for character in project.characters),
        voices=tuple(voice for voice in project.voices if voice.id not in found),
    )


def list_unassigned(project: Project) -> tuple[Character, ...]:
    """Return the names that lines use and that no voice here has, in order."""
    used = {line.settings.voice for line in project.script.lines}
    return tuple(character for character in project.characters if not character.voice and character.name in used)


def apply_choices(project: Project, choices: Mapping[str, Character]) -> Project:
    """Give the lines of these names the characters that the user chose."""
    return replace(
        project,
        script=replace(project.script, lines=tuple(_replace_voice(line, choices) for line in project.script.lines)),
        characters=tuple(choices.get(character.name, character) for character in project.characters),
        voices=tuple(voice for voice in project.voices if voice.id not in choices),
    )


def clear_shipped_voice(script: Script, shipped: str) -> Script:
    """Return the script with lines of the voice that ships as projects write them: without a voice."""
    lines = (replace(line, settings=replace(line.settings, voice="")) if line.settings.voice == shipped else line for line in script.lines)
    return replace(script, lines=tuple(lines)) if shipped else script


def _replace_voice(line: Line, characters: Mapping[str, Character]) -> Line:
    who = characters.get(line.settings.voice)
    if who is None:
        return line
    settings = line.settings
    return replace(
        line, settings=replace(settings, voice=who.voice, speaker=settings.speaker or who.speaker, style=settings.style or who.style)
    )


class _CharacterFinder:
    """Looks names up; one that several answer to is nobody's."""

    def __init__(self, known: Sequence[AssignableVoice], default: str) -> None:
        self._known = known
        self._default = next((voice for voice in known if voice.id == default), known[0] if known else None)
        self._ids = {voice.id for voice in known}
        self._numbers = {
            number: (voice.id, speaker.name, style)
            for voice in known
            for speaker in voice.speakers
            if speaker.uuid
            for local, style in speaker.styles
            if (number := compute_style_id(speaker.uuid, local)) is not None
        }

    def has_voice(self, voice: str) -> bool:
        """Return whether a voice is installed; the empty id means any voice."""
        return voice in self._ids

    def find_by_model(self, uuid: str) -> AssignableVoice | None:
        """Return the one voice of this model, or None."""
        return _find_only([voice for voice in self._known if uuid and voice.uuid == uuid])

    def find_character(self, character: Character) -> Character | None:
        """Find a character by number, by the whole name, or by the name before a style in brackets."""
        if number := _STYLE_NUMBER_NAME.fullmatch(character.name):
            match = self._numbers.get(int(number[1]))
            return replace(character, voice=match[0], speaker=match[1], style=match[2]) if match else None
        whole = self._find_by_name(character, character.name)
        if whole is not None:
            return whole
        styled = _NAME_WITH_STYLE.fullmatch(character.name)
        base = self._find_by_name(character, styled[1]) if styled else None
        if styled is None or base is None:
            return None
        voice = next(voice for voice in self._known if voice.id == base.voice)
        style = next((name for name in voice.styles if is_same_name(name, styled[2])), None)
        return None if style is None else replace(base, style=style)

    def _find_by_name(self, character: Character, name: str) -> Character | None:
        """Find a name: a speaker in the default voice, then the only voice or speaker; a voice by id, then by name."""
        only_voice = not character.speaker
        if not only_voice and self._default is not None and (own := _find_speaker(self._default, name)) is not None:
            return Character(character.name, self._default.id, own.name)
        exact = [voice for voice in self._known if voice.id and voice.id.casefold() == name.casefold()]
        voices = exact or [voice for voice in self._known if is_same_name(voice.name, name)]
        speakers = [(voice, speaker) for voice in self._known if (speaker := _find_speaker(voice, name)) is not None]
        if only_voice and (voice := _find_only(voices)) is not None:
            return Character(character.name, voice.id)
        # A voice and its only speaker often have one name: that is one, not two.
        found = {voice.id: Character(character.name, voice.id) for voice in voices}
        found |= {voice.id: Character(character.name, voice.id, speaker.name) for voice, speaker in speakers}
        return _find_only(list(found.values()))


def _find_speaker(voice: AssignableVoice, name: str) -> AssignableSpeaker | None:
    return next((speaker for speaker in voice.speakers if is_same_name(speaker.name, name)), None)


def is_same_name(one: str, other: str) -> bool:
    """Return whether two names mean one voice, speaker or style."""
    return _fold_name(one) == _fold_name(other)


def _fold_name(name: str) -> str:
    return _CANONICAL_STYLE_NAMES.get(name, name).strip().casefold()


def _find_only(items: Sequence[_Item]) -> _Item | None:
    return items[0] if len(items) == 1 else None
