"""Asks where sound should be saved, and makes the names of the files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QWidget

from app.common.language import localize
from app.core.script.script import Line, LineSettings
from app.ui.widgets.appended_suffix import append_suffix

if TYPE_CHECKING:
    from app.export.name_pattern import SpeakerNames

MAX_TITLE_LENGTH = 20
UNSUPPORTED_SOUND_SUFFIXES = (".aac", ".aif", ".aiff", ".m4a", ".mp4", ".wma")  # meant as they are typed, though we cannot write them
NUMBER, TEXT = ("$連番$", "$number$"), ("$テキスト$", "$text$")


def ask_for_sound_file(parent: QWidget, name: str, folder: str, suffix: str = ".wav") -> Path | None:
    """Return a file with the suffix of a sound format, named `name` and of the kind `suffix` at first; None if the user cancels.

    Where the suffix is ours, so is the care for what is there already: the dialog has asked about another name.
    """
    from app.adapters.sound.sound_formats import SOUND_FORMATS  # the window starts without

    start = (Path(folder) if folder and Path(folder).is_dir() else Path.home()) / f"{name}{suffix}"
    kinds = {known: f"{known[1:].upper()} (*{known})" for known in SOUND_FORMATS}
    listed, first = ";;".join(kinds.values()), kinds.get(suffix, "")
    chosen, kind = QFileDialog.getSaveFileName(parent, localize("音声を書き出す", "Export audio"), str(start), listed, first)
    if not chosen:
        return None
    file = Path(chosen)
    if file.suffix.lower() in (*SOUND_FORMATS, *UNSUPPORTED_SOUND_SUFFIXES):
        return file
    return append_suffix(file, f".{kind.split()[0].lower() if kind else 'wav'}")


def build_default_pattern() -> str:
    """Return the first pattern for several files: a number and the beginning of the text."""
    return localize(f"{NUMBER[0]}_{TEXT[0]}", f"{NUMBER[1]}_{TEXT[1]}")


def choose_file_names(
    pattern: Path, lines: Iterable[tuple[int, Line]], name_speaker: Callable[[LineSettings], SpeakerNames], reserved: Iterable[Path] = ()
) -> list[Path]:
    """Return a file for each numbered line, named as the export page names them; none exists yet or is `reserved`, and no two are the same."""
    from app.export.name_pattern import build_token_values, fill_pattern
    from app.export.safe_file_names import find_free_stem, fold_file_name  # wanted when something is saved

    stem = pattern.stem if any(mark in pattern.stem for mark in (*NUMBER, "$id$")) else f"{pattern.stem}_{NUMBER[1]}"
    taken = {fold_file_name(file.stem) for file in reserved if file.parent == pattern.parent and file.suffix == pattern.suffix}
    files: list[Path] = []
    for number, line in lines:
        values = build_token_values(line, number, name_speaker(line.settings), "", date.today())
        name = find_free_stem(
            fill_pattern(stem, values), "koebako", taken, lambda name: os.path.lexists(pattern.with_name(name + pattern.suffix))
        )
        taken.add(fold_file_name(name))
        files.append(pattern.with_name(name + pattern.suffix))
    return files


def build_file_title(text: str) -> str:
    """Return a file name made of the first words."""
    first = text.strip().split("\n")[0]
    words = "".join(letter for letter in first if letter.isalnum() or letter in " -_ー")
    return words[:MAX_TITLE_LENGTH].strip() or "koebako"
