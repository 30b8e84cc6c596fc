"""`koebako voices precision`: how exactly a voice speaks from now on."""

from __future__ import annotations

import argparse

from app import paths
from app.adapters.own_settings import change_settings
from app.cli.output import json_line, note
from app.errors import VoiceError
from app.language import localized
from app.voices.fast_words import why_exact
from app.voices.library import find_installed, installed_voices, unknown_voice


def choose_precision(options: argparse.Namespace) -> int:
    """Keeps the choice; VoiceError for a voice that there is not, or that has no faster way to speak."""
    voice = find_installed(options.voice, paths.voice_dirs())
    if voice is None:
        raise unknown_voice(options.voice, [item.manifest for item in installed_voices(paths.voice_dirs())])
    why = why_exact(voice.manifest)
    if options.precision == "fast" and why:
        name = voice.manifest.name
        raise VoiceError(
            localized(f"声「{name}」では「高速」を使えません。{why}", f"Fast is not available for “{name}”: {why}."),
            localized("この声は「高精度」で合成します。", "It is synthesised exactly."),
        )
    change_settings(lambda settings: settings.with_sound(settings.sound_choice.with_own(voice.manifest.id, options.precision)))
    if options.json:
        json_line({"id": voice.manifest.id, "precision": options.precision})
    else:
        note(
            localized(
                f"声「{voice.manifest.name}」の音声合成の精度: {options.precision}",
                f"Synthesis precision of “{voice.manifest.name}”: {options.precision}",
            )
        )
    return 0
