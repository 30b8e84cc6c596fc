"""`koebako voices precision`: how exactly a voice speaks from now on."""

from __future__ import annotations

import argparse

from app.adapters.shared_settings import change_settings
from app.cli.console_output import print_json, print_note
from app.common.errors import VoiceError
from app.common.files import paths
from app.common.language import localize
from app.voices.installed_voices import build_unknown_voice_error, find_installed_voice, list_installed_voices
from app.voices.int8_labels import explain_missing_int8


def run_precision(options: argparse.Namespace) -> int:
    """Keeps the choice; VoiceError for a voice that there is not, or that has no faster way to speak."""
    voice = find_installed_voice(options.voice, paths.list_voice_dirs())
    if voice is None:
        raise build_unknown_voice_error(options.voice, [item.manifest for item in list_installed_voices(paths.list_voice_dirs())])
    why = explain_missing_int8(voice.manifest)
    if options.precision == "fast" and why:
        name = voice.manifest.name
        raise VoiceError(
            localize(f"声「{name}」では「高速」を使えません。{why}", f"Fast is not available for “{name}”: {why}."),
            localize("この声は「高精度」で合成します。", "It is synthesised exactly."),
        )
    change_settings(
        lambda settings: settings.replace_precision(
            settings.precision_preference.replace_voice_precision(voice.manifest.id, options.precision)
        )
    )
    if options.json:
        print_json({"id": voice.manifest.id, "precision": options.precision})
    else:
        print_note(
            localize(
                f"声「{voice.manifest.name}」の音声合成の精度: {options.precision}",
                f"Synthesis precision of “{voice.manifest.name}”: {options.precision}",
            )
        )
    return 0
