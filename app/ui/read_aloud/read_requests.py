"""Answers the requests of `koebako read` while a window is open."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Slot

from app.adapters.window_requests import ReadRequest, find_requests_dir, handle_read_requests, remove_old_answers
from app.common.files.private_data_dir import make_private_folder


class ReadRequestWatcher(QObject):
    """Takes the requests for a window.

    Args:
        read_aloud: called with each request; its AppError is the answer.
    """

    def __init__(self, parent: QObject, read_aloud: Callable[[ReadRequest], object]) -> None:
        super().__init__(parent)
        self._read_aloud = read_aloud
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._handle_requests)
        # If the folder cannot be written, nobody can ask.
        with contextlib.suppress(OSError):
            make_private_folder(find_requests_dir())
            remove_old_answers()
            self._watcher.addPath(str(find_requests_dir()))
        # Requests that came while the window was opening cause no change of the folder.
        QTimer.singleShot(0, self._handle_requests)

    @Slot()
    def _handle_requests(self, *_folder: object) -> None:
        handle_read_requests(self._read_aloud)
