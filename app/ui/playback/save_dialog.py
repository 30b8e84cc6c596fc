"""Asks where sound should be saved, and makes the names of the files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QWidget

from app.core.script import Line, LineSettings
from app.language import localized

if TYPE_CHECKING:
    from app.export.pattern import Who

TITLE_LENGTH = 20
OTHER_SOUNDS = (".aac", ".aif", ".aiff", ".m4a", ".mp4", ".wma")  # meant as they are typed, though we cannot write them
NUMBER, TEXT = ("$連番$", "$number$"), ("$テキスト$", "$text$")


def ask_for_file(parent: QWidget, name: str, folder: str, suffix: str = ".wav") -> Path | None:
    """A file with a suffix of a sound, called `name` and of the kind `suffix` at first; None when the user gives up.

    Where the suffix is ours, so is the care for what is there already: the dialog has asked about another name.
    """
    from app.adapters.sound.formats import FORMATS  # the window starts without

    start = (Path(folder) if folder and Path(folder).is_dir() else Path.home()) / f"{name}{suffix}"
    kinds = {known: f"{known[1:].upper()} (*{known})" for known in FORMATS}
    listed, first = ";;".join(kinds.values()), kinds.get(suffix, "")
    chosen, kind = QFileDialog.getSaveFileName(parent, localized("音声を書き出す", "Export audio"), str(start), listed, first)
    if not chosen:
        return None
    file = Path(chosen)
    if file.suffix.lower() in (*FORMATS, *OTHER_SOUNDS):
        return file
    return _free(file.with_name(f"{file.name}.{kind.split()[0].lower() if kind else 'wav'}"), ())


def first_pattern() -> str:
    """The name that several files have at first: a number and the beginning of the text."""
    return localized(f"{NUMBER[0]}_{TEXT[0]}", f"{NUMBER[1]}_{TEXT[1]}")


def files_for(
    pattern: Path, lines: Iterable[tuple[int, Line]], name_speaker: Callable[[LineSettings], Who], coming: Iterable[Path] = ()
) -> list[Path]:
    """A file for each numbered line, named as the export page names them; none is there yet or among those `coming`, and no two are the same."""
    from app.export.file_names import folded, free_stem  # wanted when something is saved
    from app.export.pattern import filled, values_of

    stem = pattern.stem if any(mark in pattern.stem for mark in (*NUMBER, "$id$")) else f"{pattern.stem}_{NUMBER[1]}"
    taken = {folded(file.stem) for file in coming if file.parent == pattern.parent and file.suffix == pattern.suffix}
    files: list[Path] = []
    for number, line in lines:
        values = values_of(line, number, name_speaker(line.settings), "", date.today())
        name = free_stem(filled(stem, values), "koebako", taken, lambda name: pattern.with_name(name + pattern.suffix).exists())
        taken.add(folded(name))
        files.append(pattern.with_name(name + pattern.suffix))
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
