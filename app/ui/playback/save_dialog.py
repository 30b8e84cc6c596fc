"""Asks where sound should be saved, and makes the names of the files."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.adapters.sound.formats import FORMATS
from app.language import localized

TITLE_LENGTH = 20
OTHER_SOUNDS = (".aac", ".aif", ".aiff", ".m4a", ".mp4", ".wma")  # meant as they are typed, though we cannot write them
NUMBERS, TEXTS = ("{number}", "{番号}"), ("{text}", "{文章}")


def ask_for_file(parent: QWidget, name: str, folder: str) -> Path | None:
    """A file with a suffix of a sound, called `name` at first; None when the user gives up.

    Where the suffix is ours, so is the care for what is there already: the dialog has asked about another name.
    """
    start = (Path(folder) if folder and Path(folder).is_dir() else Path.home()) / f"{name}.wav"
    kinds = ";;".join(f"{suffix[1:].upper()} (*{suffix})" for suffix in FORMATS)
    chosen, kind = QFileDialog.getSaveFileName(parent, localized("音声を書き出す", "Export audio"), str(start), kinds)
    if not chosen:
        return None
    file = Path(chosen)
    if file.suffix.lower() in (*FORMATS, *OTHER_SOUNDS):
        return file
    return _free(file.with_name(f"{file.name}.{kind.split()[0].lower() if kind else 'wav'}"), ())


def first_pattern() -> str:
    """The name that several files have at first: a number and the beginning of the text."""
    return localized(f"{NUMBERS[1]}_{TEXTS[1]}", f"{NUMBERS[0]}_{TEXTS[0]}")


def files_for(pattern: Path, lines: Iterable[tuple[int, str]], coming: Iterable[Path] = ()) -> list[Path]:
    """A file for each (number, text), named after the pattern; none is there yet or among those `coming`, and no two are the same."""
    stem = pattern.stem if any(mark in pattern.stem for mark in NUMBERS) else f"{pattern.stem}_{NUMBERS[0]}"
    files: list[Path] = []
    taken = {file.name.casefold() for file in coming if file.parent == pattern.parent}
    for number, text in lines:
        name = stem
        for marks, value in ((NUMBERS, f"{number:03d}"), (TEXTS, title(text))):
            for mark in marks:
                name = name.replace(mark, value)
        files.append(_free(pattern.with_name(name + pattern.suffix), taken))
        taken.add(files[-1].name.casefold())
    return files


def _free(file: Path, taken: Collection[str]) -> Path:
    """The file, or one with a number behind its name."""
    free, count = file, 1
    while free.name.casefold() in taken or free.exists():
        count += 1
        free = file.with_name(f"{file.stem} {count}{file.suffix}")
    return free


def title(text: str) -> str:
    """A file name out of the first words."""
    first = text.strip().split("\n")[0]
    words = "".join(letter for letter in first if letter.isalnum() or letter in " -_ー")
    return words[:TITLE_LENGTH].strip() or "koebako"
