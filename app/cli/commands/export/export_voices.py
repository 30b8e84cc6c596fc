"""The voices that a script asks for: found, prepared, and known by the names that people see."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from app.cli.chosen_voice import create_bert_finder, prepare_chosen_voice
from app.cli.project_voices import match_local_voices
from app.common.errors import AppError
from app.common.files import paths
from app.core.project import Project
from app.core.script import Line, LineSettings
from app.export.name_pattern import SpeakerNames
from app.install.resolve_voice import find_unprepared_voice
from app.interchange.koebako_files import PROJECT_FILE_SUFFIX
from app.voices.installed_voices import find_shipped_voice_id, find_voice
from app.voices.voice_manifest import VoiceManifest


@dataclass(frozen=True, slots=True)
class ExportVoices:
    """The voices that speak in an export.

    Attributes:
        voice_names: what `open_speaker` takes, by the id that lines have.
        manifests: of the same voices.
        errors: why a voice cannot speak, by its id.
    """

    voice_names: dict[str, str | None]
    manifests: dict[str, VoiceManifest]
    errors: dict[str, AppError]

    def find_names(self, settings: LineSettings) -> SpeakerNames:
        """As people know them; what is not there by the name that the line has."""
        info = self.manifests.get(settings.voice)
        if info is None:
            return SpeakerNames(settings.voice, settings.speaker, settings.style)
        return SpeakerNames(info.name, settings.speaker or info.speakers[0].name, settings.style or info.styles[0].name)


def match_export_voices(project: Project, source: Path, voice: str | None) -> Project:
    """The project with the voices of this machine. Lines without one speak with `voice`; in our own projects they mean the one we ship."""
    project = match_local_voices(project, source, voice or "")
    shipped = find_shipped_voice_id() if not voice and source.suffix.lower() == PROJECT_FILE_SUFFIX else None
    lines = tuple(_set_default_voice(line, shipped or "") for line in project.script.lines)
    return replace(project, script=replace(project.script, lines=lines))


def prepare_export_voices(lines: Iterable[Line], options: argparse.Namespace) -> ExportVoices:
    """Gets every voice of the lines ready; one that cannot be is noted, as its lines fail alone. Asks for licences."""
    cast = ExportVoices({}, {}, {})
    for voice in dict.fromkeys(line.settings.voice for line in lines):
        own = copy.copy(options)
        own.voice = voice or None
        try:
            # A script may be a stranger's, so only the user's own option may name a path.
            by_path = voice == options.voice
            cast.voice_names[voice] = prepare_chosen_voice(own, by_path=by_path)
            found = (
                find_unprepared_voice(voice, may_be_path=by_path)
                if voice
                else find_voice(None, paths.list_voice_dirs(), create_bert_finder(own))
            )
            cast.manifests[voice] = found.manifest
        except AppError as error:
            cast.errors[voice] = error
    return cast


def _set_default_voice(line: Line, voice: str) -> Line:
    return line if line.settings.voice or not voice else replace(line, settings=replace(line.settings, voice=voice))
