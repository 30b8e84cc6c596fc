"""`koebako project convert`: a script of one kind as a script of another."""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from app import paths
from app.audition.embedding import put_beside
from app.cli.commands.project.convert_options import columns_of
from app.cli.output import json_line, note
from app.cli.project_voices import assigned
from app.compose.text import open_g2p
from app.core.line_reading import LineReading, read_line
from app.core.project import Project
from app.core.script import LineSettings
from app.core.types import ReadingOverride
from app.errors import VoiceError
from app.install.known_voices import known_voices
from app.install.ready import found_voice
from app.interchange.assign import KnownVoice, without_shipped
from app.interchange.imported import Imported
from app.interchange.koebako import SUFFIX, write_project
from app.interchange.source import read_source
from app.interchange.spoken import settled
from app.interchange.writers import Who, write_script
from app.language import localized
from app.voices.library import find_voice, shipped_voice


def convert(options: argparse.Namespace) -> int:
    """Reads, finds voices, writes; what was not taken over is said on stderr, a line each."""
    target, source = Path(options.output), Path(options.source)
    imported = read_source(source, columns_of(options.columns))
    voice = found_voice(options.voice, by_path=False).manifest.id if options.voice else ""
    dropped = imported.dropped
    if target.suffix.lower() == SUFFIX:
        imported = with_readings(imported)
        project = assigned(imported.project, source, voice)
        project = replace(project, script=without_shipped(project.script, shipped_voice() or ""))
        if project.takes or project.tests:
            put_beside(project, target, Path(options.source))
        write_project(target, project)
        dropped = imported.dropped
    else:
        project = assigned(imported.project, source, voice)
        dropped += write_script(target, project.script, _names(known_voices(), project) if options.characters else None)
    for sentence in dropped:
        note(sentence)
    lines = len(project.script.lines)
    if options.json:
        json_line({"converted": str(target), "lines": lines, "not_taken_over": list(dropped)})
    else:
        note(localized(f"{lines:,} 行を {target} に書き出しました。", f"Lines written to {target}: {lines:,}."))
    return 0


def with_readings(imported: Imported) -> Imported:
    """With accents and readings as edits. Open JTalk takes a second to load, and is not needed for tables and texts."""
    if not imported.spoken:
        return imported
    g2p = open_g2p()

    def read(text: str, readings: tuple[ReadingOverride, ...], emoji: bool, memos: bool) -> LineReading:
        return read_line(text, readings, g2p, emoji=emoji, memos=memos)

    return settled(imported, read)


def _names(voices: list[KnownVoice], project: Project) -> Who:
    """Who speaks a line, for people: a speaker where a voice has several, else the voice."""
    names = {reference.id: reference.name for reference in project.voices} | {voice.id: voice.name for voice in voices}
    first = voices[0].id if voices else ""
    with suppress(VoiceError):  # where there are only voices of AivisSpeech
        first = find_voice(None, paths.voice_dirs()).manifest.id
    styles = {voice.id: voice.styles for voice in voices}

    def who(settings: LineSettings) -> tuple[str, str]:
        voice = settings.voice or first
        style = settings.style or next(iter(styles.get(voice, ())), "")
        return settings.speaker or names.get(voice, voice), style

    return who
