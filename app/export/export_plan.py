"""Plans which lines go into which files, and the lists of these that game engines read."""

import contextlib
import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path
from xml.sax.saxutils import quoteattr

from app.adapters.files.part_file import FileSet
from app.common.errors import OutputFileError
from app.common.files.whole_files import read_bounded
from app.common.language import localize
from app.core.script.script import Character, Line, LineSettings
from app.core.text.spreadsheet_cells import escape_formula
from app.export.export_settings import ExportSettings, FileGrouping, GameEngine
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
    translate_pattern,
)
from app.export.sidecar_formats import list_sidecar_suffixes

FindNames = Callable[[LineSettings], SpeakerNames]  # by which names people know who speaks a line

COUNTER_PLACEHOLDER = f"${COUNTER_TOKEN}$"
SPEAKER_PATTERNS = ("$number$_$speaker$（$style$）_$text$", "$number$_$speaker$_$style$_$text$")  # in Japanese and in English
LINE_FILES: tuple[FileGrouping, ...] = ("lines", "speaker_folders", "character_folders")  # groupings with a file for each line
_YARN_ID_PREFIX = "line:"  # what ids of Yarn begin with, and names of its files do not

GAME_LIST_NAMES: dict[GameEngine, str] = {"csv": "voice_lines.csv", "yarn": "voice_lines.csv", "wwise": "voice_lines.wsources"}
"""Ren'Py needs none: it looks for `voice/{id}.ogg`."""

_WWISE_CONVERSION = "Default Conversion Settings"  # what every project of Wwise has


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line and its number in the script, from 1."""

    number: int
    line: Line


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A sound file and the lines that it holds, in order. Its sidecars have the same name with another suffix, and form a set with it."""

    file: Path
    lines: tuple[Line, ...]
    taken_names: tuple[str, ...] = ()  # of the set, those that somebody else's files had when the plan was made
    characters: tuple[str, ...] = ()  # names of the characters of the lines, in the same order; empty where no line has one
    # Of the set, those whose files are replaced: ours, or anybody's if the user said so. Files that appear later are not.
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
    """The values that file names are made of, in addition to the lines."""

    project: str  # its name; empty for a script without one
    find_names: FindNames
    day: date
    characters: Mapping[str, str] = field(default_factory=dict)  # names by id
    keeps_earlier_names: bool = False  # files of the script have the names of a version that named all by number, speaker and text

    def choose_pattern(self, files: FileGrouping, *, has_character: bool) -> str:
        """Return the pattern of names for users who have chosen none, in their language.

        Args:
            has_character: the lines of a file, or some of all lines, belong to a character.
        """
        if self.keeps_earlier_names or (files in LINE_FILES and not has_character):
            pattern = localize(*SPEAKER_PATTERNS)
        elif files in LINE_FILES:
            pattern = "$number$_$character$_$text$"
        else:
            who = "" if files == "joined" else "$character$" if has_character and files == "characters" else "$speaker$"
            pattern = "_".join(filter(None, ("$project$" if self.project else "", who))) or "$text$"
        return translate_pattern(pattern)

    def name_line(self, line: Line) -> SpeakerNames:
        """Return by which names people know who speaks a line."""
        return replace(self.find_names(line.settings), character=self.characters.get(line.character, ""))


def list_character_names(cast: Iterable[Character]) -> dict[str, str]:
    return {character.id: character.name for character in cast}


def build_numbered_lines(lines: Iterable[Line]) -> list[NumberedLine]:
    """Return all lines of a script that have something to be spoken."""
    return [NumberedLine(number, line) for number, line in enumerate(lines, 1) if line.text.strip()]


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
        project = context.project or localize("名称未設定", "Untitled")
        values = build_token_values(first.line, first.number, context.name_line(first.line), project, context.day)
        if settings.game == "yarn":
            values["id"] = first.line.id.removeprefix(_YARN_ID_PREFIX)
        pattern = settings.pattern.strip() or context.choose_pattern(settings.files, has_character=bool(values["character"]))
        stem = fill_pattern("$id$" if settings.game else pattern, values)
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
        speaker = replace(context.name_line(item.line), style="")
        key = SpeakerNames(character=speaker.character) if by_character and speaker.character else replace(speaker, character="")
        speakers.setdefault(key, []).append(item)
    if settings.files in ("speakers", "characters"):
        return [(root, group) for group in speakers.values()]
    used: set[str] = set()
    folders: dict[SpeakerNames, Path] = {}
    for speaker in speakers:
        name = find_free_stem(speaker.character or speaker.speaker or speaker.voice, "voice", used, lambda _name: False)
        used.add(fold_file_name(name))
        folders[speaker] = root / sanitise_stem(name)
        # The files would go where it leads.
        if folders[speaker].is_symlink():
            english = f"“{folders[speaker]}” is a link, and nothing is exported through it."
            raise OutputFileError(
                localize(f"「{folders[speaker]}」はリンクなので、その中には書き出しません。", english),
                localize("リンクの名前を変えるか、別のフォルダーに書き出してください。", "Rename the link, or export to another folder."),
            )
    order = sorted(((item.number, speaker, item) for speaker, group in speakers.items() for item in group), key=lambda entry: entry[0])
    return [(folders[speaker], [item]) for _, speaker, item in order]


@dataclass(frozen=True, slots=True)
class PlannedList:
    """The list of an export, which has its name to itself, as a sound and its sidecars have theirs."""

    file: Path
    already_exists: bool = False  # somebody else's file had the name when the plan was made
    replaced_names: tuple[str, ...] = ()  # the name, if the file that has it is replaced, as for `PlannedFile`


def plan_game_list(settings: ExportSettings, own_files: OwnFiles, sources: SourceFiles) -> PlannedList | None:
    """Plan the list of an engine that reads one, as `plan_files` plans files; return None for others."""
    name = GAME_LIST_NAMES.get(settings.game)
    if name is None:
        return None
    folder, names = Path(settings.folder), TakenNames(own_files, sources)
    stem, suffix = Path(name).stem, Path(name).suffix
    if settings.existing == "number":
        stem = find_free_stem(stem, stem, (), partial(names.has_set, folder, [suffix]))
    taken_names = names.find_taken(folder, stem, [suffix])
    if settings.existing == "replace" and names.find_sources(folder, taken_names):
        raise build_source_error(taken_names[0])
    present_names = names.list_present(folder, stem, [suffix])
    return PlannedList(
        folder / f"{stem}{suffix}", bool(taken_names), present_names if settings.existing == "replace" or not taken_names else ()
    )


def list_existing_names(files: Iterable[PlannedFile], planned_list: PlannedList | None) -> list[str]:
    """Return a name that is taken for each set, and that of the list: what the user is asked about."""
    names = [item.taken_names[0] for item in files if item.already_exists]
    return [*names, *([planned_list.file.name] if planned_list is not None and planned_list.already_exists else [])]


def describe_kept_list(planned: PlannedList) -> str:
    """Return a sentence about a list that gave way to somebody else's file."""
    name = planned.file.name
    english = f"“{name}” already exists, so the list of the files was not written."
    return localize(f"「{name}」はすでにあるので、一覧は書き出していません。", english)


def write_game_list(planned: PlannedList, files: Sequence[PlannedFile], settings: ExportSettings) -> None:
    """Write a list of these files, unless it is there already as it is to be: then its time of change stays too. Raise OutputFileError."""
    target = planned.file
    text = format_wwise_list(files, target.parent) if settings.game == "wwise" else format_csv_list(files, target.parent)
    with contextlib.suppress(OSError):
        if not target.is_symlink() and read_bounded(target, len(text.encode())) == text.encode():
            return
    written = FileSet(planned.replaced_names)
    written.write_file(target, text.encode())
    written.commit()


def format_csv_list(files: Sequence[PlannedFile], root: Path) -> str:
    """Format a CSV list of files and their lines, with a UTF-8 byte order mark, without which spreadsheets misread Japanese."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\r\n")
    has_characters = any(item.characters for item in files)
    table.writerow(("id", "file", "text", "voice", "speaker", "style", *(["character"] if has_characters else [])))
    for item in files:
        for line, character in zip(item.lines, item.characters or [""] * len(item.lines), strict=True):
            how = line.settings
            cells = (line.id, _format_relative_path(item, root), line.text, how.voice, how.speaker, how.style)
            table.writerow(map(escape_formula, (*cells, *([character] if has_characters else []))))
    return "\ufeff" + out.getvalue()


def format_wwise_list(files: Sequence[PlannedFile], root: Path) -> str:
    """Return external sources for Wwise, with paths relative to the list."""
    paths = (quoteattr(_format_relative_path(item, root)) for item in files)
    rows = "".join(f"  <Source Path={path} Conversion={quoteattr(_WWISE_CONVERSION)}/>\n" for path in paths)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<ExternalSourcesList SchemaVersion="1">\n{rows}</ExternalSourcesList>\n'


def _format_relative_path(item: PlannedFile, root: Path) -> str:
    return item.file.relative_to(root).as_posix()
