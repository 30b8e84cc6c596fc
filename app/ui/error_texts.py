"""Texts that show a failed job in the window."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass

from app.common.errors import AppError, AudioDeviceError
from app.common.language import localize
from app.common.log import find_log_path
from app.common.version import VERSION
from app.engine.synthesis_results import JobFailure

HELP_PAGE_BY_FAMILY = {
    "voice": "voices",
    "backend": "backends",
    "audio_device": "settings",
    "download": "downloads",
    "output_file": "saving",
}
"""Helpful page of the user guide for an error of this family (`AppError.family`)."""


@dataclass(frozen=True, slots=True)
class ErrorText:
    """Texts of a banner; `action` names a button that saves the sound, `page` a page of the user guide; empty for none."""

    message: str
    hint: str
    details: str
    action: str = ""
    page: str = ""


def describe_failure(failure: JobFailure) -> ErrorText:
    """Return the texts of a failure.

    Without an audio device the sound can still be saved, and the window has a button for that.
    """
    error = failure.error
    if isinstance(error, AudioDeviceError):
        hint = localize(
            "接続を確認するか、「再生」メニューで再生デバイスを選んでください。音声ファイルへの書き出しもできます。",
            "Check the connection, or choose another output device in the Play menu. You can also export audio to a file.",
        )
        return ErrorText(
            error.message, hint, format_error_details(error), localize("音声を書き出す…", "Export audio…"), find_help_page(error)
        )
    return ErrorText(error.message, error.hint, format_error_details(error), page=find_help_page(error))


def find_help_page(error: AppError) -> str:
    """Return the page of the user guide that helps with an error; empty for none."""
    return HELP_PAGE_BY_FAMILY.get(error.family, "")


def format_error_details(error: AppError) -> str:
    """Return all details of an error for bug reports: its type, its causes, and the path of the log."""
    lines = [f"{type(error).__name__}: {error.message}", error.hint]
    cause = error.__cause__ or error.__context__
    while cause is not None:
        lines.append(f"← {type(cause).__name__}: {cause}")
        cause = cause.__cause__ or cause.__context__
    lines += [f"Koebako {VERSION}, Python {platform.python_version()}, {sys.platform}", str(find_log_path())]
    return "\n".join(line for line in lines if line)
