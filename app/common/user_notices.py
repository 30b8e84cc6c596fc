"""Notices for the user about faults that do not stop the program: noticed deep inside, shown by the running shell, written to the log."""

import logging
from collections.abc import Callable

from app.common.errors import AppError

_LOGGER = logging.getLogger("koebako.notices")


def show_notice(error: AppError | None) -> None:
    """Show the user an error that stops nothing; None shows nothing. May be called from any thread."""
    if error is not None:
        _LOGGER.warning("%s %s", error.message, error.hint, extra={"error": error})


def set_notice_handler(show: Callable[[AppError], object] | None) -> None:
    """From now on `show` is called with each notice, once for each text, in the thread that noticed it; None ends that."""
    _LOGGER.handlers[:] = [] if show is None else [_NoticeHandler(show)]


class _NoticeHandler(logging.Handler):
    def __init__(self, show: Callable[[AppError], object]) -> None:
        super().__init__()
        self._show = show
        self._seen_texts: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text not in self._seen_texts:
            self._seen_texts.add(text)
            self._show(record.__dict__["error"])
