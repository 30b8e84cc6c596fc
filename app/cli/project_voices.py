"""The voices of this machine for the lines of a script, and `--voice` for those whose voice is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from app.cli.output import note
from app.core.project import Project
from app.install.known_voices import known_voice, known_voices
from app.install.ready import found_voice
from app.interchange.assign import KnownVoice, assign
from app.interchange.source import TABLES
from app.interchange.stand_in import with_stand_in
from app.voices.card import Card
from app.voices.voice_words import shown_name


def assigned(project: Project, source: Path, voice: str = "") -> Project:
    """The project with the voices of this machine. `voice` speaks lines without one, and those whose voice is missing, which is announced.

    Args:
        source: file of the script.
        voice: id, name or path; lines that it speaks have this as their voice. Raises VoiceError where there is none.
    """
    known = known_voices()
    if not voice:
        return assign(project, known)
    manifest = found_voice(voice).manifest
    project = assign(project, known, default=manifest.id)
    stand_in = replace(known_voice(manifest, Card()), id=voice, name=shown_name(manifest))
    stood_in = with_stand_in(project, stand_in, _is_here(known, voice), _rows_of_speakers(project, source))
    if sentence := stood_in.sentence():
        note(sentence)
    return stood_in.project


def _is_here(known: Sequence[KnownVoice], voice: str) -> Callable[[str], bool]:
    names = {name.casefold() for one in known for name in (one.id, one.name)}
    return lambda wanted: wanted == voice or wanted.casefold() in names


def _rows_of_speakers(project: Project, source: Path) -> set[str]:
    """Names that a table has for speakers alone: where nobody is called so, its rows fail."""
    is_table = source.suffix.lower() in TABLES
    return {character.name for character in project.characters if is_table and character.speaker and not character.voice}
