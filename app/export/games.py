"""Lists that game engines read, beside sounds that are named by the ids of their lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from app.adapters.files.part_file import write_error
from app.core.spreadsheets import harmless
from app.data_file import write_whole
from app.export.plan import PlannedFile
from app.export.settings import ExportSettings, Game

LIST_NAMES: dict[Game, str] = {"csv": "voice_lines.csv", "yarn": "voice_lines.csv", "wwise": "voice_lines.wsources"}
"""Ren'Py needs none: it looks for `voice/{id}.ogg`."""

_CONVERSION = "Default Conversion Settings"  # what every project of Wwise has


def write_list(files: Sequence[PlannedFile], settings: ExportSettings) -> Path | None:
    """Writes the list of an engine that reads one, over all files of the plan; None for others. Raises OutputFileError."""
    name = LIST_NAMES.get(settings.game)
    if name is None or not files:
        return None
    target = Path(settings.folder) / name
    text = wwise_list(files, target.parent) if settings.game == "wwise" else csv_list(files, target.parent)
    try:
        write_whole(target, text.encode())
    except OSError as exc:
        raise write_error(target, exc) from exc
    return target


def csv_list(files: Sequence[PlannedFile], root: Path) -> str:
    """Which file speaks which line; with the mark of UTF-8, without which spreadsheets read Japanese wrongly."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(("id", "file", "text", "voice", "speaker", "style"))
    for item in files:
        for line in item.lines:
            how = line.settings
            cells = (line.id, _relative(item, root), line.text, how.voice, how.speaker, how.style)
            table.writerow(map(harmless, cells))
    return "\ufeff" + out.getvalue()


def wwise_list(files: Sequence[PlannedFile], root: Path) -> str:
    """External sources, with paths from where the list lies."""
    rows = "".join(f"  <Source Path={quoteattr(_relative(item, root))} Conversion={quoteattr(_CONVERSION)}/>\n" for item in files)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<ExternalSourcesList SchemaVersion="1">\n{rows}</ExternalSourcesList>\n'


def _relative(item: PlannedFile, root: Path) -> str:
    return item.file.relative_to(root).as_posix()
