"""`koebako project cast`: the characters of a project or another script, and how much each of them says."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.cli.commands.project.convert_options import parse_columns
from app.cli.console_output import print_json, print_note, print_result
from app.cli.project_voices import match_local_voices
from app.common.language import localize
from app.core.line_duration import estimate_line_duration
from app.core.project import PROJECT_SUFFIX
from app.core.script import Script
from app.interchange.koebako_files import open_project
from app.interchange.script_import import read_script_file
from app.voices.installed_voices import find_shipped_voice_id


def run_cast(options: argparse.Namespace) -> int:
    """Print one object for each character, or a line each for people."""
    for row in list_characters(read_script(Path(options.file))):
        if options.json:
            print_json(row)
            continue
        who = " / ".join(part for part in (row["voice"], row["speaker"], row["style"]) if part)
        lines = localize(f"{row['lines']} 行", f"lines: {row['lines']}")
        print_result(f"{row['character']}\t{who}\t{lines}\t{row['seconds']:.0f} s")
    return 0


def read_script(file: Path) -> Script:
    """Read the script of a project or of another program's file; print what was lost. Raises InputError if it cannot be read."""
    if file.suffix.lower() == PROJECT_SUFFIX:
        opened = open_project(file)
        losses, project = opened.losses, opened.project
    else:
        imported = read_script_file(file, parse_columns(""))
        losses, project = imported.losses, match_local_voices(imported.project, file)
    for sentence in losses:
        print_note(sentence)
    return project.script


def list_characters(script: Script) -> Iterator[dict[str, Any]]:
    """Yield each character as the command-line contract has it; the seconds are estimated from the texts."""
    counts, seconds, shipped = (
        Counter(line.character for line in script.lines),
        defaultdict[str, float](float),
        find_shipped_voice_id() or "",
    )
    for line in script.lines:
        seconds[line.character] += estimate_line_duration(line)
    for one in script.cast:
        yield {
            "character": one.name,
            "color": one.colour,
            # One whom nobody has cast yet has a name in the place of a voice.
            "voice": "" if one.settings.voice in one.names else one.settings.voice or shipped,
            "speaker": one.settings.speaker,
            "style": one.settings.style,
            "lines": counts[one.id],
            "seconds": round(seconds[one.id], 3),
        }
