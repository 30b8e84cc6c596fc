"""Reports voices and BERTs that other programs, such as the command line, add or remove while the window is open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal, Slot

# Milliseconds; a voice arrives as several files, which are scanned once.
FOLDER_CHANGE_DELAY_MS = 500


class VoiceFolderWatcher(QObject):
    """Watches folders, or their parents as long as the folders do not exist.

    Args:
        folders: the folders to watch, each below a folder that exists.

    Signals:
        changed(): entries have come or gone, and nothing has changed for half a second.
    """

    changed = Signal()

    def __init__(self, folders: Sequence[Path], parent: QObject) -> None:
        super().__init__(parent)
        self._folders = folders
        self._missing: set[Path] = set()
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._report_change)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FOLDER_CHANGE_DELAY_MS)
        self._timer.timeout.connect(self.changed)

    @Slot()
    def start_watching(self) -> None:
        """Start watching."""
        self._update_watched_folders()

    def close(self) -> None:
        """Stop watching."""
        self._timer.stop()
        if watched := self._watcher.directories():
            self._watcher.removePaths(watched)
        self._watcher.directoryChanged.disconnect(self._report_change)

    @Slot(str)
    def _report_change(self, folder: str) -> None:
        """Emit `changed` after a change of a watched folder."""
        # A parent folder changes with every file in it, so there only the appearance of a watched folder counts.
        appeared = {path for path in self._missing if path.is_dir()}
        self._update_watched_folders()
        if appeared or Path(folder) in self._folders:
            self._timer.start()

    def _update_watched_folders(self) -> None:
        self._missing = {folder for folder in self._folders if not folder.is_dir()}
        wanted = {str(folder.parent if folder in self._missing else folder) for folder in self._folders}
        watched = set(self._watcher.directories())
        if old := watched - wanted:
            self._watcher.removePaths(sorted(old))
        if new := wanted - watched:
            self._watcher.addPaths(sorted(new))
