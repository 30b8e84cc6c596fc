"""Which lines go into which files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path

from app.core.script import Line, LineSettings
from app.export.file_names import folded, free_stem, safe_stem
from app.export.pattern import NUMBER_WIDTH, TAKE, Who, filled, values_of
from app.export.settings import USUAL_PATTERN, USUAL_PATTERN_ENGLISH, ExportSettings
from app.language import language

NamesOf = Callable[[LineSettings], Who]
"""By which names people know who speaks a line."""

_Has = Callable[[Path, str, str], bool]
TAKEN = f"${TAKE}$"
_YARN = "line:"  # what ids of Yarn begin with, and names of its files do not


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line and its number in the script, from 1."""

    number: int
    line: Line


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A sound file and the lines that it holds, in order. What goes beside it has the same name with another suffix.

    Attributes:
        exists: it was there when the plan was made.
    """

    file: Path
    lines: tuple[Line, ...]
    exists: bool = False


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What names are made of, beside the lines."""

    project: str
    names_of: NamesOf
    day: date


def numbered(lines: Iterable[Line]) -> list[NumberedLine]:
    """All lines of a script that have something to be spoken."""
    return [NumberedLine(number, line) for number, line in enumerate(lines, 1) if line.text.strip()]


def usual_pattern() -> str:
    """Of names, where the user has chosen none."""
    return USUAL_PATTERN if language() == "ja" else USUAL_PATTERN_ENGLISH


def plan(lines: Sequence[NumberedLine], settings: ExportSettings, context: PlanContext) -> list[PlannedFile]:
    """A file a line, a speaker or for all. With `existing` "number" none is there yet; else those that are there are marked."""
    taken: dict[str, set[str]] = {}
    there = _Folders()
    files = []
    for folder, group in _groups(lines, settings, context):
        first = group[0]
        who = context.names_of(first.line.settings)
        values = values_of(first.line, first.number, who, context.project, context.day)
        if settings.game == "yarn":
            values["id"] = first.line.id.removeprefix(_YARN)
        stem = filled("$id$" if settings.game else settings.pattern.strip() or usual_pattern(), values)
        avoided: _Has = there.has if settings.existing == "number" or TAKEN in stem else _nothing
        known = taken.setdefault(str(folder), set())
        name = free_stem(
            stem,
            f"{first.number:0{NUMBER_WIDTH}d}",
            known,
            partial(avoided, folder, settings.suffix),
        )
        known.add(folded(name))
        exists = there.has(folder, settings.suffix, name)
        files.append(PlannedFile(folder / f"{name}{settings.suffix}", tuple(item.line for item in group), exists))
    return files


def existing(files: Iterable[PlannedFile]) -> list[PlannedFile]:
    """Those that were there before."""
    return [item for item in files if item.exists]


def written(files: Iterable[PlannedFile], settings: ExportSettings) -> list[PlannedFile]:
    """Those that are to be written once nothing is to be asked any more."""
    return [item for item in files if settings.existing in ("replace", "number") or not item.exists]


def _groups(lines: Sequence[NumberedLine], settings: ExportSettings, context: PlanContext) -> Iterable[tuple[Path, list[NumberedLine]]]:
    root = Path(settings.folder)
    if settings.files == "joined":
        return [(root, list(lines))] if lines else []
    if settings.files == "lines":
        return [(root, [item]) for item in lines]
    speakers: dict[Who, list[NumberedLine]] = {}
    for item in lines:
        speakers.setdefault(replace(context.names_of(item.line.settings), style=""), []).append(item)
    if settings.files == "speakers":
        return [(root, group) for group in speakers.values()]
    used: set[str] = set()
    folders: dict[Who, Path] = {}
    for who in speakers:
        name = free_stem(who.speaker or who.voice, "voice", used, lambda _name: False)
        used.add(folded(name))
        folders[who] = root / safe_stem(name)
    order = sorted(((item.number, who, item) for who, group in speakers.items() for item in group), key=lambda entry: entry[0])
    return [(folders[who], [item]) for _, who, item in order]


class _Folders:
    """What is in folders, looked at once each; a disk over the net takes its time for every question."""

    def __init__(self) -> None:
        self._names: dict[Path, frozenset[str]] = {}

    def has(self, folder: Path, suffix: str, stem: str) -> bool:
        """Whether a file of that name is there, on any file system."""
        if folder not in self._names:
            try:
                self._names[folder] = frozenset(folded(name) for name in os.listdir(folder))  # noqa: PTH208 — names are enough
            except OSError:
                self._names[folder] = frozenset()
        return folded(stem + suffix) in self._names[folder]


def _nothing(_folder: Path, _suffix: str, _stem: str) -> bool:
    return False
