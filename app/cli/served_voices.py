"""The voice of `--voice`, made ready; the voices that other programs are offered, and those that wait for their licence to be accepted."""

import argparse
import math
from collections.abc import Mapping
from functools import partial
from itertools import takewhile

from app.cli.console_output import print_localized_note, print_note
from app.cli.licence_prompt import create_licence_prompt
from app.cli.progress_display import show_progress
from app.common.files import paths
from app.engine.open_voices import OpenVoices
from app.engine.voice_terms import VoiceTerms, create_opener
from app.install.natural_voice_first_start import prepare_waiting_voice, renew_before_speaking
from app.install.resolve_voice import resolve_ready_voice
from app.install.voice_licence import find_unaccepted_licence
from app.voices.bert_models import find_bert
from app.voices.installed_voices import BertRequirement, describe_skipped_voices, list_installed_voices, order_speaking_first
from app.voices.prepared_voice import Voice

MAX_SERVED_VOICES = 4  # Open at once; those used last stay


def create_bert_finder(options: argparse.Namespace) -> BertRequirement:
    """Return a finder that raises VoiceError for a missing BERT, with a hint about the options."""
    return partial(find_bert, folders=paths.list_bert_dirs(), chosen_id=getattr(options, "bert", None), allow_mismatch=options.force_bert)


def prepare_chosen_voice(options: argparse.Namespace, *, by_path: bool = True) -> str | None:
    """Return `open_speaker`'s argument for the user's voice; no path is accepted where a stranger's script may have named it."""
    ask = create_licence_prompt(is_accepted=options.accept_licence)
    with show_progress(as_json=False) as report:
        ready = resolve_ready_voice(
            options.voice, ask, report, announce=print_note, require_bert=create_bert_finder(options), may_be_path=by_path
        )
    if ready.note:
        print_note(ready.note)
    return ready.reference


def choose_served_voices(options: argparse.Namespace) -> tuple[list[Voice], dict[str, str | None]]:
    """Return the voices to offer, and `open_speaker`'s argument for each; one that was not named is left out while its licence is not accepted."""
    if not options.voice:
        prepare_waiting_voice(print_note, require_bert=create_bert_finder(options))
    if not options.voice and not options.accept_licence:
        installed = [renew_before_speaking(voice, print_note) for voice in list_installed_voices(paths.list_voice_dirs())]
        waiting = [voice.manifest.name for voice in installed if find_unaccepted_licence(voice) is not None]
        if waiting:
            names = ", ".join(waiting)
            print_localized_note(
                f"利用規約に同意していないため提供しない声: {names}（--voice で指定すると確認できます）",
                f"Not offered until you accept their licence: {names} (name them with --voice)",
            )
        voices = _order_voices([voice for voice in installed if find_unaccepted_licence(voice) is None], options)
        return voices, {voice.manifest.id: voice.manifest.id for voice in voices}
    chosen = options.voice or [voice.manifest.id for voice in list_installed_voices(paths.list_voice_dirs())]
    ask = create_licence_prompt(is_accepted=options.accept_licence, as_json=options.json)
    with show_progress(as_json=False) as report:
        ready = [
            resolve_ready_voice(name, ask, report, announce=print_note, require_bert=create_bert_finder(options))
            for name in dict.fromkeys(chosen)
        ]
    voices = [ready_voice.voice for ready_voice in ready]
    return voices if options.voice else _order_voices(voices, options), {
        ready_voice.voice.manifest.id: ready_voice.reference for ready_voice in ready
    }


def create_open_voices(options: argparse.Namespace, references: Mapping[str, str | None], *, convert: bool = True) -> OpenVoices:
    """Return where voices are opened, as the options say; `references` are arguments of `open_speaker`."""

    def find_terms(voice: str) -> VoiceTerms:
        return VoiceTerms(references.get(voice, voice), options.backend, force_bert=options.force_bert, convert=convert)

    return OpenVoices(create_opener(find_terms), max_voices=MAX_SERVED_VOICES, max_bytes=math.inf)


def _order_voices(voices: list[Voice], options: argparse.Namespace) -> list[Voice]:
    """Return the voices in the order in which they are offered: clients that name none take the first."""
    ordered = order_speaking_first(voices, create_bert_finder(options))
    before = [voice.manifest for voice in takewhile(lambda voice: voice is not ordered[0], voices)]
    if before:
        print_note(describe_skipped_voices(before, ordered[0].manifest))
    return ordered
