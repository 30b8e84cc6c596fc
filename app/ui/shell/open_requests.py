"""Handles the requests of later starts: raises the window and opens their files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QWidget

from app.common.files.private_data_dir import make_private_folder
from app.ui.shell.single_instance import find_requests_dir, take_requests


class OpenRequestWatcher(QObject):
    """Takes the requests for a window.

    Args:
        open_files: called with the files of each request.
    """

    def __init__(self, window: QWidget, open_files: Callable[[Sequence[Path]], object]) -> None:
        super().__init__(window)
        self._window, self._open_files = window, open_files
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._take_requests)
        # If the folder cannot be written, later starts open windows of their own.
        with contextlib.suppress(OSError):
            make_private_folder(find_requests_dir())
            self._watcher.addPath(str(find_requests_dir()))
        # Requests that came while this window was opening cause no change of the folder.
        QTimer.singleShot(0, self._take_requests)

    @Slot()
    def _take_requests(self, *_folder: object) -> None:
        for files in take_requests():
            state = self._window.windowState()
            self._window.setWindowState(state & ~Qt.WindowState.WindowMinimized)
            self._window.raise_()
            self._window.activateWindow()
            self._open_files(files)
