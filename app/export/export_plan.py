"""Plans which lines go into which files."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path

from app.common.language import get_language
from app.core.script import Character, Line, LineSettings
from app.export.export_settings import DEFAULT_PATTERN_ENGLISH, DEFAULT_PATTERN_JAPANESE, ExportSettings
from app.export.name_pattern import COUNTER_TOKEN, NUMBER_WIDTH, SpeakerNames, build_token_values, fill_pattern
from app.export.safe_file_names import find_free_stem, fold_file_name, sanitise_stem

FindNames = Callable[[LineSettings], SpeakerNames]
"""By which names people know who speaks a line."""

_HasFile = Callable[[Path, str, str], bool]
COUNTER_PLACEHOLDER = f"${COUNTER_TOKEN}$"
# What ids of Yarn begin with, and names of its files do not.
_YARN_ID_PREFIX = "line:"


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line and its number in the script, from 1."""

    number: int
    line: Line


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A sound file and the lines that it holds, in order. What goes beside it has the same name with another suffix.

    Attributes:
        already_exists: it was there when the plan was made.
        characters: names of the characters of the lines, in the same order; empty where no line has one.
    """

    file: Path
    lines: tuple[Line, ...]
    already_exists: bool = False
    characters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanContext:
    """The values that file names are made of, beside the lines.

    Attributes:
        characters: names by id.
    """

    project: str
    find_names: FindNames
    day: date
    characters: Mapping[str, str] = field(default_factory=dict)

    def name_line(self, line: Line) -> SpeakerNames:
        """Return by which names people know who speaks a line."""
        return replace(self.find_names(line.settings), character=self.characters.get(line.character, ""))


def list_character_names(cast: Iterable[Character]) -> dict[str, str]:
    """Return the names of a cast by id."""
    return {character.id: character.name for character in cast}


def build_numbered_lines(lines: Iterable[Line]) -> list[NumberedLine]:
    """Return all lines of a script that have something to be spoken."""
    return [NumberedLine(number, line) for number, line in enumerate(lines, 1) if line.text.strip()]


def choose_default_pattern() -> str:
    """Return the pattern of names for users who have chosen none."""
    return DEFAULT_PATTERN_JAPANESE if get_language() == "ja" else DEFAULT_PATTERN_ENGLISH


def plan_files(
    lines: Sequence[NumberedLine], settings: ExportSettings, context: PlanContext, own_files: Collection[Path] = frozenset()
) -> list[PlannedFile]:
    """Plan a file for each line, for each speaker or for all. With `existing` "number" no name exists yet; else existing files are marked.

    Args:
        own_files: of an earlier export, which count as not existing: they are to be replaced or renamed.
    """
    taken: dict[str, set[str]] = {}
    there = _FolderContents(own_files)
    files = []
    for folder, group in _group_lines(lines, settings, context):
        first = group[0]
        who = context.name_line(first.line)
        values = build_token_values(first.line, first.number, who, context.project, context.day)
        if settings.game == "yarn":
            values["id"] = first.line.id.removeprefix(_YARN_ID_PREFIX)
        stem = fill_pattern("$id$" if settings.game else settings.pattern.strip() or choose_default_pattern(), values)
        avoided: _HasFile = there.has_file if settings.existing == "number" or COUNTER_PLACEHOLDER in stem else _has_no_file
        known = taken.setdefault(str(folder), set())
        name = find_free_stem(
            stem,
            f"{first.number:0{NUMBER_WIDTH}d}",
            known,
            partial(avoided, folder, settings.suffix),
        )
        known.add(fold_file_name(name))
        exists = there.has_file(folder, settings.suffix, name)
        cast = tuple(context.name_line(item.line).character for item in group) if context.characters else ()
        planned = PlannedFile(folder / f"{name}{settings.suffix}", tuple(item.line for item in group), exists, cast if any(cast) else ())
        files.append(planned)
    return files


def filter_existing(files: Iterable[PlannedFile]) -> list[PlannedFile]:
    """Return the files that existed before."""
    return [item for item in files if item.already_exists]


def filter_writable(files: Iterable[PlannedFile], settings: ExportSettings) -> list[PlannedFile]:
    """Return the files to be written once no question is left."""
    return [item for item in files if settings.existing in ("replace", "number") or not item.already_exists]


def _group_lines(
    lines: Sequence[NumberedLine], settings: ExportSettings, context: PlanContext
) -> Iterable[tuple[Path, list[NumberedLine]]]:
    root = Path(settings.folder)
    if settings.files == "joined":
        return [(root, list(lines))] if lines else []
    if settings.files == "lines":
        return [(root, [item]) for item in lines]
    by_character = settings.files in ("characters", "character_folders")
    speakers: dict[SpeakerNames, list[NumberedLine]] = {}
    for item in lines:
        who = replace(context.name_line(item.line), style="")
        key = SpeakerNames(character=who.character) if by_character and who.character else replace(who, character="")
        speakers.setdefault(key, []).append(item)
    if settings.files in ("speakers", "characters"):
        return [(root, group) for group in speakers.values()]
    used: set[str] = set()
    folders: dict[SpeakerNames, Path] = {}
    for who in speakers:
        name = find_free_stem(who.character or who.speaker or who.voice, "voice", used, lambda _name: False)
        used.add(fold_file_name(name))
        folders[who] = root / sanitise_stem(name)
    order = sorted(((item.number, who, item) for who, group in speakers.items() for item in group), key=lambda entry: entry[0])
    return [(folders[who], [item]) for _, who, item in order]


class _FolderContents:
    """The contents of folders, each listed once, because a network disk is slow at every query."""

    def __init__(self, ignored: Collection[Path]) -> None:
        self._names: dict[Path, frozenset[str]] = {}
        self._ignored = ignored

    def has_file(self, folder: Path, suffix: str, stem: str) -> bool:
        """Return whether a file of that name exists, on any file system."""
        if folder not in self._names:
            try:
                there = (name for name in os.listdir(folder) if not self._ignored or folder / name not in self._ignored)  # noqa: PTH208 — names are enough
                self._names[folder] = frozenset(map(fold_file_name, there))
            except OSError:
                self._names[folder] = frozenset()
        return fold_file_name(stem + suffix) in self._names[folder]


def _has_no_file(_folder: Path, _suffix: str, _stem: str) -> bool:
    return False
