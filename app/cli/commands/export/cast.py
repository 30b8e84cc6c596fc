"""The voices that a script asks for: found, prepared, and known by the names that people see."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from app import paths
from app.cli.project_voices import assigned
from app.cli.voice_choice import chosen_voice, needed_bert
from app.core.project import Project
from app.core.script import Line, LineSettings
from app.errors import AppError
from app.export.pattern import Who
from app.install.ready import found_voice
from app.interchange.koebako import SUFFIX
from app.voices.library import find_voice, shipped_voice
from app.voices.manifest import VoiceManifest


@dataclass(frozen=True, slots=True)
class Cast:
    """Who speaks.

    Attributes:
        wanted: what `open_speaker` takes, by the id that lines have.
        manifests: of the same voices.
        failed: why a voice cannot speak, by its id.
    """

    wanted: dict[str, str | None]
    manifests: dict[str, VoiceManifest]
    failed: dict[str, AppError]

    def names_of(self, settings: LineSettings) -> Who:
        """As people know them; what is not there by the name that the line has."""
        info = self.manifests.get(settings.voice)
        if info is None:
            return Who(settings.voice, settings.speaker, settings.style)
        return Who(info.name, settings.speaker or info.speakers[0].name, settings.style or info.styles[0].name)


def assigned_for_export(project: Project, source: Path, voice: str | None) -> Project:
    """The project with the voices of this machine. Lines without one speak with `voice`; in our own projects they mean the one we ship."""
    project = assigned(project, source, voice or "")
    shipped = shipped_voice() if not voice and source.suffix.lower() == SUFFIX else None
    lines = tuple(_spoken_by(line, shipped or "") for line in project.script.lines)
    return replace(project, script=replace(project.script, lines=lines))


def make_cast(lines: Iterable[Line], options: argparse.Namespace) -> Cast:
    """Gets every voice of the lines ready; one that cannot be is noted, as its lines fail alone. Asks for licences."""
    cast = Cast({}, {}, {})
    for voice in dict.fromkeys(line.settings.voice for line in lines):
        own = copy.copy(options)
        own.voice = voice or None
        try:
            by_path = voice == options.voice  # a script may be a stranger's
            cast.wanted[voice] = chosen_voice(own, by_path=by_path)
            found = found_voice(voice, by_path=by_path) if voice else find_voice(None, paths.voice_dirs(), needed_bert(own))
            cast.manifests[voice] = found.manifest
        except AppError as error:
            cast.failed[voice] = error
    return cast


def _spoken_by(line: Line, voice: str) -> Line:
    return line if line.settings.voice or not voice else replace(line, settings=replace(line.settings, voice=voice))
