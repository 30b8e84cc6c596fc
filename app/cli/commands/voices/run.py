"""`koebako voices`: which voices there are and what a voice is; the other actions have files of their own."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

from app import paths
from app.cli.commands.voices import add as voices_add
from app.cli.commands.voices import change as voices_change
from app.cli.commands.voices.check import check
from app.cli.commands.voices.labels import in_words
from app.cli.commands.voices.lines import detailed, fast_lines, listed, plain_text
from app.cli.commands.voices.precision import choose_precision
from app.cli.commands.voices.renew import renew
from app.cli.output import json_line, result, result_lines
from app.install.licence import licence_to_accept
from app.install.ready import found_voice
from app.settings import known_settings
from app.sound_choice import SoundPrecision
from app.voices.aivisspeech import aivisspeech_folder, aivisspeech_voices
from app.voices.card import Card, read_card
from app.voices.containers.card_reader import card_of
from app.voices.containers.sources import read_facts
from app.voices.library import installed_voices
from app.voices.manifest import MANIFEST_NAME
from app.voices.voice import Voice
from app.voices.voice_words import shown_name


def run(options: argparse.Namespace) -> int:
    """One action."""
    actions = {"list": _list, "info": _info, "check": check, "add": voices_add.add, "renew": renew}
    changes = {
        "remove": voices_change.remove,
        "rename": voices_change.rename,
        "export": voices_change.export,
        "precision": choose_precision,
    }
    return (actions | changes)[options.action](options)


def _list(options: argparse.Namespace) -> int:
    installed = installed_voices(paths.voice_dirs())
    found = [(voice.manifest, voice.path, read_card(voice.path).source_name) for voice in installed]
    known = {manifest.id for manifest, _, _ in found}
    found += [(voice.manifest, voice.path, "") for voice in aivisspeech_voices(aivisspeech_folder()) if voice.manifest.id not in known]
    for manifest, path, source in found:
        if options.json:
            json_line(listed(manifest, path, source))
        else:
            place = "" if manifest.id in known else "  (AivisSpeech)"
            result(f"{manifest.id}  {shown_name(manifest)}  [{', '.join(item.name for item in manifest.styles)}]{place}")
    return 0


def _info(options: argparse.Namespace) -> int:
    voice = found_voice(options.voice)
    licence_open = licence_to_accept(voice) is not None
    details = detailed(voice.manifest, voice.path, _card(voice)) | {"licence_accepted": not licence_open, "precision": _precision(voice)}
    if options.json:
        json_line(details)
    else:
        for text in (*plain_text(in_words(details, voice.manifest)), *fast_lines(voice.manifest)):
            result_lines(text)
    return 0


def _precision(voice: Voice) -> SoundPrecision:
    """That the voice speaks in where no command says otherwise."""
    return "exact" if voice.manifest.fast is None else known_settings().sound_choice.of(voice.manifest.id)


def _card(voice: Voice) -> Card:
    """The card of a prepared voice, or what the file of another one says, without its media."""
    if (voice.path / MANIFEST_NAME).is_file():
        return read_card(voice.path)
    facts = read_facts(voice.path)
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        card = card_of(facts.config, facts.aivm, Path(folder), emoji=voice.manifest.emoji)
    return replace(card, speakers=tuple(replace(item, icon="", styles=()) for item in card.speakers))
