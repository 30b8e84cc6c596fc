"""Ctrl+C in the terminal, and the end of the session, close the window as its own button does."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier, Qt, Signal, Slot


class Interrupt(QObject):
    """Calls `close` on SIGINT and SIGTERM, in the window's thread.

    Python runs its signal handlers only between its own instructions, and while Qt waits for events there are none: the
    byte that the signal leaves in a socket wakes Qt up. The window is closed by the event loop, not within the handler: one that is closed
    before the loop runs would come back, and nothing would end the loop.
    """

    _came = Signal()

    def __init__(self, close: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._ours, theirs = socket.socketpair()
        self._ours.setblocking(False)
        theirs.setblocking(False)
        self._theirs = theirs
        signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._wake)
        self._came.connect(close, Qt.ConnectionType.QueuedConnection)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_arguments: self._came.emit())

    @Slot()
    def _wake(self) -> None:
        self._ours.recv(64)
