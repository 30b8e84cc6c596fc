"""Lists that game engines read, beside sounds that are named by the ids of their lines."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from xml.sax.saxutils import quoteattr

from app.adapters.files.file_set import FileSet
from app.common.files.bounded_read import read_bounded
from app.common.language import localize
from app.core.text.spreadsheet_cells import escape_formula
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings, GameEngine
from app.export.safe_file_names import OwnFiles, SourceFiles, TakenNames, build_source_error, find_free_stem

GAME_LIST_NAMES: dict[GameEngine, str] = {"csv": "voice_lines.csv", "yarn": "voice_lines.csv", "wwise": "voice_lines.wsources"}
"""Ren'Py needs none: it looks for `voice/{id}.ogg`."""

_WWISE_CONVERSION = "Default Conversion Settings"  # what every project of Wwise has


@dataclass(frozen=True, slots=True)
class PlannedList:
    """The list of an export, which has its name to itself as a sound and what lies beside it have theirs."""

    file: Path
    already_exists: bool = False  # somebody else's file had the name when the plan was made
    replaced_names: tuple[str, ...] = ()  # the name, if what has it gives way, as for `PlannedFile`


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
    present = names.list_present(folder, stem, [suffix])
    return PlannedList(folder / f"{stem}{suffix}", bool(taken_names), present if settings.existing == "replace" or not taken_names else ())


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
