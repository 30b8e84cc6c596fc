"""`koebako voices renew`: voices of the library prepared once more."""

from __future__ import annotations

import argparse

from app.cli.commands.voices.add_voices_command import report_added
from app.cli.console_output import print_error, print_note
from app.cli.licence_prompt import create_licence_prompt
from app.cli.progress_display import show_progress
from app.common.errors import AppError, InputError
from app.common.language import localize
from app.install.duration_check import measure_missing_agreements
from app.install.reprepare import list_user_voice_ids, prepare_voice_again


def run_renew(options: argparse.Namespace) -> int:
    """Renews every voice that is wanted; one that fails is reported and stays as it was. Returns the exit code of the first failure."""
    if options.all == bool(options.voices):
        raise InputError(
            localize("準備し直す声を指定してください。", "Specify the voices to prepare again."),
            localize("声の ID か名前、または --all を指定してください。", "Specify IDs or names of voices, or --all."),
        )
    wanted = list_user_voice_ids() if options.all else options.voices
    if not wanted:
        print_note(localize("追加した声はありません。", "You have not added any voices."))
    ask = create_licence_prompt(is_accepted=options.accept_licence, as_json=options.json)
    exit_code = 0
    for voice in wanted:
        try:
            with show_progress(as_json=options.json) as report:
                renewed = prepare_voice_again(voice, ask, report)
        except AppError as error:
            if len(wanted) == 1:
                raise
            print_error(error, as_json=options.json, source=voice)
            exit_code = exit_code or error.exit_code
        else:
            report_added([renewed], options.json)
    measure_missing_agreements()
    return exit_code
