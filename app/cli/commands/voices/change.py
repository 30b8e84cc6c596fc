"""`koebako voices remove`, `rename` and `export`."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.commands.voices.lines import listed
from app.cli.output import json_line, note
from app.cli.progress import shown_progress
from app.install.upkeep import export_voice, remove_voice, rename_voice
from app.language import localized


def remove(options: argparse.Namespace) -> int:
    """Removes a voice."""
    remove_voice(options.voice)
    if options.json:
        json_line({"removed": options.voice})
    else:
        note(localized(f"「{options.voice}」を削除しました。", f"“{options.voice}” was deleted."))
    return 0


def rename(options: argparse.Namespace) -> int:
    """Gives a voice another name."""
    voice = rename_voice(options.voice, options.name)
    if options.json:
        json_line(listed(voice.manifest, voice.path))
    else:
        note(localized(f"名前を「{voice.manifest.name}」に変更しました。", f"Renamed to “{voice.manifest.name}”."))
    return 0


def export(options: argparse.Namespace) -> int:
    """Copies a voice to a folder or a zip."""
    with shown_progress(as_json=options.json) as report:
        target = export_voice(options.voice, Path(options.target), report, replacing=options.replace)
    if options.json:
        json_line({"exported": str(target)})
    else:
        note(localized(f"書き出しました: {target}", f"Exported to {target}"))
    return 0
