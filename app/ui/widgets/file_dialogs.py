"""Dialogs that ask for files to read, at first in the folder of the last file of its kind, and names of files to write."""

from __future__ import annotations

import os
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


def ask_for_folder(parent: QWidget | None, title: str, start: str = "") -> str:
    """Return the folder that the user chooses, or an empty text if the user cancels."""
    return QFileDialog.getExistingDirectory(parent, title, start)


def ask_for_new_file(parent: QWidget, title: str, name: str) -> Path | None:
    """Return the file to write that the user chooses, or None if the user cancels.

    Args:
        name: the offered name; its suffix is appended where the user types none.
    """
    suffix = Path(name).suffix
    chosen, _ = QFileDialog.getSaveFileName(parent, title, str(Path.home() / name), f"{suffix[1:].upper()} (*{suffix})")
    if not chosen:
        return None
    return Path(chosen) if Path(chosen).suffix else append_suffix(Path(chosen), suffix)


def _find_start_folder(name_filter: str) -> str:
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return _last_folders.get(name_filter) or (documents if Path(documents).is_dir() else str(Path.home()))


def append_suffix(file: Path, suffix: str) -> Path:
    """Return the file with a suffix behind its name, and with a number before it if that name is taken, also by a link to nowhere.

    A file dialog has asked about the name as it was typed, and about no other.
    """
    appended, number = file.with_name(file.name + suffix), 1
    while os.path.lexists(appended):
        number += 1
        appended = file.with_name(f"{file.name} {number}{suffix}")
    return appended
