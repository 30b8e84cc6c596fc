"""The voices of this machine for the lines of a script, and `--voice` for those whose voice is missing."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.cli.console_output import print_localized_note, print_note
from app.common.language import localize
from app.core.script.characters import CastBuilder
from app.core.script.project import PROJECT_SUFFIX, Project, VoiceAssignment
from app.core.script.script import Line, LineSettings
from app.install.known_voices import describe_voice, list_known_voices, load_characters
from app.install.resolve_voice import find_unprepared_voice
from app.interchange.character_assignment import AssignableVoice, apply_choices, match_characters, substitute_missing_voices
from app.interchange.script_import import TABLES
from app.voices.installed_voices import find_named_id
from app.voices.prepared_voice import NamedId, VoiceManifest
from app.voices.voice_card_data import VoiceCardData
from app.voices.voice_labels import format_voice_name, localize_voice_name

_NAME_FIELDS = ("speaker", "style")
MAX_LISTED_CHOICES = 5  # names with the voices that were chosen for them


def match_local_voices(project: Project, source: Path, voice: str = "") -> Project:
    """Return the project with the voices of this machine, and those that were chosen before for its names, which is announced.

    `voice` speaks lines without one, and those whose voice is missing, which is announced.

    Args:
        source: file of the script.
        voice: id, name or path; lines that it speaks have this as their voice. Raises VoiceError where there is none.
    """
    local_voices = list_known_voices()
    if not voice:
        return _match_remembered(project, local_voices)
    manifest = find_unprepared_voice(voice).manifest
    project = _match_remembered(project, local_voices, manifest.id)
    stand_in = replace(describe_voice(manifest, VoiceCardData()), id=voice, name=format_voice_name(manifest))
    # In a table such a name may be a character's; the caller decides which voice it gets.
    speaker_only_names = _list_speaker_only_names(project) if source.suffix.lower() in TABLES else ()
    stood_in = substitute_missing_voices(project, stand_in, _create_voice_check(local_voices, voice), speaker_only_names)
    if sentence := stood_in.describe_substitution():
        print_note(sentence)
    return stood_in.project


def _match_remembered(project: Project, local_voices: Sequence[AssignableVoice], default: str = "") -> Project:
    """Return the project with voices for its names; where the window remembers a choice, it counts and is announced."""
    remembered, error = load_characters()
    if error is not None:
        print_note(error.message)
    matched = match_characters(project, local_voices, remembered, default)
    voices_by_name = {assignment.name: assignment.voice for assignment in matched.assignments}
    names = {voice.id: localize_voice_name(voice.name) for voice in local_voices}
    used = [assignment for assignment in remembered if assignment.voice and voices_by_name.get(assignment.name) == assignment.voice]
    if used:
        pairs = [f"{assignment.name} → {names.get(assignment.voice, assignment.voice)}" for assignment in used[:MAX_LISTED_CHOICES]]
        listed = ", ".join(pairs) + (", …" if len(used) > MAX_LISTED_CHOICES else "")
        print_note(localize(f"以前に選んだ声を使います: {listed}", f"Using the voices chosen before: {listed}"))
    return matched


def cast_default_voice(project: Project, voice: str) -> Project:
    """Return the project with a voice (empty: that of lines without one) for the characters that nobody has cast; each is announced."""
    is_available = _create_voice_check(list_known_voices(), voice)
    assigned_names = {item.name for item in project.assignments}
    uncast = [
        item
        for item in project.script.cast
        if item.settings.voice in assigned_names.union(item.names) and not is_available(item.settings.voice)
    ]
    # A column of speakers names characters where no voice has such a speaker.
    spoken = {line.settings.voice for line in project.script.lines}
    strangers = (name for name in _list_speaker_only_names(project) if name in spoken and not is_available(name))
    names = dict.fromkeys((*(item.name for item in uncast), *strangers))
    spoken_by = localize(f"「{voice}」", f"“{voice}”") if voice else localize("既定の声", "the default voice")
    for who in names:
        print_localized_note(
            f"「{who}」の声が決まっていないため、{spoken_by}を使います。", f"No voice was chosen for “{who}”; {spoken_by} speaks."
        )
    return apply_choices(project, {who: VoiceAssignment(who, voice) for who in (*names, *(item.settings.voice for item in uncast))})


def _create_voice_check(local_voices: Sequence[AssignableVoice], voice: str) -> Callable[[str], bool]:
    names = {name.casefold() for local_voice in local_voices for name in (local_voice.id, local_voice.name)}
    return lambda wanted: wanted == voice or wanted.casefold() in names


def _list_speaker_only_names(project: Project) -> list[str]:
    """Return the names that the file has for speakers alone, and that no voice has got yet."""
    return [assignment.name for assignment in project.assignments if assignment.speaker and not assignment.voice]


def cast_unknown_speakers(project: Project, voices: Mapping[str, VoiceManifest], source: Path) -> Project:
    """Return the project with characters for speakers of a table whom the voices of their rows lack; each is announced. No other script changes."""
    if source.suffix.lower() not in TABLES:
        return project
    cast, added_names = CastBuilder(project.script.cast), set[str]()

    def cast_line(line: Line) -> Line:
        voice, speaker_name = voices.get(line.settings.voice), line.settings.speaker
        if line.character or not speaker_name or voice is None or find_named_id(speaker_name, voice.speakers) is not None or cast.is_full:
            return line
        if speaker_name not in added_names:
            added_names.add(speaker_name)
            name = format_voice_name(voice)
            print_localized_note(
                f"「{speaker_name}」は「{name}」の話者ではないため、登場人物として扱います。",
                f"“{speaker_name}” is no speaker of “{name}” and counts as a character.",
            )
        settings = replace(line.settings, speaker="")
        return replace(line, settings=settings, character=cast.add_character(speaker_name, settings).id)

    lines = tuple(map(cast_line, project.script.lines))
    return replace(project, script=replace(project.script, lines=lines, cast=cast.cast)) if added_names else project


def match_speaker_names(project: Project, voices: Mapping[str, VoiceManifest], source: Path, cast_file: str = "") -> Project:
    """Return the project with speakers and styles as the voices of its lines name them, whatever number or similar name a line has for them.

    Where a voice lacks a name, a line of our own projects has the first one, as in the window, and that is announced; other lines keep the
    name, and fail. A recast character keeps the names of its former voice, so that they count again when it gets that voice back.

    Args:
        voices: manifests, by the id that lines have.
        source: file of the script.
        cast_file: file that the cast came from; empty where it came from none.
    """
    matcher = _NameMatcher(voices)
    cast = {one.id: one.settings for one in project.script.cast} if _is_own_project(Path(cast_file)) else {}

    def match_line(line: Line) -> Line:
        character = cast.get(line.character)
        replaceable = (
            _NAME_FIELDS
            if _is_own_project(source)
            else [name for name in _NAME_FIELDS if character is not None and getattr(line.settings, name) == getattr(character, name)]
        )
        settings = matcher.match_settings(line.settings, replaceable)
        return line if settings == line.settings else replace(line, settings=settings)

    return replace(project, script=replace(project.script, lines=tuple(map(match_line, project.script.lines))))


class _NameMatcher:
    """Finds the names that voices have for speakers and styles, and announces each that is replaced once."""

    def __init__(self, voices: Mapping[str, VoiceManifest]) -> None:
        self._voices = voices
        self._names: dict[tuple[str, str, str, bool], str] = {}

    def match_settings(self, settings: LineSettings, replaceable: Collection[str]) -> LineSettings:
        """Return the settings with the names of their voice; only for the replaceable fields its first one where it lacks the name."""
        voice = self._voices.get(settings.voice)
        if voice is None:
            return settings
        kinds = {"speaker": (voice.speakers, localize("話者", "speaker")), "style": (voice.styles, localize("スタイル", "style"))}
        names: dict[str, Any] = {}
        for field, (items, kind) in kinds.items():
            name, is_replaceable = getattr(settings, field), field in replaceable
            key = (settings.voice, field, name, is_replaceable)
            if key not in self._names:
                self._names[key] = _match_name(name, items, kind, voice, is_replaceable=is_replaceable)
            names[field] = self._names[key]
        return replace(settings, **names)


def _match_name(wanted_name: str, items: Sequence[NamedId], kind: str, voice: VoiceManifest, *, is_replaceable: bool) -> str:
    match = find_named_id(wanted_name, items) if wanted_name else None
    if match is not None:
        return match.name
    if not is_replaceable:
        return wanted_name
    first, name = items[0].name, format_voice_name(voice)
    if wanted_name:
        print_localized_note(
            f"声「{name}」に{kind}「{wanted_name}」はないため、「{first}」で話します。",
            f"“{name}” has no {kind} “{wanted_name}”, so that “{first}” is used.",
        )
    return first


def _is_own_project(file: Path) -> bool:
    return file.suffix.lower() == PROJECT_SUFFIX
