"""Asks for files to read. Each kind of file begins where the last one of its kind was found, at first among the user's documents."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

_folders: dict[str, str] = {}


def ask_for_files(parent: QWidget | None, title: str, kinds: str) -> list[Path]:
    """Files of some kinds, given as Qt writes them; none when the user gives up."""
    names, _ = QFileDialog.getOpenFileNames(parent, title, _folder(kinds), kinds)
    files = [Path(name) for name in names]
    if files:
        _folders[kinds] = str(files[0].parent)
    return files


def ask_for_one(parent: QWidget | None, title: str, kinds: str) -> Path | None:
    """The same for one file; None when the user gives up."""
    name, _ = QFileDialog.getOpenFileName(parent, title, _folder(kinds), kinds)
    if not name:
        return None
    _folders[kinds] = str(Path(name).parent)
    return Path(name)


def _folder(kinds: str) -> str:
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return _folders.get(kinds) or (documents if Path(documents).is_dir() else str(Path.home()))
