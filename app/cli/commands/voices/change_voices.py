"""`koebako voices remove`, `run_rename` and `run_export`."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.commands.voices.voice_records import build_list_record
from app.cli.console_output import print_json, print_note
from app.cli.progress_display import show_progress
from app.common.language import localize
from app.install.manage_voices import export_voice, remove_voice, rename_voice


def run_remove(options: argparse.Namespace) -> int:
    """Removes a voice."""
    remove_voice(options.voice)
    if options.json:
        print_json({"removed": options.voice})
    else:
        print_note(localize(f"「{options.voice}」を削除しました。", f"“{options.voice}” was deleted."))
    return 0


def run_rename(options: argparse.Namespace) -> int:
    """Gives a voice another name."""
    voice = rename_voice(options.voice, options.name)
    if options.json:
        print_json(build_list_record(voice.manifest, voice.path))
    else:
        print_note(localize(f"名前を「{voice.manifest.name}」に変更しました。", f"Renamed to “{voice.manifest.name}”."))
    return 0


def run_export(options: argparse.Namespace) -> int:
    """Copies a voice to a folder or a zip."""
    with show_progress(as_json=options.json) as report:
        target = export_voice(options.voice, Path(options.target), report, may_replace=options.replace)
    if options.json:
        print_json({"exported": str(target)})
    else:
        print_note(localize(f"書き出しました: {target}", f"Exported to {target}"))
    return 0
