"""What must not hold up the window: done in a thread of its own, whose results come back to the window's thread."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from app.errors import AppError
from app.ui.error_text import as_app_error

Result = TypeVar("Result")


class Behind(QObject):
    """One thread, one thing after the other.

    Signals:
        failed(AppError): something could not be done, for which nobody else wanted to be told.
    """

    failed = Signal(object)
    _done = Signal(object, object)

    def __init__(self, parent: QObject, name: str) -> None:
        super().__init__(parent)
        self._thread = ThreadPoolExecutor(1, name)
        self._closed = False
        self._done.connect(self._go_on)

    def do(
        self,
        work: Callable[[], Result],
        then: Callable[[Result], object] = lambda _result: None,
        otherwise: Callable[[AppError], object] | None = None,
    ) -> None:
        """Runs `work` there, and here `then` with its result, or `otherwise` with what went wrong."""
        self._thread.submit(self._run, work, then, otherwise or self.failed.emit)

    def begin(self, work: Callable[[], Result]) -> Future[Result]:
        """Runs `work` there, for one who is about to wait for it."""
        return self._thread.submit(work)

    def close(self, *, finish: bool = False) -> None:
        """Waits for what goes on, with `finish` also for what has not begun; nothing comes back any more, errors go to the log."""
        self._closed = True
        self._thread.shutdown(wait=True, cancel_futures=not finish)

    def _run(self, work: Callable[[], Result], then: Callable[[Result], object], otherwise: Callable[[AppError], object]) -> None:
        try:
            result = work()
        except Exception as exc:
            error = as_app_error(exc)
            if self._closed:
                logging.getLogger("koebako").warning("not done before the window closed", exc_info=exc)
            self._done.emit(otherwise, error)
        else:
            self._done.emit(then, result)

    @Slot(object, object)
    def _go_on(self, then: Callable[[Any], object], result: object) -> None:
        if not self._closed:
            then(result)
