"""Voices and BERTs that other programs add or remove, such as the command line, appear in the open window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal, Slot

SETTLES_MS = 500  # a voice comes as several files; they are looked at once


class DiskWatch(QObject):
    """Watches folders, and those above them as long as they do not exist.

    Args:
        folders: whose entries are watched, each below a folder that exists.

    Signals:
        changed(): entries have come or gone, and nothing has changed for half a second.
    """

    changed = Signal()

    def __init__(self, folders: Sequence[Path], parent: QObject) -> None:
        super().__init__(parent)
        self._folders = folders
        self._missing: set[Path] = set()
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._on_changed)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLES_MS)
        self._timer.timeout.connect(self.changed)

    @Slot()
    def begin(self) -> None:
        """Watches from now on."""
        self._watch()

    def close(self) -> None:
        """Watches no longer."""
        self._timer.stop()
        if watched := self._watcher.directories():
            self._watcher.removePaths(watched)
        self._watcher.directoryChanged.disconnect(self._on_changed)

    @Slot(str)
    def _on_changed(self, folder: str) -> None:
        """Reports a change of a watched folder; the one above changes with every file beside it, so there only a new folder counts."""
        appeared = {path for path in self._missing if path.is_dir()}
        self._watch()
        if appeared or Path(folder) in self._folders:
            self._timer.start()

    def _watch(self) -> None:
        self._missing = {folder for folder in self._folders if not folder.is_dir()}
        wanted = {str(folder.parent if folder in self._missing else folder) for folder in self._folders}
        watched = set(self._watcher.directories())
        if old := watched - wanted:
            self._watcher.removePaths(sorted(old))
        if new := wanted - watched:
            self._watcher.addPaths(sorted(new))
