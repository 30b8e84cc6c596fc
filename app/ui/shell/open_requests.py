"""Requests of later starts: they bring the window to the front and open their files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QWidget

from app.own_folder import make_folder
from app.ui.shell.single_instance import requests_dir, take_requests


class Opening(QObject):
    """Takes the requests for a window.

    Args:
        open_files: what to do with the files of a request.
    """

    def __init__(self, window: QWidget, open_files: Callable[[Sequence[Path]], object]) -> None:
        super().__init__(window)
        self._window, self._open_files = window, open_files
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._look)
        with contextlib.suppress(OSError):  # where nothing can be written, later starts open windows of their own
            make_folder(requests_dir())
            self._watcher.addPath(str(requests_dir()))
        QTimer.singleShot(0, self._look)  # what came while this window was opening

    @Slot()
    def _look(self, *_folder: object) -> None:
        for files in take_requests():
            state = self._window.windowState()
            self._window.setWindowState(state & ~Qt.WindowState.WindowMinimized)
            self._window.raise_()
            self._window.activateWindow()
            self._open_files(files)
