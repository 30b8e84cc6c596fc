"""Ctrl+C and requests to end: noticed at once, acted on where nothing is left half done."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import NoReturn

INTERRUPTED_EXIT_CODE = 130
INTERRUPT_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def exit_now() -> NoReturn:
    """End the process now, wherever its threads are, without locks, waits or clean-up.

    For imports, which take seconds and write nothing: libraries of C++ that KeyboardInterrupt meets in theirs end the process with a
    message of their own, and Python prints what its callbacks drop. And for what has nothing to end, as the service.
    """
    os._exit(INTERRUPTED_EXIT_CODE)


class InterruptHandler:
    """Takes the signals while its `with` block runs.

    Python raises KeyboardInterrupt wherever it happens to be: inside an import that turns it into another error, inside a callback
    of a C library that drops it. So the request is kept, and long work says with `call_on_interrupt` what to do when it comes.
    """

    def __init__(self) -> None:
        self.requested = False  # the user wants to end
        self._action: Callable[[], None] | None = None
        self._previous: dict[signal.Signals, object] = {}

    def __enter__(self) -> InterruptHandler:
        self.requested = False
        if threading.current_thread() is threading.main_thread():
            for number in INTERRUPT_SIGNALS:
                # An ignored signal stays ignored, for nohup and for background jobs of a script.
                if signal.getsignal(number) != signal.SIG_IGN:
                    self._previous[number] = signal.signal(number, self._record_signal)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, previous in self._previous.items():
            signal.signal(number, previous)  # type: ignore[arg-type]
        self._previous.clear()

    @contextmanager
    def call_on_interrupt(self, action: Callable[[], None]) -> Iterator[None]:
        """Call `action` on an interrupt within the block, and raise nothing; the action must be safe at any time."""
        self._action = action
        try:
            if self.requested:
                action()
            yield
        finally:
            self._action = None

    def _record_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.requested = True
        if self._action is None:
            raise KeyboardInterrupt
        self._action()


interrupt_handler = InterruptHandler()
