"""Rows of a table as lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from app.common.files.untrusted_json import sanitise_long_text, sanitise_short_text
from app.common.language import localize
from app.core.delivery import Bounds
from app.core.request_limits import BOUNDS, PAUSE_BOUNDS, PAUSE_MARKS, SEED_BOUNDS
from app.core.script.characters import CastBuilder
from app.core.script.project import Project
from app.core.script.script import LineSettings, Script
from app.core.symbols import PUNCTUATION_PHONES
from app.interchange.imported_script import ImportedScript, LossReport
from app.interchange.script_builder import ImportedScriptBuilder
from app.interchange.table_columns import SETTING_BY_COLUMN, format_field_name

MAX_NUMBER_CHARS = 40  # characters
_AddLoss = Callable[[str], None]
"""Called with the field of a cell that cannot be used."""


@dataclass(frozen=True, slots=True)
class ScriptTable:
    """Cells as text.

    Attributes:
        header: names of the columns; empty where the first row is one like the others.
        rows: those with anything in them, without the header.
        row_numbers: of header and rows in the file, from 1.
        broken_rows: numbers of rows that are none.
    """

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    row_numbers: tuple[int, ...] = ()
    broken_rows: tuple[int, ...] = ()

    @property
    def width(self) -> int:
        """Return the number of columns of the widest row."""
        return max((len(row) for row in (self.header, *self.rows)), default=0)

    def use_header(self) -> ScriptTable:
        """Return the table with its first row as the names of the columns."""
        return self if self.header or not self.rows else replace(self, header=self.rows[0], rows=self.rows[1:])

    def drop_header(self) -> ScriptTable:
        """Return the table with its first row as a row like the others."""
        return replace(self, header=(), rows=(self.header, *self.rows)) if self.header else self


def convert_to_lines(table: ScriptTable, columns: Mapping[str, int]) -> ImportedScript:
    """Convert rows to lines; without a column of texts, the first filled cell is the text. Raise InputError if there is no line."""
    gathered = ImportedScriptBuilder(table.name)
    for number in table.broken_rows:
        gathered.losses.add_line(number, "CSV として正しくない行", "rows that are not valid CSV")
    for number, row in zip(table.row_numbers[1 if table.header else 0 :], table.rows, strict=True):
        if "text" in columns:
            cells = {field: row[place] for field, place in columns.items() if place < len(row) and row[place]}
        else:
            cells = {"text": next(cell for cell in row if cell)}
        text = " ".join(sanitise_long_text(cells.get("text", "")).split("\n"))
        if text:
            settings, character = _parse_settings(cells, gathered, number), sanitise_short_text(cells.get("character", ""))
            # The first line of a character decides who speaks them; what others do differently is their own deviation.
            cast = gathered.add_character(character, settings) if character else ""
            gathered.add_line(text, settings, cells.get("id", ""), character=cast)
    others = [column for place, column in enumerate(table.header) if place not in columns.values() and column]
    if others:
        shown = ", ".join(sanitise_short_text(column)[:40] for column in others[:10])
        gathered.losses.add_sentence(localize(f"次の列は読み込みませんでした: {shown}", f"Columns not imported: {shown}"))
    return gathered.build_script()


def read_table_cast(table: ScriptTable, columns: Mapping[str, int]) -> Project:
    """Return a project with a character for each row that has a name, and no lines. Without a voice, a character has the first one."""
    gathered, cast = ImportedScriptBuilder(table.name), CastBuilder()
    for number, row in zip(table.row_numbers[1 if table.header else 0 :], table.rows, strict=True):
        cells = {field: row[place] for field, place in columns.items() if place < len(row) and row[place]}
        if name := sanitise_short_text(cells.pop("character", "")):
            cast.add_character(name, _parse_settings(cells, gathered, number))
    return Project(Script(cast=cast.cast), assignments=gathered.assignments)


def _parse_settings(cells: Mapping[str, str], gathered: ImportedScriptBuilder, row: int) -> LineSettings:
    voice, lose = cells.get("voice", ""), partial(_add_loss, gathered.losses, row)
    speaker = sanitise_short_text(cells.get("speaker", "") or ("" if voice else cells.get("character", "")))
    settings = LineSettings(style=sanitise_short_text(cells.get("style", "")), assist_text=sanitise_long_text(cells.get("assist", "")))
    if voice:
        settings = replace(settings, voice=gathered.name_voice(voice), speaker=speaker)
    elif speaker:
        # Whether a column of speakers names those of voices or characters is seen where the voices are known.
        settings = replace(settings, voice=gathered.name_voice(speaker, is_speaker=True, is_character="character" in cells))
    numbers: dict[str, Any] = {
        setting: value
        for field, setting in SETTING_BY_COLUMN.items()
        if (value := _parse_number(cells, field, BOUNDS[setting], lose)) is not None
    }
    if (seed := _parse_number(cells, "seed", SEED_BOUNDS, lose)) is not None:
        settings = replace(settings, seed=int(seed))
    return replace(settings, **numbers, pauses=_parse_pauses(cells.get("pause", ""), lose))


def _add_loss(losses: LossReport, row: int, field: str) -> None:
    losses.add_line(row, f"使用できない値（{format_field_name(field)}）", f"values that cannot be used ({format_field_name(field)})")


def _parse_number(cells: Mapping[str, str], field: str, bounds: Bounds, add_loss: _AddLoss) -> float | None:
    given = cells.get(field, "")
    if not given:
        return None
    value = _parse_finite(given)
    if value is None or not bounds.low <= value <= bounds.high or (field == "seed" and value != int(value)):
        add_loss(field)
        return None
    return value


def _parse_finite(text: str) -> float | None:
    try:
        value = float(text[:MAX_NUMBER_CHARS].replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _parse_pauses(cell: str, add_loss: _AddLoss) -> tuple[tuple[str, float], ...]:
    """Parse `、=0.2 。=0.5`, with marks as they are written or as they are spoken."""
    found: dict[str, float] = {}
    for item in cell[:1_000].split():
        mark, _, seconds = item.rpartition("=")
        phone, value = PUNCTUATION_PHONES.get(mark, mark), _parse_finite(seconds)
        if phone in PAUSE_MARKS and value is not None and PAUSE_BOUNDS.low <= value <= PAUSE_BOUNDS.high:
            found[phone] = value
        else:
            add_loss("pause")
    return tuple(sorted(found.items()))
