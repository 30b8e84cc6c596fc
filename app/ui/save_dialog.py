"""Asks where a sound should be saved."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.adapters.sound_formats import FORMATS
from app.language import say

TITLE_LENGTH = 20


def ask_for_file(parent: QWidget, text: str, folder: str) -> Path | None:
    """A file with a suffix that can be written, named after the text at first; None when the user gives up."""
    start = (Path(folder) if folder and Path(folder).is_dir() else Path.home()) / f"{title(text)}.wav"
    kinds = ";;".join(f"{suffix[1:].upper()} (*{suffix})" for suffix in FORMATS)
    name, kind = QFileDialog.getSaveFileName(parent, say("音声を保存", "Save sound"), str(start), kinds)
    if not name:
        return None
    file = Path(name)
    if file.suffix.lower() in FORMATS:
        return file
    return file.with_name(f"{file.name}.{kind.split()[0].lower() if kind else 'wav'}")


def title(text: str) -> str:
    """A file name out of the first words."""
    first = text.strip().split("\n")[0]
    words = "".join(letter for letter in first if letter.isalnum() or letter in " -_ー")
    return words[:TITLE_LENGTH].strip() or "koebako"
