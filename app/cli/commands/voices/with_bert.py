"""`koebako voices add --hub UUID --with-bert`: a voice that can speak at once, for one that has neither."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.cli.output import json_line, note
from app.cli.progress import shown_progress
from app.errors import VoiceError
from app.install.bert import add_bert
from app.install.choice import UndecidedError
from app.install.library import Installed, Wishes, ask_ahead
from app.install.precision import check_precisions
from app.language import localized
from app.progress import Report, part
from app.voices.wanted_bert import STANDARD_LICENCE

DOWNLOAD_SHARE, BERT_SHARE = 0.8, 0.9  # of the whole job, and what is done after the BERT
Add = Callable[[Path, Report], list[Installed]]


def add_with_bert(uuid: str, wishes: Wishes, *, as_json: bool, add: Add) -> list[Installed]:
    """Downloads both as one, asks for the licence as soon as the voice is there, and adds first the BERT, then the voice.

    Args:
        add: adds a file to the library.
    """
    from app.install import fetch  # brings an HTTP library, which other commands do not need
    from app.install.fetch_together import fetch_with_bert
    from app.install.fetched_files import used_up

    with shown_progress(as_json=as_json) as shown:
        watch = fetch.Watch(part(shown, 0.0, DOWNLOAD_SHARE), shown.downloaded, shown.waits)
        brought = fetch_with_bert(uuid, watch, lambda file: _ask(file, wishes, as_json))
        if brought.bert is not None:
            note(localized("ライセンス: ", "Licence: ") + STANDARD_LICENCE)
            with used_up(brought.bert) as source:
                bert = add_bert(source, part(shown, DOWNLOAD_SHARE, BERT_SHARE))
            if as_json:
                json_line({"type": "bert", "already": bert.already, "id": bert.bert.id})
        if isinstance(brought.voice, Installed):
            check_precisions(part(shown, BERT_SHARE, 1.0))
            return [brought.voice]
        with used_up(brought.voice) as file:
            return add(file, part(shown, BERT_SHARE, 1.0))


def _ask(file: Path, wishes: Wishes, as_json: bool) -> None:
    """A program that called us shows the licence while the BERT is on its way, and has its answer remembered."""
    from app.install.fetched_files import discard

    try:
        ask_ahead(file, wishes.ask)
    except UndecidedError:
        if not as_json:
            raise
    except VoiceError:
        discard(file)  # it would be found again, and be as bad
        raise
