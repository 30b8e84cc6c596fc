"""Ctrl+C and requests to end: noticed at once, acted on where nothing is left half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

EXIT_CODE = 130
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Interruption:
    """Takes the signals while its `with` block runs.

    Python raises KeyboardInterrupt wherever it happens to be: inside an import that turns it into another error, inside a callback
    of a C library that drops it. So the request is kept, and long work says with `instead` what to do when it comes.

    Attributes:
        requested: the user wants to end.
    """

    def __init__(self) -> None:
        self.requested = False
        self._action: Callable[[], None] | None = None
        self._previous: dict[signal.Signals, object] = {}

    def __enter__(self) -> Interruption:
        self.requested = False
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if signal.getsignal(number) != signal.SIG_IGN:  # nohup, and jobs in the background of a script
                    self._previous[number] = signal.signal(number, self._notice)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, previous in self._previous.items():
            signal.signal(number, previous)  # type: ignore[arg-type]
        self._previous.clear()

    @contextmanager
    def instead(self, action: Callable[[], None]) -> Iterator[None]:
        """Within the block a request calls `action` and raises nothing; it must be safe to call at any time."""
        self._action = action
        try:
            if self.requested:
                action()
            yield
        finally:
            self._action = None

    @contextmanager
    def afterwards(self) -> Iterator[None]:
        """Within the block a request is kept; KeyboardInterrupt comes at its end. For imports: libraries of C++ end the process where one meets theirs."""
        with self.instead(lambda: None):
            yield
        if self.requested:
            raise KeyboardInterrupt

    def _notice(self, _number: int, _frame: FrameType | None) -> None:
        self.requested = True
        if self._action is None:
            raise KeyboardInterrupt
        self._action()


interruption = Interruption()
