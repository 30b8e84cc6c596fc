"""What must not hold up the window: done in a thread of its own, whose results come back to the window's thread."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from app.errors import AppError

Result = TypeVar("Result")


class Behind(QObject):
    """One thread, one thing after the other.

    Signals:
        failed(AppError): something could not be done; what nobody expected is in the log only.
    """

    failed = Signal(object)
    _done = Signal(object, object)

    def __init__(self, parent: QObject, name: str) -> None:
        super().__init__(parent)
        self._thread = ThreadPoolExecutor(1, name)
        self._closed = False
        self._done.connect(self._go_on)

    def do(self, work: Callable[[], Result], then: Callable[[Result], object] = lambda _result: None) -> None:
        """Runs `work` there, and here `then` with its result, unless it fails."""
        self._thread.submit(self._run, work, then)

    def close(self) -> None:
        """Waits for what goes on; what has not begun is left out, and nothing comes back any more."""
        self._closed = True
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _run(self, work: Callable[[], Result], then: Callable[[Result], object]) -> None:
        try:
            self._done.emit(then, work())
        except AppError as error:
            self.failed.emit(error)
        except Exception:
            logging.getLogger("koebako").exception("unexpected error behind the window")

    @Slot(object, object)
    def _go_on(self, then: Callable[[object], object], result: object) -> None:
        if not self._closed:
            then(result)
