"""Assigns installed voices to the names in an imported script, and one voice to those that are missing where nobody can be asked."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import md5
from itertools import cycle
from typing import TypeVar

from app.common.language import localize
from app.core.script.characters import CastBuilder, replace_voices
from app.core.script.project import Project, VoiceAssignment
from app.core.script.script import Character, Line, LineSettings, Script

_Item = TypeVar("_Item")
_NAME_WITH_STYLE = re.compile(r"(.[^（(\n]*)[（(](.+)[）)]")
_STYLE_NUMBER_NAME = re.compile(r"[0-9a-z]{1,16}:([0-9]{1,10})")
_CANONICAL_STYLE_NAMES = {"ノーマル": "neutral"}  # SBV2 writes this style in English, AIVM in Japanese

MAX_LISTED_SUBSTITUTED = 5  # names of missing voices

_SPEAKER_BITS, _STYLE_BITS = 27, 5
MAX_STYLES_PER_SPEAKER = 1 << _STYLE_BITS  # of a speaker; a style of a higher id has no number


@dataclass(frozen=True, slots=True)
class AssignableSpeaker:
    """A speaker of a voice; `styles` as (id within the speaker, name); without a `uuid` its styles have no numbers elsewhere."""

    name: str
    uuid: str = ""
    styles: tuple[tuple[int, str], ...] = ()
    other_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AssignableVoice:
    """A voice that is here; `id` is what lines call it, `uuid` the model's, empty where it has none."""

    id: str
    name: str
    speakers: tuple[AssignableSpeaker, ...] = ()
    uuid: str = ""
    blends: tuple[str, ...] = ()  # names of those styles that belong to no speaker, though each has them

    @property
    def styles(self) -> tuple[str, ...]:
        """Return the names of the styles of all speakers."""
        return tuple(dict.fromkeys(name for speaker in self.speakers for _, name in speaker.styles))


def match_characters(
    project: Project, voices: Sequence[AssignableVoice], remembered: Iterable[VoiceAssignment] = (), default: str = ""
) -> Project:
    """Give every line whose voice is a name of its source the voice of that name.

    Names without a voice here stay as they are, and are missing.

    Args:
        remembered: choices made for names before; those of the project count first.
        default: id of the voice whose speakers count before others; empty is the first one.
    """
    finder = _VoiceFinder(voices, default)
    names = {voice.id: voice for voice in project.voices}
    chosen = {assignment.name: assignment for assignment in (*remembered, *project.assignments) if assignment.voice}
    choices, strangers = dict[str, VoiceAssignment](), list[VoiceAssignment]()
    for assignment in project.assignments:
        choice = chosen.get(assignment.name) or finder.find_assignment(assignment)
        if choice is not None and finder.has_voice(choice.voice):
            choices[assignment.name] = choice
        if assignment.speaker and (assignment.name in chosen or choice is None):
            strangers.append(assignment)
    project = replace(project, script=_cast_strangers(project.script, strangers))
    used = {line.settings.voice for line in project.script.lines} | {assignment.settings.voice for assignment in project.script.cast}
    for voice_id in used - {assignment.name for assignment in project.assignments}:
        if (
            not finder.has_voice(voice_id)
            and (reference := names.get(voice_id)) is not None
            and (voice := finder.find_by_model(reference.uuid))
        ):
            choices[voice_id] = VoiceAssignment(voice_id, voice.id)
    return apply_choices(project, choices)


def _cast_strangers(script: Script, strangers: Iterable[VoiceAssignment]) -> Script:
    """Return the script with a character for each speaker who is in no voice here, where the file has not said so already."""
    used = {line.settings.voice for line in script.lines if not line.character}
    names = [assignment.name for assignment in strangers if assignment.name in used]
    if not names:
        return script
    cast = CastBuilder(script.cast)
    ids = {name: cast.add_character(name, LineSettings(voice=name)).id for name in names}
    lines = (
        replace(line, character=ids[line.settings.voice]) if line.settings.voice in ids and not line.character else line
        for line in script.lines
    )
    return replace(script, lines=tuple(lines), cast=cast.cast)


def list_unassigned(project: Project) -> tuple[VoiceAssignment, ...]:
    """Return the names that lines use and that no voice here has, in order."""
    used = {line.settings.voice for line in project.script.lines}
    return tuple(assignment for assignment in project.assignments if not assignment.voice and assignment.name in used)


def suggest_voices(
    names: Iterable[VoiceAssignment], voices: Sequence[AssignableVoice], used: Iterable[LineSettings] = (), default: str = ""
) -> dict[str, VoiceAssignment]:
    """Return a speaker for each name: those that nobody has yet come first, the default voice's before others, then all of them again.

    Args:
        used: settings of the lines and characters that have a voice.
    """
    ordered = sorted(voices, key=lambda voice: voice.id != default)
    speakers = [(voice.id, speaker) for voice in ordered for speaker in voice.speakers or (AssignableSpeaker(""),)]
    if not speakers:
        return {}
    firsts = {voice.id: voice.speakers[0].name if voice.speakers else "" for voice in voices}
    used_speakers = {(settings.voice or default, settings.speaker or firsts.get(settings.voice or default, "")) for settings in used}
    order = cycle(sorted(speakers, key=lambda assignment: (assignment[0], assignment[1].name) in used_speakers))
    return {
        assignment.name: VoiceAssignment(assignment.name, voice, speaker.name, speaker.styles[0][1] if speaker.styles else "")
        for assignment, (voice, speaker) in zip(names, order, strict=False)
    }


def apply_choices(project: Project, choices: Mapping[str, VoiceAssignment]) -> Project:
    """Give the lines and the characters of these names the voices that were chosen."""
    lines = (replace(line, settings=_replace_voice(line.settings, choices)) for line in project.script.lines)
    cast = (_cast_voice(character, choices) for character in project.script.cast)
    return replace(
        project,
        script=replace(project.script, lines=tuple(lines), cast=tuple(cast)),
        assignments=tuple(choices.get(assignment.name, assignment) for assignment in project.assignments),
        voices=tuple(voice for voice in project.voices if voice.id not in choices),
    )


def list_voice_assignments(cast: Iterable[Character]) -> tuple[VoiceAssignment, ...]:
    """Return the voices of a cast by all names of its characters."""
    return tuple(
        VoiceAssignment(name, character.settings.voice, character.settings.speaker, character.settings.style)
        for character in cast
        if character.settings.voice != character.name
        for name in character.names
    )


def clear_shipped_voice(script: Script, shipped: str) -> Script:
    """Return the script with lines of the voice that ships as projects write them: without a voice."""
    return replace_voices(script, {shipped: ""}) if shipped else script


def _replace_voice(settings: LineSettings, choices: Mapping[str, VoiceAssignment]) -> LineSettings:
    choice = choices.get(settings.voice)
    if choice is None:
        return settings
    return replace(settings, voice=choice.voice, speaker=settings.speaker or choice.speaker, style=settings.style or choice.style)


def _cast_voice(character: Character, choices: Mapping[str, VoiceAssignment]) -> Character:
    """Return the character with the voice chosen for its name; one who was only a number elsewhere is named after the speaker here."""
    settings, name = _replace_voice(character.settings, choices), character.name
    if settings is not character.settings and settings.speaker and _STYLE_NUMBER_NAME.fullmatch(character.settings.voice):
        name = f"{settings.speaker}（{settings.style}）" if settings.style else settings.speaker
    return replace(character, settings=settings, name=name)


def compute_style_id(speaker_uuid: str, local_id: int) -> int | None:
    """Return 27 bits of the speaker and five of the style, with the sign bit cleared; None for a style that has no number."""
    if not 0 <= local_id < MAX_STYLES_PER_SPEAKER:
        return None
    speaker = int(md5(speaker_uuid.encode(), usedforsecurity=False).hexdigest(), 16) & ((1 << _SPEAKER_BITS) - 1)
    return (speaker << _STYLE_BITS | local_id) & ~(1 << 31)


class _VoiceFinder:
    """Looks names up; one that several answer to is nobody's."""

    def __init__(self, voices: Sequence[AssignableVoice], default: str) -> None:
        self._voices = voices
        self._default = next((voice for voice in voices if voice.id == default), voices[0] if voices else None)
        self._ids = {voice.id for voice in voices}
        self._numbers = {
            number: (voice.id, speaker.name, style)
            for voice in voices
            for speaker in voice.speakers
            if speaker.uuid
            for local, style in speaker.styles
            if (number := compute_style_id(speaker.uuid, local)) is not None
        }

    def has_voice(self, voice: str) -> bool:
        """Return whether a voice is installed; the empty id means any voice."""
        return voice in self._ids

    def find_by_model(self, uuid: str) -> AssignableVoice | None:
        return _find_only([voice for voice in self._voices if uuid and voice.uuid == uuid])

    def find_assignment(self, assignment: VoiceAssignment) -> VoiceAssignment | None:
        """Find the voice of a name by number, by the whole name, or by the name before a style in brackets."""
        if number := _STYLE_NUMBER_NAME.fullmatch(assignment.name):
            match = self._numbers.get(int(number[1]))
            return replace(assignment, voice=match[0], speaker=match[1], style=match[2]) if match else None
        by_whole_name = self._find_by_name(assignment, assignment.name)
        if by_whole_name is not None:
            return by_whole_name
        styled = _NAME_WITH_STYLE.fullmatch(assignment.name)
        base = self._find_by_name(assignment, styled[1].rstrip()) if styled else None
        if styled is None or base is None:
            return None
        voice = next(voice for voice in self._voices if voice.id == base.voice)
        style = next((name for name in voice.styles if is_same_name(name, styled[2])), None)
        return None if style is None else replace(base, style=style)

    def _find_by_name(self, assignment: VoiceAssignment, name: str) -> VoiceAssignment | None:
        """Find a name: a speaker in the default voice, then the only voice or speaker; a voice by id, then by name."""
        only_voice = not assignment.speaker
        if not only_voice and self._default is not None and (own := _find_speaker(self._default, name)) is not None:
            return VoiceAssignment(assignment.name, self._default.id, own.name)
        exact = [voice for voice in self._voices if voice.id and voice.id.casefold() == name.casefold()]
        voices = exact or [voice for voice in self._voices if is_same_name(voice.name, name)]
        speakers = [(voice, speaker) for voice in self._voices if (speaker := _find_speaker(voice, name)) is not None]
        if only_voice and (voice := _find_only(voices)) is not None:
            return VoiceAssignment(assignment.name, voice.id)
        # A voice and its only speaker often have one name: that is one, not two.
        matches = {voice.id: VoiceAssignment(assignment.name, voice.id) for voice in voices}
        matches |= {voice.id: VoiceAssignment(assignment.name, voice.id, speaker.name) for voice, speaker in speakers}
        return _find_only(list(matches.values()))


def _find_speaker(voice: AssignableVoice, name: str) -> AssignableSpeaker | None:
    return next(
        (speaker for speaker in voice.speakers if any(is_same_name(known, name) for known in (speaker.name, *speaker.other_names))), None
    )


def is_same_name(one: str, other: str) -> bool:
    """Return whether two names mean one voice, speaker or style."""
    return _fold_name(one) == _fold_name(other)


def _fold_name(name: str) -> str:
    return _CANONICAL_STYLE_NAMES.get(name, name).strip().casefold()


def _find_only(items: Sequence[_Item]) -> _Item | None:
    return items[0] if len(items) == 1 else None


@dataclass(frozen=True, slots=True)
class SubstitutionResult:
    """A project whose missing voices have somebody who speaks for them."""

    project: Project
    counts: Counter[str]  # how many lines that are, by the name of the missing voice
    name: str  # of the voice that speaks, for people

    def describe_substitution(self) -> str:
        """Describe the substitution; empty where there was none."""
        lines = self.counts.total()
        if not lines:
            return ""
        names = ", ".join(list(self.counts)[:MAX_LISTED_SUBSTITUTED]) + (", …" if len(self.counts) > MAX_LISTED_SUBSTITUTED else "")
        return localize(
            f"声が見つからない {lines:,} 行には「{self.name}」を使います（{names}）。",
            f"“{self.name}” speaks {lines:,} {'line' if lines == 1 else 'lines'} whose voice is missing ({names}).",
        )


def substitute_missing_voices(
    project: Project, voice: AssignableVoice, is_available: Callable[[str], bool], exempt: Collection[str] = ()
) -> SubstitutionResult:
    """Give this voice to lines without one, and to those whose voice is missing; `exempt`: missing voices that stay missing."""
    lines = project.script.lines
    missing = {voice_id for line in lines if (voice_id := line.settings.voice) and voice_id not in exempt and not is_available(voice_id)}
    labels = {reference.id: reference.name or reference.id for reference in project.voices}
    counts = Counter(labels.get(line.settings.voice, line.settings.voice) for line in lines if line.settings.voice in missing)
    speaks_for = {"", *missing}
    spoken = tuple(_speak_with_voice(line, voice) if line.settings.voice in speaks_for else line for line in lines)
    project = apply_choices(project, {name: VoiceAssignment(name, voice.id) for name in missing})
    return SubstitutionResult(replace(project, script=replace(project.script, lines=spoken)), counts, voice.name)


def _speak_with_voice(line: Line, voice: AssignableVoice) -> Line:
    """Return the line with the voice; speaker and style of a missing voice are kept if this voice has them, too."""
    settings = replace(line.settings, voice=voice.id)
    if line.settings.voice:
        if not any(is_same_name(speaker.name, settings.speaker) for speaker in voice.speakers):
            settings = replace(settings, speaker="")
        if not any(is_same_name(name, settings.style) for name in voice.styles):
            settings = replace(settings, style="")
    return replace(line, settings=settings)
