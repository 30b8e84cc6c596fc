"""How a failed job is shown in the window."""

from __future__ import annotations

import logging
import platform
import sys
from dataclasses import dataclass

from app.errors import AppError, AudioDeviceError, InternalError
from app.language import localized
from app.log import log_path
from app.version import VERSION

HELP_OF_FAMILY = {"voice": "voices", "backend": "backends", "audio_device": "settings", "download": "downloads", "output_file": "saving"}
"""The page of the user guide that helps with an error of this family (`AppError.family`)."""


@dataclass(frozen=True, slots=True, eq=False)
class Failed:
    """A job could not be done."""

    job: object
    error: AppError


@dataclass(frozen=True, slots=True)
class ErrorText:
    """Words for the banner; `action` names a button that saves the sound, `page` a page of the user guide; empty for none."""

    message: str
    hint: str
    details: str
    action: str = ""
    page: str = ""


def report_failure(failed: Failed) -> ErrorText:
    """What happened and what to do. Without a device the sound can still be saved, and the window has a button for that."""
    error = failed.error
    if isinstance(error, AudioDeviceError):
        hint = localized(
            "接続を確認するか、「再生」メニューで再生デバイスを選んでください。音声ファイルへの書き出しもできます。",
            "Check the connection, or choose another output device in the Play menu. You can also export audio to a file.",
        )
        return ErrorText(error.message, hint, details_of(error), localized("音声を書き出す…", "Export audio…"), page_of(error))
    return ErrorText(error.message, error.hint, details_of(error), page=page_of(error))


def page_of(error: AppError) -> str:
    """The page of the user guide that helps with an error; empty for none."""
    return HELP_OF_FAMILY.get(error.family, "")


def details_of(error: AppError) -> str:
    """All that is known of an error, for bug reports: its kind, what caused it, and where the record is."""
    lines = [f"{type(error).__name__}: {error.message}", error.hint]
    cause = error.__cause__ or error.__context__
    while cause is not None:
        lines.append(f"← {type(cause).__name__}: {cause}")
        cause = cause.__cause__ or cause.__context__
    lines += [f"Koebako {VERSION}, Python {platform.python_version()}, {sys.platform}", str(log_path())]
    return "\n".join(line for line in lines if line)


def as_app_error(exc: Exception) -> AppError:
    """What the user sees; of what nobody expected, or an installation lacks, the log has more."""
    if not isinstance(exc, AppError) or isinstance(exc, InternalError):
        logging.getLogger("koebako").error("unexpected error in the synthesis thread", exc_info=exc)
    if isinstance(exc, AppError):
        return exc
    return InternalError(
        localized("予期しないエラーが発生しました。", "An unexpected error occurred."),
        localized(f"もう一度お試しください。詳細なログ: {log_path()}", f"Try again. See the log for details: {log_path()}"),
    )
