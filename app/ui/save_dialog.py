"""Asks where sound should be saved, and makes the names of the files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.adapters.sound_formats import FORMATS
from app.language import say

TITLE_LENGTH = 20
NUMBERS, TEXTS = ("{number}", "{番号}"), ("{text}", "{文章}")


def ask_for_file(parent: QWidget, name: str, folder: str) -> Path | None:
    """A file with a suffix that can be written, called `name` at first; None when the user gives up."""
    start = (Path(folder) if folder and Path(folder).is_dir() else Path.home()) / f"{name}.wav"
    kinds = ";;".join(f"{suffix[1:].upper()} (*{suffix})" for suffix in FORMATS)
    chosen, kind = QFileDialog.getSaveFileName(parent, say("音声を保存", "Save sound"), str(start), kinds)
    if not chosen:
        return None
    file = Path(chosen)
    if file.suffix.lower() in FORMATS:
        return file
    return file.with_name(f"{file.name}.{kind.split()[0].lower() if kind else 'wav'}")


def first_pattern() -> str:
    """The name that several files have at first: a number and the beginning of the text."""
    return say(f"{NUMBERS[1]}_{TEXTS[1]}", f"{NUMBERS[0]}_{TEXTS[0]}")


def files_for(pattern: Path, lines: Iterable[tuple[int, str]]) -> list[Path]:
    """A file for each (number, text), named after the pattern; none of them is there yet, and no two are the same."""
    stem = pattern.stem if any(mark in pattern.stem for mark in NUMBERS) else f"{pattern.stem}_{NUMBERS[0]}"
    files: list[Path] = []
    taken: set[str] = set()
    for number, text in lines:
        name = stem
        for marks, value in ((NUMBERS, f"{number:03d}"), (TEXTS, title(text))):
            for mark in marks:
                name = name.replace(mark, value)
        file, count = pattern.with_name(name + pattern.suffix), 1
        while file.name.casefold() in taken or file.exists():
            count += 1
            file = pattern.with_name(f"{name} {count}{pattern.suffix}")
        taken.add(file.name.casefold())
        files.append(file)
    return files


def title(text: str) -> str:
    """A file name out of the first words."""
    first = text.strip().split("\n")[0]
    words = "".join(letter for letter in first if letter.isalnum() or letter in " -_ー")
    return words[:TITLE_LENGTH].strip() or "koebako"
