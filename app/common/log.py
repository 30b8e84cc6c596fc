"""The log file: what a user can send when something went wrong. What they let speak stays out of it unless they allow it.

No message written here may hold text of the user's. Errors that nobody expected, and those of other libraries, may quote it in theirs:
these are passed as `exc_info`, which is written without its words.
"""

import contextlib
import logging
import os
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path

from app.common.errors import AppError, InternalError
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.common.language import localize

MAX_LOG_BYTES = 1 << 20
logger = logging.getLogger("koebako")


class LogFormatter(logging.Formatter):
    """Writes of an error what kind it is and where it arose; with `includes_words` its message too, which may quote what the user wrote."""

    includes_words = False

    def format(self, record: logging.LogRecord) -> str:
        """Format one message; its error's text from another formatter is not taken over."""
        record.exc_text = None
        return super().format(record)

    def formatException(self, ei: object) -> str:  # noqa: N802
        """Format the error of a message, with all errors that led to it."""
        error = ei[1] if isinstance(ei, tuple) else None
        if not isinstance(error, BaseException):
            return ""
        return "".join(traceback.format_exception(error)).rstrip() if self.includes_words else describe_error_chain(error)


_formatter = LogFormatter("%(asctime)s %(levelname)s %(message)s")


def find_log_path() -> Path:
    return find_data_dir() / "logs" / "koebako.log"


def start_log() -> None:
    """Send messages of the logger `koebako` to the log file; without a writable folder there is none, which must not stop anything."""
    if logger.handlers:
        return
    # A full disk would print a traceback on the terminal for every message.
    logging.raiseExceptions = False
    logger.setLevel(logging.INFO)
    logger.addHandler(logging.NullHandler())
    with contextlib.suppress(OSError):
        make_private_folder(find_log_path().parent)
        handler = RotatingFileHandler(find_log_path(), maxBytes=MAX_LOG_BYTES, backupCount=2, encoding="utf-8", delay=True)
        handler.setFormatter(_formatter)
        logger.addHandler(handler)


def allow_words_in_log(is_allowed: bool) -> None:
    """Set whether the texts of errors are written too, as the user has chosen."""
    _formatter.includes_words = is_allowed


def describe_error_chain(error: BaseException) -> str:
    """Return the kinds and places of an error and of those that led to it, the first one first, without their texts."""
    descriptions: list[str] = []
    met: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in met:
        descriptions.insert(0, "".join(traceback.format_tb(cause.__traceback__)) + _describe_kind(cause))
        met.append(cause)
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return "\n\n".join(descriptions)


def _describe_kind(error: BaseException) -> str:
    name = f"{type(error).__module__}.{type(error).__qualname__}"
    code = getattr(error, "errno", None)
    return f"{name}: [{code}] {os.strerror(code)}" if isinstance(error, OSError) and isinstance(code, int) else name


def convert_to_app_error(exc: Exception) -> AppError:
    """Return the error that the user sees; an unexpected or internal one is also logged with its trace."""
    if not isinstance(exc, AppError) or isinstance(exc, InternalError):
        logger.error("unexpected error", exc_info=exc)
    if isinstance(exc, AppError):
        return exc
    return InternalError(
        localize("予期しないエラーが発生しました。", "An unexpected error occurred."),
        localize(f"もう一度お試しください。詳細なログ: {find_log_path()}", f"Try again. See the log for details: {find_log_path()}"),
    )
