"""The voices of this machine for the lines of a script, and `--voice` for those whose voice is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from app.cli.console_output import print_note
from app.core.project import Project
from app.install.known_voices import describe_voice, list_known_voices
from app.install.resolve_voice import find_unprepared_voice
from app.interchange.character_assignment import AssignableVoice, match_characters
from app.interchange.script_import import TABLES
from app.interchange.substitute_voice import substitute_missing_voices
from app.voices.voice_card_data import VoiceCardData
from app.voices.voice_labels import format_voice_name


def match_local_voices(project: Project, source: Path, voice: str = "") -> Project:
    """Return the project with the voices of this machine.

    `voice` speaks lines without one, and those whose voice is missing, which is announced.

    Args:
        source: file of the script.
        voice: id, name or path; lines that it speaks have this as their voice. Raises VoiceError where there is none.
    """
    known = list_known_voices()
    if not voice:
        return match_characters(project, known)
    manifest = find_unprepared_voice(voice).manifest
    project = match_characters(project, known, default=manifest.id)
    stand_in = replace(describe_voice(manifest, VoiceCardData()), id=voice, name=format_voice_name(manifest))
    stood_in = substitute_missing_voices(project, stand_in, _create_voice_check(known, voice), _find_speaker_only_names(project, source))
    if sentence := stood_in.describe_substitution():
        print_note(sentence)
    return stood_in.project


def _create_voice_check(known: Sequence[AssignableVoice], voice: str) -> Callable[[str], bool]:
    names = {name.casefold() for one in known for name in (one.id, one.name)}
    return lambda wanted: wanted == voice or wanted.casefold() in names


def _find_speaker_only_names(project: Project, source: Path) -> set[str]:
    """Return the names that a table has for speakers alone: if no voice has such a name, its rows fail."""
    is_table = source.suffix.lower() in TABLES
    return {character.name for character in project.characters if is_table and character.speaker and not character.voice}
