"""Work that must not block the window: in a thread of its own, with results for the window's thread, and files that follow its state."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Signal, Slot

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


WRITE_RETRY_MS = 10_000
WriteSnapshot = Callable[[], object]
WriteCallbacks = list[Callable[[], object]]


class AutosavedFile(QObject):
    """A file of user data, written in the background shortly after each change, and retried until it is on the disk.

    Writes one version at a time: changes during a write are saved after it, so that a slow disk need not write every version.

    Args:
        take_snapshot: called in the window's thread; returns the function that writes the snapshot in the background.
        delay_ms: milliseconds that the first change waits for others.

    Signals:
        failed(AppError): the file cannot be written; retries continue, and only a different error is reported.
        recovered(AppError): the file was written after this error.
    """

    failed = Signal(object)
    recovered = Signal(object)

    def __init__(self, parent: QObject, name: str, take_snapshot: Callable[[], WriteSnapshot], delay_ms: int) -> None:
        super().__init__(parent)
        self._background = BackgroundThread(self, name)
        self._snapshot = take_snapshot
        self._after_ms = delay_ms
        self._has_changes = self._is_writing = self._is_stopped = False
        # Callbacks to call once the present state is written.
        self._callbacks: WriteCallbacks = []
        self._error: AppError | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._begin_write)

    @Slot()
    def schedule_save(self, *_what: object) -> None:
        """Schedule a save after a change."""
        self._has_changes = True
        if not (self._is_writing or self._is_stopped or self._timer.isActive()):
            self._timer.start(self._after_ms)

    def save_now(self, on_saved: Callable[[], object] = lambda: None) -> None:
        """Write at once; `on_saved` is called when the file holds the current state."""
        self._callbacks.append(on_saved)
        if not (self._is_writing or self._is_stopped):
            self._begin_write()

    def stop_saving(self) -> None:
        """Stop writing."""
        self._is_stopped = True
        self._timer.stop()

    def begin_flush(self) -> Callable[[], AppError | None]:
        """Begin to write pending changes; the returned function waits for the write, and returns the error or None."""
        self._timer.stop()
        if self._is_stopped or not (self._has_changes or self._is_writing or self._callbacks):
            return lambda: None
        self._has_changes = False
        writing = self._background.submit_work(self._snapshot())

        def wait_for_flush() -> AppError | None:
            exc = writing.exception()
            if isinstance(exc, Exception):
                self._report_write_failure([], convert_to_app_error(exc))
                return self._error
            return None

        return wait_for_flush

    def close(self) -> None:
        """Wait for the running write; nothing is written after it."""
        self.stop_saving()
        self._background.close()

    @Slot()
    def _begin_write(self) -> None:
        self._timer.stop()
        waiting, self._callbacks = self._callbacks, []
        self._has_changes, self._is_writing = False, True
        self._background.run_work(
            self._snapshot(), lambda _nothing: self._finish_write(waiting), lambda error: self._report_write_failure(waiting, error)
        )

    def _finish_write(self, waiting: WriteCallbacks) -> None:
        self._is_writing = False
        error, self._error = self._error, None
        if error is not None:
            self.recovered.emit(error)
        for call in waiting:
            call()
        if self._callbacks and not self._is_writing:
            self._begin_write()
        elif self._has_changes:
            self.schedule_save()

    def _report_write_failure(self, waiting: WriteCallbacks, error: AppError) -> None:
        self._is_writing, self._has_changes = False, True
        self._callbacks = [*waiting, *self._callbacks]
        # Retries every 10 s fail alike, and the user should read the same error only once.
        earlier, self._error = self._error, error
        if earlier is None or (earlier.message, earlier.hint) != (error.message, error.hint):
            self.failed.emit(error)
        if not self._is_stopped:
            self._timer.start(WRITE_RETRY_MS)
