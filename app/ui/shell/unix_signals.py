"""Closes the window on Ctrl+C in the terminal and at the end of the session, as its close button does."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier, Qt, Signal, Slot


class UnixSignalHandler(QObject):
    """Calls `close` on SIGINT and SIGTERM in the window's thread."""

    _came = Signal()

    def __init__(self, close: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._ours, theirs = socket.socketpair()
        self._ours.setblocking(False)
        theirs.setblocking(False)
        self._theirs = theirs
        # Python runs signal handlers only between its own instructions, and none run while Qt waits for events; the byte that the signal
        # writes to this socket wakes Qt up.
        signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._handle_signal)
        # Queued: a window closed before the event loop runs would come back, and nothing would end the loop.
        self._came.connect(close, Qt.ConnectionType.QueuedConnection)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_arguments: self._came.emit())

    @Slot()
    def _handle_signal(self) -> None:
        self._ours.recv(64)
