"""Gets the voice of `--voice` ready, with a bar, a note and a question where they are due."""

from __future__ import annotations

import argparse
from functools import partial

from app.cli.console_output import print_note
from app.cli.licence_prompt import create_licence_prompt
from app.cli.progress_display import show_progress
from app.common.files import paths
from app.install.resolve_voice import resolve_ready_voice
from app.voices.bert_models import find_bert
from app.voices.installed_voices import BertRequirement


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
