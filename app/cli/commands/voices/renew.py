"""`koebako voices renew`: voices of the library prepared once more."""

from __future__ import annotations

import argparse

from app.cli.commands.voices.add import report_added
from app.cli.licence_prompt import licence_prompt
from app.cli.output import note, print_error
from app.cli.progress import shown_progress
from app.errors import AppError, InputError
from app.install.precision import check_precisions
from app.install.renew import renew_voice, renewable
from app.language import localized


def renew(options: argparse.Namespace) -> int:
    """Renews every voice that is wanted; one that fails is reported and stays as it was. Returns the exit code of the first failure."""
    if options.all == bool(options.voices):
        raise InputError(
            localized("準備し直す声を指定してください。", "Specify the voices to prepare again."),
            localized("声の ID か名前、または --all を指定してください。", "Specify IDs or names of voices, or --all."),
        )
    wanted = renewable() if options.all else options.voices
    if not wanted:
        note(localized("追加した声はありません。", "You have not added any voices."))
    ask = licence_prompt(accepted=options.accept_licence, as_json=options.json)
    exit_code = 0
    for voice in wanted:
        try:
            with shown_progress(as_json=options.json) as report:
                renewed = renew_voice(voice, ask, report)
        except AppError as error:
            if len(wanted) == 1:
                raise
            print_error(error, as_json=options.json, source=voice)
            exit_code = exit_code or error.exit_code
        else:
            report_added([renewed], options.json)
    check_precisions()
    return exit_code
