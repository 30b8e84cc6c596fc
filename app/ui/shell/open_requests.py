"""Handles the requests of later starts: raises the window and opens their files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Slot
from PySide6.QtWidgets import QWidget

from app.adapters.window_requests import find_requests_dir
from app.common.files.private_data_dir import make_private_folder
from app.ui.shell.single_instance import take_requests


class OpenRequestWatcher(QObject):
    """Takes the requests for a window.

    Args:
        show_window: brings the window to the front.
        open_files: called with the files of each request.
    """

    def __init__(self, window: QWidget, show_window: Callable[[], object], open_files: Callable[[Sequence[Path]], object]) -> None:
        super().__init__(window)
        self._show_window, self._open_files = show_window, open_files
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
            self._show_window()
            self._open_files(files)
