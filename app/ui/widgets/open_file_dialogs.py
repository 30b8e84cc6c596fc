"""Dialogs that ask for files to read.

Each kind of file starts in the folder of the last chosen file of its kind, at first in the user's documents.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

_last_folders: dict[str, str] = {}


def ask_for_files(parent: QWidget | None, title: str, name_filter: str) -> list[Path]:
    """Return the files that the user chooses, filtered by `name_filter` in Qt's syntax; none if the user cancels."""
    names, _ = QFileDialog.getOpenFileNames(parent, title, _find_start_folder(name_filter), name_filter)
    files = [Path(name) for name in names]
    if files:
        _last_folders[name_filter] = str(files[0].parent)
    return files


def ask_for_file(parent: QWidget | None, title: str, name_filter: str) -> Path | None:
    """Return the file that the user chooses, or None if the user cancels."""
    name, _ = QFileDialog.getOpenFileName(parent, title, _find_start_folder(name_filter), name_filter)
    if not name:
        return None
    _last_folders[name_filter] = str(Path(name).parent)
    return Path(name)


def _find_start_folder(name_filter: str) -> str:
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return _last_folders.get(name_filter) or (documents if Path(documents).is_dir() else str(Path.home()))
