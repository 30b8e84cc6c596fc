"""Texts that show an error in the window."""

import platform
import sys

from app.common.errors import AppError
from app.common.log import find_log_path
from app.common.version import VERSION

HELP_PAGE_BY_FAMILY = {
    "voice": "voices",
    "backend": "backends",
    "audio_device": "settings",
    "download": "downloads",
    "output_file": "saving",
}
"""Helpful page of the user guide for an error of this family (`AppError.family`)."""


def format_error_details(error: AppError) -> str:
    """Return all details of an error for bug reports: its type, its causes, and the path of the log."""
    lines = [f"{type(error).__name__}: {error.message}", error.hint]
    cause = error.__cause__ or error.__context__
    while cause is not None:
        lines.append(f"← {type(cause).__name__}: {cause}")
        cause = cause.__cause__ or cause.__context__
    lines += [f"Koebako {VERSION}, Python {platform.python_version()}, {sys.platform}", str(find_log_path())]
    return "\n".join(line for line in lines if line)
