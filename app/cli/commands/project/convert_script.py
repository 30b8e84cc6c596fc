"""`koebako project convert`: a script of one kind as a script of another."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from app.adapters.files.file_lock import lock_user_file
from app.audition.embedded_sounds import copy_sounds_beside
from app.cli.atomic_output import refuse_existing_file
from app.cli.commands.project.convert_options import parse_columns
from app.cli.console_output import print_json, print_note
from app.cli.project_voices import match_local_voices
from app.common.language import localize
from app.compose.text_front_end import open_g2p
from app.core.script.characters import replace_voices
from app.core.script.project import Project
from app.core.script.script import LineSettings
from app.core.sound.line_reading import LineReading, read_line
from app.core.synthesis_types import ReadingOverride
from app.install.known_voices import list_known_voices
from app.install.natural_voice_first_start import find_default_voice_id
from app.install.resolve_voice import find_unprepared_voice
from app.interchange.character_assignment import AssignableVoice, clear_shipped_voice
from app.interchange.imported_script import ImportedScript
from app.interchange.koebako_files import PROJECT_FILE_SUFFIX, write_project
from app.interchange.reading_diff import apply_spoken_phrases
from app.interchange.script_import import read_script_file
from app.interchange.script_writers import NAMED_SUFFIXES, NameSpeaker, write_script
from app.voices.installed_voices import find_shipped_voice_id


def run_convert(options: argparse.Namespace) -> int:
    """Read the script, find voices and write it; print each loss on stderr, in a line of its own."""
    target = Path(options.output)
    with lock_user_file(target):
        refuse_existing_file(target, may_replace=options.replace, sources=[options.source])
        project, dropped = _write_converted_script(target, options)
    for sentence in dropped:
        print_note(sentence)
    lines = len(project.script.lines)
    if options.json:
        print_json({"converted": str(target), "lines": lines, "not_taken_over": list(dropped)})
    else:
        print_note(localize(f"{lines:,} 行を {target} に書き出しました。", f"Lines written to {target}: {lines:,}."))
    return 0


def _write_converted_script(target: Path, options: argparse.Namespace) -> tuple[Project, tuple[str, ...]]:
    """Return what was written, and what was lost, a sentence each."""
    source = Path(options.source)
    imported = read_script_file(source, parse_columns(options.columns))
    voice = find_unprepared_voice(options.voice, may_be_path=False).manifest.id if options.voice else ""
    if target.suffix.lower() == PROJECT_FILE_SUFFIX:
        imported = apply_readings(imported)
        project = match_local_voices(imported.project, source, voice)
        script = replace_voices(project.script, {"": _find_meant_voice(source)})
        project = replace(project, script=clear_shipped_voice(script, find_shipped_voice_id() or ""))
        if project.takes or project.tests:
            copy_sounds_beside(project, target, source)
        write_project(target, project)
        return project, imported.losses
    project = match_local_voices(imported.project, source, voice)
    is_named = options.characters or options.dialogue or target.suffix.lower() in NAMED_SUFFIXES
    find_names = _create_name_finder(list_known_voices(), project, _find_meant_voice(source)) if is_named else None
    return project, imported.losses + write_script(target, project.script, find_names, as_dialogue=options.dialogue)


def apply_readings(imported: ImportedScript) -> ImportedScript:
    """Return the script with accents and readings as edits. Open JTalk takes a second to load, and is not needed for tables and texts."""
    if not imported.phrases_by_line:
        return imported
    g2p = open_g2p()

    def read_text(text: str, readings: tuple[ReadingOverride, ...], emoji: bool, memos: bool) -> LineReading:
        return read_line(text, readings, g2p, emoji=emoji, memos=memos)

    return apply_spoken_phrases(imported, read_text)


def _find_meant_voice(source: Path) -> str:
    """Return the voice that lines of a file without one mean: in our own projects the one that ships."""
    return (find_shipped_voice_id() or "") if source.suffix.lower() == PROJECT_FILE_SUFFIX else find_default_voice_id()


def _create_name_finder(voices: list[AssignableVoice], project: Project, first: str) -> NameSpeaker:
    """Return a function that names a line's speaker for people: a speaker where a voice has several, else the voice.

    Args:
        first: the voice of lines without one.
    """
    names = {reference.id: reference.name for reference in project.voices} | {voice.id: voice.name for voice in voices}
    styles = {voice.id: voice.styles for voice in voices}

    def find_names(settings: LineSettings) -> tuple[str, str]:
        voice = settings.voice or first
        style = settings.style or next(iter(styles.get(voice, ())), "")
        return settings.speaker or names.get(voice, voice), style

    return find_names
