"""`koebako voices`: which voices there are and what a voice is; the other actions have files of their own."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

from app.cli.commands.voices import add_voices_command, change_voices
from app.cli.commands.voices.check_voice_command import run_check
from app.cli.commands.voices.field_labels import format_values
from app.cli.commands.voices.precision_command import run_precision
from app.cli.commands.voices.reprepare_command import run_renew
from app.cli.commands.voices.voice_records import build_info_record, build_list_record, format_fast_lines, format_info_lines
from app.cli.console_output import print_json, print_result, print_result_lines
from app.common.files import paths
from app.install.resolve_voice import find_unprepared_voice
from app.install.voice_licence import find_unaccepted_licence
from app.settings.graph_precision import GraphPrecision
from app.settings.user_settings import load_usable_settings
from app.voices.aivisspeech_voices import find_aivisspeech_folder, list_aivisspeech_voices
from app.voices.containers.voice_card_builder import build_voice_card
from app.voices.containers.voice_sources import read_source_facts
from app.voices.installed_voices import list_installed_voices
from app.voices.prepared_voice import Voice
from app.voices.voice_card_data import VoiceCardData, read_card
from app.voices.voice_labels import format_voice_name
from app.voices.voice_manifest import MANIFEST_NAME


def run(options: argparse.Namespace) -> int:
    """One action."""
    actions = {"list": _list_voices, "info": _show_info, "check": run_check, "add": add_voices_command.run_add, "renew": run_renew}
    changes = {
        "remove": change_voices.run_remove,
        "rename": change_voices.run_rename,
        "export": change_voices.run_export,
        "precision": run_precision,
    }
    return (actions | changes)[options.action](options)


def _list_voices(options: argparse.Namespace) -> int:
    installed = list_installed_voices(paths.list_voice_dirs())
    found = [(voice.manifest, voice.path, read_card(voice.path).source_name) for voice in installed]
    known = {manifest.id for manifest, _, _ in found}
    found += [
        (voice.manifest, voice.path, "") for voice in list_aivisspeech_voices(find_aivisspeech_folder()) if voice.manifest.id not in known
    ]
    for manifest, path, source in found:
        if options.json:
            print_json(build_list_record(manifest, path, source))
        else:
            place = "" if manifest.id in known else "  (AivisSpeech)"
            print_result(f"{manifest.id}  {format_voice_name(manifest)}  [{', '.join(item.name for item in manifest.styles)}]{place}")
    return 0


def _show_info(options: argparse.Namespace) -> int:
    voice = find_unprepared_voice(options.voice)
    licence_open = find_unaccepted_licence(voice) is not None
    details = build_info_record(voice.manifest, voice.path, _load_card(voice)) | {
        "licence_accepted": not licence_open,
        "precision": _find_precision(voice),
    }
    if options.json:
        print_json(details)
    else:
        for text in (*format_info_lines(format_values(details, voice.manifest)), *format_fast_lines(voice.manifest)):
            print_result_lines(text)
    return 0


def _find_precision(voice: Voice) -> GraphPrecision:
    """Return the precision in which the voice speaks where no command says otherwise."""
    return "exact" if voice.manifest.fast is None else load_usable_settings().precision_preference.find_precision(voice.manifest.id)


def _load_card(voice: Voice) -> VoiceCardData:
    """The card of a prepared voice, or what the file of another one says, without its media."""
    if (voice.path / MANIFEST_NAME).is_file():
        return read_card(voice.path)
    facts = read_source_facts(voice.path)
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        card = build_voice_card(facts.config, facts.aivm_manifest, Path(folder), emoji=voice.manifest.emoji)
    return replace(card, speakers=tuple(replace(item, icon="", styles=()) for item in card.speakers))
