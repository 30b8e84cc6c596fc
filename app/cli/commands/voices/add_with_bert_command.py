"""`koebako voices add --hub UUID --with-bert`: a voice that can speak at once, for one that has neither."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.cli.console_output import print_json, print_note
from app.cli.progress_display import show_progress
from app.common.errors import VoiceError
from app.common.language import localize
from app.common.progress import Report, build_part_report
from app.install.duration_check import measure_missing_agreements
from app.install.install_bert import add_bert
from app.install.select_checkpoint import UserDecisionRequiredError
from app.install.voice_import import ImportOptions, InstallResult, ask_licence_early
from app.voices.required_bert import STANDARD_LICENCE

# Of the whole job, and what is done after the BERT.
DOWNLOAD_SHARE, BERT_SHARE = 0.8, 0.9
AddFile = Callable[[Path, Report], list[InstallResult]]


def add_with_bert(uuid: str, import_options: ImportOptions, *, as_json: bool, add_file: AddFile) -> list[InstallResult]:
    """Downloads both as one, asks for the licence as soon as the voice is there, and adds first the BERT, then the voice.

    Args:
        add_file: adds a file to the library.
    """
    # Brings an HTTP library, which other commands do not need.
    from app.install import download_sources
    from app.install.download_folders import discard_after_use
    from app.install.voice_bert_download import fetch_voice_with_bert

    with show_progress(as_json=as_json) as shown:
        watch = download_sources.DownloadMonitor(build_part_report(shown, 0.0, DOWNLOAD_SHARE), shown.update_download, shown.update_wait)
        brought = fetch_voice_with_bert(uuid, watch, lambda file: _ask_licence(file, import_options, as_json))
        if brought.bert is not None:
            print_note(localize("ライセンス: ", "Licence: ") + STANDARD_LICENCE)
            with discard_after_use(brought.bert) as source:
                bert = add_bert(source, build_part_report(shown, DOWNLOAD_SHARE, BERT_SHARE))
            if as_json:
                print_json({"type": "bert", "already": bert.was_installed, "id": bert.bert.id})
        if isinstance(brought.voice, InstallResult):
            measure_missing_agreements(build_part_report(shown, BERT_SHARE, 1.0))
            return [brought.voice]
        with discard_after_use(brought.voice) as file:
            return add_file(file, build_part_report(shown, BERT_SHARE, 1.0))


def _ask_licence(file: Path, import_options: ImportOptions, as_json: bool) -> None:
    """A program that called us shows the licence while the BERT is on its way, and has its answer remembered."""
    from app.install.download_folders import discard_download

    try:
        ask_licence_early(file, import_options.ask_licence)
    except UserDecisionRequiredError:
        if not as_json:
            raise
    except VoiceError:
        # A bad download would be found again, and be as bad.
        discard_download(file)
        raise
