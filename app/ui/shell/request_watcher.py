"""Requests from outside: of later starts, whose files the window opens, of `koebako read`, and signals that end it."""

import contextlib
import signal
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QSocketNotifier, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.adapters.window_requests import ReadRequest, find_requests_dir, handle_read_requests, remove_old_answers
from app.common.files.private_data_dir import make_private_folder
from app.ui.shell.single_instance import take_requests


class RequestWatcher(QObject):
    """Takes the requests for a window.

    Args:
        show_window: brings the window to the front.
        open_files: called with the files of each later start.
        read_aloud: called with each request to read; its AppError is the answer.
    """

    def __init__(
        self,
        window: QWidget,
        show_window: Callable[[], object],
        open_files: Callable[[Sequence[Path]], object],
        read_aloud: Callable[[ReadRequest], object],
    ) -> None:
        super().__init__(window)
        self._show_window, self._open_files, self._read_aloud = show_window, open_files, read_aloud
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._take_requests)
        # If the folder cannot be written, nobody can ask, and later starts open windows of their own.
        with contextlib.suppress(OSError):
            make_private_folder(find_requests_dir())
            remove_old_answers()
            self._watcher.addPath(str(find_requests_dir()))
        # Requests that came while this window was opening cause no change of the folder.
        QTimer.singleShot(0, self._take_requests)

    @Slot()
    def _take_requests(self, *_folder: object) -> None:
        for files in take_requests():
            self._show_window()
            self._open_files(files)
        handle_read_requests(self._read_aloud)


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
