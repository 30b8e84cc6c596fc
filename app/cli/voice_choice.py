"""Gets the voice of `--voice` ready, with a bar, a note and a question where they are due."""

from __future__ import annotations

import argparse
from functools import partial

from app import paths
from app.cli.licence_prompt import licence_prompt
from app.cli.output import note
from app.cli.progress import shown_progress
from app.install.ready import ready_voice
from app.voices.bert import find_bert
from app.voices.library import NeedBert


def needed_bert(options: argparse.Namespace) -> NeedBert:
    """Raises VoiceError for a BERT that is not there, with what the options say about BERTs."""
    return partial(find_bert, folders=paths.bert_dirs(), chosen=getattr(options, "bert", None), force=options.force_bert)


def chosen_voice(options: argparse.Namespace, *, by_path: bool = True) -> str | None:
    """What `open_speaker` takes for the voice that the user asked for; a path is none where a stranger's script may have named it."""
    ask = licence_prompt(accepted=options.accept_licence)
    with shown_progress(as_json=False) as report:
        ready = ready_voice(options.voice, ask, report, announce=note, need_bert=needed_bert(options), by_path=by_path)
    if ready.note:
        note(ready.note)
    return ready.wanted
