"""Plans which lines go into which files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path

from app.common.errors import OutputFileError
from app.common.language import get_language, localize
from app.core.script.script import Character, Line, LineSettings
from app.export.export_settings import DEFAULT_PATTERN_ENGLISH, DEFAULT_PATTERN_JAPANESE, ExportSettings
from app.export.safe_file_names import (
    COUNTER_TOKEN,
    NO_OWN_FILES,
    NO_SOURCES,
    NUMBER_WIDTH,
    OwnFiles,
    SourceFiles,
    SpeakerNames,
    TakenNames,
    build_source_error,
    build_token_values,
    fill_pattern,
    find_free_stem,
    fold_file_name,
    sanitise_stem,
)
from app.export.sidecar_formats import list_sidecar_suffixes

FindNames = Callable[[LineSettings], SpeakerNames]  # by which names people know who speaks a line

COUNTER_PLACEHOLDER = f"${COUNTER_TOKEN}$"
_YARN_ID_PREFIX = "line:"  # what ids of Yarn begin with, and names of its files do not


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line and its number in the script, from 1."""

    number: int
    line: Line


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A sound file and the lines that it holds, in order. What goes beside it has the same name with another suffix, and is one set with it."""

    file: Path
    lines: tuple[Line, ...]
    taken_names: tuple[str, ...] = ()  # of the set, those that somebody else's files had when the plan was made
    characters: tuple[str, ...] = ()  # names of the characters of the lines, in the same order; empty where no line has one
    # Of the set, those whose files give way: ours, or anybody's if the user said so. What appears later does not.
    replaced_names: tuple[str, ...] = ()

    @property
    def already_exists(self) -> bool:
        """Return whether any file of the set was there when the plan was made."""
        return bool(self.taken_names)

    @property
    def has_sound(self) -> bool:
        """Return whether the sound itself was there when the plan was made."""
        return self.file.name in self.taken_names


@dataclass(frozen=True, slots=True)
class PlanContext:
    """The values that file names are made of, beside the lines."""

    project: str
    find_names: FindNames
    day: date
    characters: Mapping[str, str] = field(default_factory=dict)  # names by id

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
    lines: Sequence[NumberedLine],
    settings: ExportSettings,
    context: PlanContext,
    own_files: OwnFiles = NO_OWN_FILES,
    sources: SourceFiles = NO_SOURCES,
) -> list[PlannedFile]:
    """Plan a file for each line, for each speaker or for all. With `existing` "number" no name exists yet; else existing files are marked.

    Raises InputError if a file that the export reads is to be replaced, OutputFileError for a link in place of a folder.
    """
    names_by_folder: dict[str, set[str]] = {}
    names = TakenNames(own_files, sources)
    suffixes = (settings.suffix, *list_sidecar_suffixes(settings.sidecars))
    files = []
    for folder, group in _group_lines(lines, settings, context):
        first = group[0]
        who = context.name_line(first.line)
        values = build_token_values(first.line, first.number, who, context.project, context.day)
        if settings.game == "yarn":
            values["id"] = first.line.id.removeprefix(_YARN_ID_PREFIX)
        stem = fill_pattern("$id$" if settings.game else settings.pattern.strip() or choose_default_pattern(), values)
        planned_names = names_by_folder.setdefault(str(folder), set())
        avoids = settings.existing == "number" or COUNTER_PLACEHOLDER in stem
        is_existing = partial(names.has_set, folder, suffixes) if avoids else lambda _name: False
        name = find_free_stem(stem, f"{first.number:0{NUMBER_WIDTH}d}", planned_names, is_existing)
        planned_names.add(fold_file_name(name))
        taken_names, present_names = names.find_taken(folder, name, suffixes), names.list_present(folder, name, suffixes)
        if settings.existing == "replace" and (sources_there := names.find_sources(folder, taken_names)):
            raise build_source_error(sources_there[0])
        cast = tuple(context.name_line(item.line).character for item in group) if context.characters else ()
        replaced_names = present_names if settings.existing == "replace" else [item for item in present_names if item not in taken_names]
        lines_of_file, characters = tuple(item.line for item in group), cast if any(cast) else ()
        files.append(PlannedFile(folder / f"{name}{settings.suffix}", lines_of_file, taken_names, characters, tuple(replaced_names)))
    return files


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
        # The files would go where it leads.
        if folders[who].is_symlink():
            english = f"“{folders[who]}” is a link, and nothing is exported through it."
            raise OutputFileError(
                localize(f"「{folders[who]}」はリンクなので、その中には書き出しません。", english),
                localize("リンクの名前を変えるか、別のフォルダーに書き出してください。", "Rename the link, or export to another folder."),
            )
    order = sorted(((item.number, who, item) for who, group in speakers.items() for item in group), key=lambda entry: entry[0])
    return [(folders[who], [item]) for _, who, item in order]
