"""Work that must not block the window: done in a thread of its own, with the results delivered in the window's thread."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal, Slot

from app.errors import AppError
from app.ui.error_text import as_app_error

Result = TypeVar("Result")


class BackgroundThread(QObject):
    """One thread that does one thing after the other.

    Signals:
        failed(AppError): an error for which no `on_error` was given.
    """

    failed = Signal(object)
    _done = Signal(object, object)

    def __init__(self, parent: QObject, name: str) -> None:
        super().__init__(parent)
        self._thread = ThreadPoolExecutor(1, name)
        self._closed = False
        self._done.connect(self._call_back)

    def run(
        self,
        work: Callable[[], Result],
        on_done: Callable[[Result], object] = lambda _result: None,
        on_error: Callable[[AppError], object] | None = None,
    ) -> None:
        """Runs `work` there, and here `on_done` with its result, or `on_error` with what went wrong."""
        self._thread.submit(self._work, work, on_done, on_error or self.failed.emit)

    def begin(self, work: Callable[[], Result]) -> Future[Result]:
        """Runs `work` there, for one who is about to wait for it."""
        return self._thread.submit(work)

    def settle(self) -> None:
        """Waits for all that was asked for until now, and calls back with what came of it."""
        self.begin(lambda: None).result()
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall.value)

    def close(self, *, finish: bool = False) -> None:
        """Waits for what is running, with `finish` also for what has not begun; nothing comes back any more, errors go to the log."""
        self._closed = True
        self._thread.shutdown(wait=True, cancel_futures=not finish)

    def _work(self, work: Callable[[], Result], on_done: Callable[[Result], object], on_error: Callable[[AppError], object]) -> None:
        try:
            result = work()
        except Exception as exc:
            error = as_app_error(exc)
            if self._closed:
                logging.getLogger("koebako").warning("not done before the window closed", exc_info=exc)
            self._done.emit(on_error, error)
        else:
            self._done.emit(on_done, result)

    @Slot(object, object)
    def _call_back(self, callback: Callable[[Any], object], result: object) -> None:
        if not self._closed:
            callback(result)
