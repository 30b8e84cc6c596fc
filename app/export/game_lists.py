"""Lists that game engines read, beside sounds that are named by the ids of their lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from app.adapters.files.part_file import build_write_error
from app.common.files.atomic_write import write_file_atomically
from app.common.files.bounded_read import read_bounded
from app.core.spreadsheet_cells import escape_formula
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings, GameEngine

GAME_LIST_NAMES: dict[GameEngine, str] = {"csv": "voice_lines.csv", "yarn": "voice_lines.csv", "wwise": "voice_lines.wsources"}
"""Ren'Py needs none: it looks for `voice/{id}.ogg`."""

# What every project of Wwise has.
_WWISE_CONVERSION = "Default Conversion Settings"


def write_game_list(files: Sequence[PlannedFile], settings: ExportSettings) -> Path | None:
    """Write the list of an engine that reads one, over all files of the plan; return None for others. Raise OutputFileError if that fails."""
    name = GAME_LIST_NAMES.get(settings.game)
    if name is None or not files:
        return None
    target = Path(settings.folder) / name
    text = format_wwise_list(files, target.parent) if settings.game == "wwise" else format_csv_list(files, target.parent)
    try:
        if not _has_text(target, text.encode()):
            write_file_atomically(target, text.encode())
    except OSError as exc:
        raise build_write_error(target, exc) from exc
    return target


def _has_text(target: Path, content: bytes) -> bool:
    """Return whether the list is there already as it is to be: then its time of change stays too."""
    try:
        return read_bounded(target, len(content)) == content
    except OSError:
        return False


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
    rows = "".join(
        f"  <Source Path={quoteattr(_format_relative_path(item, root))} Conversion={quoteattr(_WWISE_CONVERSION)}/>\n" for item in files
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<ExternalSourcesList SchemaVersion="1">\n{rows}</ExternalSourcesList>\n'


def _format_relative_path(item: PlannedFile, root: Path) -> str:
    return item.file.relative_to(root).as_posix()
