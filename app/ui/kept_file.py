"""A file of user data that follows the window's state: written in the background, shortly after each change, and retried until it is on the disk."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.errors import AppError
from app.ui.background import BackgroundThread
from app.ui.error_text import as_app_error

RETRY_MS = 10_000
Write = Callable[[], object]
Waiting = list[Callable[[], object]]


class KeptFile(QObject):
    """One write at a time: what changes meanwhile is written after it, so that a slow disk is not asked for every version.

    Args:
        snapshot: takes what is to be written, in the window's thread; the function that it returns writes it, elsewhere.
        after_ms: how long the first change waits for others.

    Signals:
        failed(AppError): it can no longer be written; tries continue, and only another error is reported.
        mended(AppError): it is written again, after this error.
    """

    failed = Signal(object)
    mended = Signal(object)

    def __init__(self, parent: QObject, name: str, snapshot: Callable[[], Write], after_ms: int) -> None:
        super().__init__(parent)
        self._background = BackgroundThread(self, name)
        self._snapshot = snapshot
        self._after_ms = after_ms
        self._changed = self._writing = self._resting = False
        self._waiting: Waiting = []  # to be called once what is now is written
        self._error: AppError | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._write)

    @Slot()
    def changed(self, *_what: object) -> None:
        """Something is worth keeping."""
        self._changed = True
        if not (self._writing or self._resting or self._timer.isActive()):
            self._timer.start(self._after_ms)

    def save_now(self, then: Callable[[], object] = lambda: None) -> None:
        """Writes at once; `then` is called when the file holds the current state."""
        self._waiting.append(then)
        if not (self._writing or self._resting):
            self._write()

    def rest(self) -> None:
        """Writes nothing from now on."""
        self._resting = True
        self._timer.stop()

    def flush(self) -> Callable[[], AppError | None]:
        """Begins to write what is not on the disk yet; the result waits for that, and reports what went wrong."""
        self._timer.stop()
        if self._resting or not (self._changed or self._writing or self._waiting):
            return lambda: None
        self._changed = False
        writing = self._background.begin(self._snapshot())

        def wait() -> AppError | None:
            exc = writing.exception()
            if isinstance(exc, Exception):
                self._on_failed([], as_app_error(exc))
                return self._error
            return None

        return wait

    def close(self) -> None:
        """Waits for what is being written; nothing is written after it."""
        self.rest()
        self._background.close()

    @Slot()
    def _write(self) -> None:
        self._timer.stop()
        waiting, self._waiting = self._waiting, []
        self._changed, self._writing = False, True
        self._background.run(self._snapshot(), lambda _nothing: self._on_written(waiting), lambda error: self._on_failed(waiting, error))

    def _on_written(self, waiting: Waiting) -> None:
        self._writing = False
        error, self._error = self._error, None
        if error is not None:
            self.mended.emit(error)
        for call in waiting:
            call()
        if self._waiting and not self._writing:
            self._write()
        elif self._changed:
            self.changed()

    def _on_failed(self, waiting: Waiting, error: AppError) -> None:
        self._writing, self._changed = False, True
        self._waiting = [*waiting, *self._waiting]
        known, self._error = self._error, error
        if known is None or (known.message, known.hint) != (error.message, error.hint):
            self.failed.emit(error)
        if not self._resting:
            self._timer.start(RETRY_MS)
