"""Files that the system wants opened: those of this start, and those of later starts."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QTimer, Slot

from app.ui.one_window import requests_dir, take_requests

if TYPE_CHECKING:
    from app.ui.window import MainWindow


class Opening(QObject):
    """Takes requests of later starts for a window: brings it to the front and opens their files."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._look)
        with contextlib.suppress(OSError):  # where nothing can be written, later starts open windows of their own
            requests_dir().mkdir(parents=True, exist_ok=True)
            self._watcher.addPath(str(requests_dir()))
        QTimer.singleShot(0, self._look)  # what came while this window was opening

    def open(self, files: Sequence[Path]) -> None:
        """Text becomes lines behind the selected ones; anything else is told as a voice."""
        if files:
            self._window.commands.add_files(list(files), self._window.commands.place())

    @Slot()
    def _look(self, *_folder: object) -> None:
        for files in take_requests():
            state = self._window.windowState()
            self._window.setWindowState(state & ~Qt.WindowState.WindowMinimized)
            self._window.raise_()
            self._window.activateWindow()
            self.open(files)
