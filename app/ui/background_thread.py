"""Runs work that must not block the window in a thread of its own, and delivers results in the window's thread."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal, Slot

from app.common.errors import AppError
from app.common.log import convert_to_app_error

Result = TypeVar("Result")


def log_error(error: AppError) -> None:
    """Log an error on which nothing depends."""
    logging.getLogger("koebako").warning("%s %s", error.message, error.hint)


class BackgroundThread(QObject):
    """A thread that runs one function after the other.

    Signals:
        failed(AppError): an error of work without an `on_error`.
    """

    failed = Signal(object)
    _done = Signal(object, object)

    def __init__(self, parent: QObject, name: str) -> None:
        super().__init__(parent)
        self._thread = ThreadPoolExecutor(1, name)
        self._is_closed = False
        self._done.connect(self._call_back)

    def run_work(
        self,
        work: Callable[[], Result],
        on_done: Callable[[Result], object] = lambda _result: None,
        on_error: Callable[[AppError], object] | None = None,
    ) -> None:
        """Run `work` in the thread, then call `on_done` with its result, or `on_error` with its error, in the window's thread."""
        self._thread.submit(self._do_work, work, on_done, on_error or self.failed.emit)

    def submit_work(self, work: Callable[[], Result]) -> Future[Result]:
        """Run `work` in the thread and return its future, for callers that wait for it."""
        return self._thread.submit(work)

    def wait_until_idle(self) -> None:
        """Wait for all work submitted so far, and deliver its results."""
        self.submit_work(lambda: None).result()
        # The results are queued signals, which would otherwise wait for the event loop.
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall.value)

    def close(self, *, finish: bool = False) -> None:
        """Wait for the running work, with `finish` also for work that has not begun; no results are delivered any longer, and errors
        are logged.
        """
        self._is_closed = True
        self._thread.shutdown(wait=True, cancel_futures=not finish)

    def _do_work(self, work: Callable[[], Result], on_done: Callable[[Result], object], on_error: Callable[[AppError], object]) -> None:
        try:
            result = work()
        except Exception as exc:
            error = convert_to_app_error(exc)
            if self._is_closed:
                logging.getLogger("koebako").warning("not done before the window closed", exc_info=exc)
            self._done.emit(on_error, error)
        else:
            self._done.emit(on_done, result)

    @Slot(object, object)
    def _call_back(self, callback: Callable[[Any], object], result: object) -> None:
        if not self._is_closed:
            callback(result)
